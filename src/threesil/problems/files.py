"""Problems from files and texts.

A problem file has one problem a line, its columns separated by tabs, gzipped or not:
`name equation` for theories that prove equations, `term target` or `term` for the others; further
columns are kept as text. Terms are infix, or prefix with one character a symbol. An article (see
`threesil.formats.article`) gives its theorems, a file in TPTP or LADR its goals. Problems whose
target writes a number above the benchmark's `largest_number` are left out, as the paper does: such
numerals are very deep terms.
"""

from __future__ import annotations

import re
from pathlib import Path

from threesil.errors import InputError
from threesil.formats import ladr, tptp
from threesil.formats.article import is_article, read_theorems
from threesil.formats.infix import Place, format_term, parse_equation, parse_term
from threesil.formats.lines import read_lines
from threesil.formats.prefix import parse_prefix
from threesil.terms import Term
from threesil.theories import benchmark_of
from threesil.theory import Goal, Problem, Theory


def load_problems(path: str | Path, theory: Theory) -> list[Problem]:
    """All problems of a file."""
    path = Path(path)
    problems: list[Problem] = []
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        if not problems and line.startswith("%"):  # a comment of TPTP or LADR
            continue
        if not problems and is_article(line):
            problems = read_theorems(path, theory.signature)
            break
        if not problems and theory.goal is Goal.EQUATION and tptp.is_tptp(line):
            problems = tptp.read_problems(path, theory)
            break
        if not problems and theory.goal is Goal.EQUATION and ladr.is_ladr(line):
            problems = ladr.read_problems(path, theory)
            break
        if not _too_large(line, theory):
            problems.append(_parse_line(line, theory, str(path), number))
    if not problems:
        raise InputError("no problem in this file", source=str(path))
    return problems


def parse_problem(text: str, theory: Theory) -> Problem:
    """A problem as a person types it: `s = t`, or a term if the goal is a normal form."""
    place = Place(text=text)
    variables = theory.goal is Goal.EQUATION
    if theory.goal is Goal.NORMAL_FORM:
        return Problem(text, _parse_term(text, theory, place))
    return Problem(text, *parse_equation(text, theory.signature, place=place, variables=variables))


def format_problem(problem: Problem, theory: Theory) -> str:
    """The line of a problem in a file, as `load_problems` reads it."""
    start = format_term(problem.start, theory.signature)
    if problem.target is None:
        return start
    target = format_term(problem.target, theory.signature)
    if theory.goal is Goal.EQUATION:
        return f"{problem.name}\t{start} = {target}"
    return f"{start}\t{target}"


def _too_large(line: str, theory: Theory) -> bool:
    largest = benchmark_of(theory).largest_number
    if largest is None:
        return False
    target = "".join(line.split("\t")[1:2])
    numbers = re.findall("[0-9]+", target)
    return any(len(n) > len(str(largest)) or int(n) > largest for n in numbers)


def _parse_line(line: str, theory: Theory, source: str, number: int) -> Problem:
    columns = line.split("\t")
    places = []
    offset = 0
    for column in columns:
        places.append(Place(source, number, offset + 1, line))
        offset += len(column) + 1
    name = f"{Path(source).name}:{number}"
    if theory.goal is Goal.EQUATION:
        if len(columns) > 1:
            name = columns.pop(0)
            places.pop(0)
        lhs, rhs = parse_equation(columns[0], theory.signature, place=places[0])
        return Problem(name, lhs, rhs, tuple(columns[1:]), number)
    start = _parse_term(columns[0], theory, places[0])
    if theory.goal is Goal.NORMAL_FORM:
        return Problem(name, start, None, tuple(columns[1:]), number)
    if len(columns) < 2:
        raise places[0].error("expected a tab and the target term", len(line), line)
    target = _parse_term(columns[1], theory, places[1])
    return Problem(name, start, target, tuple(columns[2:]), number)


def _parse_term(text: str, theory: Theory, place: Place) -> Term:
    symbols = theory.signature.symbols
    if len(text) > 1 and all(character in symbols for character in text):
        return parse_prefix(text, theory.signature, place=place)
    return parse_term(text, theory.signature, place=place, variables=False)
