"""Problems from files and texts.

A problem file has one problem a line, its columns separated by tabs, gzipped or not:
`name equation` for theories that prove equations, `term target` or `term` for the others; further
columns are kept as text. Terms are infix, or prefix with one character a symbol. Problems whose
target writes a number above the benchmark's `largest_number` are left out, as the paper does: such
numerals are very deep terms.

A file in TPTP or LADR, or a theory file, gives its goals. If it has equations of its own they must
be those of the theory, under whatever names: its goals are about its own equations.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from pathlib import Path

from threesil.errors import InputError
from threesil.files import other_than_file, read_lines
from threesil.kernel.matching import find_correspondence
from threesil.kernel.naming import fresh_name
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.notations.infix import format_term, parse_prefix, parse_term
from threesil.notations.lines import read_text
from threesil.notations.reading import looks_like_path, missing, notation_of_file, read
from threesil.notations.reading.article import parse_claim, read_article
from threesil.notations.reading.typed import advice, cleaned, warnings
from threesil.notations.renaming import rename
from threesil.notations.tokens import Place, written_variable
from threesil.notations.writing import ladr, tptp
from threesil.theories import benchmark_of

_NUMBER = re.compile("[0-9]+")
_LANGUAGES = {"tptp": tptp.LANGUAGE, "ladr": ladr.LANGUAGE}


def load_problems(
    path: str | Path, theory: Theory, lines: Container[int] | None = None
) -> list[Problem]:
    """All problems of a file, or those of some lines."""
    path = Path(path)
    notation = notation_of_file(path)
    if notation is not None:
        problems = [
            problem
            for problem in _goals(path, notation, theory)
            if lines is None or problem.line in lines
        ]
    else:
        advised, largest = advice(theory), benchmark_of(theory).largest_number
        problems = [
            _parse_line(line, theory, str(path), number, advised)
            for number, line in read_lines(path)
            if (lines is None or number in lines)
            and line.strip()
            and not line.startswith("#")
            and not is_too_large(line.split("\t"), largest)
        ]
    if not problems:
        raise InputError("no problem in this file", source=str(path))
    return problems


def _goals(path: Path, notation: str, theory: Theory) -> list[Problem]:
    """The goals of a document, under the names of the theory."""
    document = read(path)
    known = theory.signature.symbols
    if document.theory.equations:
        found = _same(document.theory, theory)
        if found is None and theory.base is not None:  # what a part proves, the whole does
            found = _same(document.theory, theory.base)
        if found is None:
            raise InputError(
                f"this file has its own equations, which are not those of {theory.name}; its goals "
                "are about these: take the file itself as the theory",
                source=str(path),
            )
        # Symbols that no equation speaks of keep their meaning with their name.
        idle = known.keys() - found.values()
        names = {name: name for name in document.theory.signature.symbols if name in idle} | found
    elif notation == "theory":
        document = read_article(read_text(path), document.name, within=theory.signature)
        names = {name: name for name in known}
    else:
        symbols = rename(_LANGUAGES[notation], theory.signature).symbols
        names = {new: old for old, new in symbols.items()}
    return [_goal(problem, names, theory, path) for problem in document.problems]


def _same(theory: Theory, other: Theory) -> dict[str, str] | None:
    """The names of the other theory for the symbols, if both have the same equations."""
    found = find_correspondence(theory, other)
    return dict(found.symbols) if found is not None and found.exact else None


def _goal(problem: Problem, names: dict[str, str], theory: Theory, path: Path) -> Problem:
    """A goal under the names of the theory, which `names` maps its own to.

    Constants that the theory does not have are arbitrary elements, so they become variables. All
    variables get small letters and names apart from the theory's symbols.
    """
    assert problem.target is not None  # a document's goals are equations
    symbols = theory.signature.symbols
    variables: dict[tuple[str, bool], Term] = {}
    taken = set(symbols)
    for term in (t for side in (problem.start, problem.target) for t in side.distinct()):
        key = (term.head, term.is_variable)
        if key in variables or (not term.is_variable and term.head in names):
            continue
        if term.args:
            known = ", ".join(f"{symbol}/{arity}" for symbol, arity in symbols.items() if arity)
            message = f"{theory.name} has no function {term.head}/{len(term.args)}; it has {known}"
            raise InputError(message, source=str(path), line=problem.line)
        new = fresh_name(term.head[:1].lower() + term.head[1:], taken)
        taken.add(new)
        variables[key] = var(new)

    def combine(t: Term, args: tuple[Term, ...]) -> Term:
        if (variable := variables.get((t.head, t.is_variable))) is not None:
            return variable
        name = names[t.head]
        if symbols[name] != len(args):
            message = f"{name} has {symbols[name]} arguments in {theory.name}, not {len(args)}"
            raise InputError(message, source=str(path), line=problem.line)
        return Term(name, args)

    start, target = problem.start.fold(combine), problem.target.fold(combine)
    exists = tuple(variables[name, True].head for name in problem.exists)
    return Problem(problem.name, start, target, (), problem.line, exists)


def parse_problem(text: str, theory: Theory, notes: list[str] | None = None) -> Problem:
    """A problem as a person types it: `s = t`, or a term if it is clear what it becomes.

    `notes` is given what should be said about the reading.
    """
    equation = cleaned(text)
    place = Place(text=equation)
    try:
        if theory.goal is Goal.NORMAL_FORM:
            return Problem(equation, _parse_term(equation, theory, place))
        target_of = benchmark_of(theory).target if "=" not in equation else None
        if target_of is not None:
            start = _parse_term(equation, theory, place)
            return Problem(equation, start, target_of(start))
        lhs, rhs, exists = parse_claim(
            equation,
            theory.signature,
            place,
            variables=theory.goal is Goal.EQUATION,
            advice=advice(theory),
        )
    except InputError:
        if looks_like_path(text) or other_than_file(text):
            raise missing(text) from None
        raise
    problem = Problem(equation, lhs, rhs, exists=exists)
    if notes is not None:
        notes += warnings(problem, theory)
    return problem


def format_problem(problem: Problem, theory: Theory) -> str:
    """The line of a problem in a file, as `load_problems` reads it."""
    start = format_term(problem.start, theory.signature)
    if problem.target is None:
        return start
    target = format_term(problem.target, theory.signature)
    if theory.goal is Goal.EQUATION:
        there = ", ".join(written_variable(name, theory.signature) for name in problem.exists)
        exists = f"exists {there}: " if there else ""
        return f"{problem.name}\t{exists}{start} = {target}"
    return f"{start}\t{target}"


def is_solved(theory: Theory, problem: Problem) -> bool:
    """Whether there is nothing to do for the problem."""
    if theory.goal is Goal.NORMAL_FORM:
        return all(t.head in theory.constructors for t in problem.start.subterms())
    return problem.start == problem.target


def is_too_large(columns: Sequence[str], largest: int | None) -> bool:
    """Whether the target in a line of a problem file writes a number above the largest one."""
    if largest is None:
        return False
    numbers = _NUMBER.findall("".join(columns[1:2]))
    return any(len(n) > len(str(largest)) or int(n) > largest for n in numbers)


def _parse_line(
    line: str, theory: Theory, source: str, number: int, advised: dict[str, str]
) -> Problem:
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
        claim, place = cleaned(columns[0]), places[0]
        lhs, rhs, exists = parse_claim(claim, theory.signature, place, advice=advised)
        return Problem(name, lhs, rhs, tuple(columns[1:]), number, exists)
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
