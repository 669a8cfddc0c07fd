"""LADR, the language of Prover9 and Mace4.

    assign(max_seconds, 60).
    formulas(assumptions).
    (e * x) = x # label("lid").
    end_of_list.
    formulas(goals).
    (x * T(y,x)) = (y * x) # label("goal").
    end_of_list.

Names that begin with u to z are variables, all others are symbols; a bare `v` is an operator. A
goal's variables are universally quantified. The operators `* / \\ + ^` are kept, because the
prover orders symbols by their names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from threesil.errors import InputError
from threesil.formats.infix import Place, parse_equation
from threesil.formats.lines import read_lines
from threesil.formats.renaming import Language, Renaming, as_problem, rename, statements
from threesil.terms import Term
from threesil.theory import Equation, Problem, Theory

LANGUAGE = Language(
    symbol="[a-tA-Z][A-Za-z0-9_]*|[0-9]+",
    variable="[u-z][A-Za-z0-9_]*",
    variable_prefix="x_",
    reserved=frozenset({"v", "all", "exists", "if", "end_if", "end_of_list", "formulas", "list"}),
    infix=frozenset({"*", "/", "\\", "+", "^"}),
)
_BEGIN = re.compile(r"\s*(set|clear|assign|assoc_comm|op|redeclare|formulas|clauses|lex)\s*\(")
_LIST = re.compile(r"(?:formulas|clauses)\s*\(\s*(\w+)\s*\)\s*\.(.*?)end_of_list\s*\.", re.DOTALL)
_LABEL = r"\#\s*\w+\s*\(\s*(?:\"[^\"]*\"|[^\")]*)\s*\)\s*"
_FORMULA = re.compile(rf"([^#.\"]+)((?:{_LABEL})*)\.\s*")
_NAME = re.compile(r"label\s*\(\s*(?:\"([^\"]*)\"|([^\")]*))")
_QUANTIFIED = re.compile(r"\s*((?:all\s+\w+\s*)+)\((.*)\)\s*", re.DOTALL)


def write_problem(
    theory: Theory,
    problem: Problem,
    *,
    lemmas: Iterable[Equation] = (),
    hints: Iterable[Equation] = (),
    seconds: float,
    megabytes: int,
    settings: Sequence[str] = (),
) -> str:
    """The input for a proof attempt; `settings` are commands such as `assign(order,kbo)`."""
    given = statements(LANGUAGE, theory, problem, lemmas, hints)
    lines = [f"assign(max_seconds, {math.ceil(seconds)}).", f"assign(max_megs, {megabytes})."]
    lines += [f"{setting}." for setting in settings]
    parts = [("assumptions", given.assumptions), ("goals", (("goal", given.goal),))]
    if given.hints:
        parts.append(("hints", given.hints))
    for title, equations in parts:
        lines.append(f"formulas({title}).")
        for label, equation in equations:
            sides = (_side(equation.lhs, given.renaming), _side(equation.rhs, given.renaming))
            lines.append(f'{sides[0]} = {sides[1]} # label("{label}").')
        lines.append("end_of_list.")
    return "\n".join(lines) + "\n"


def _side(term: Term, renaming: Renaming) -> str:
    new = renaming.to(term)
    text = renaming.text(new)
    return f"({text})" if new.head in renaming.signature.infix else text


def is_ladr(line: str) -> bool:
    """Whether a file whose first line of content is this one is written in LADR."""
    return _BEGIN.match(line) is not None


def read_equations(
    text: str, renaming: Renaming, source: str = "<input>", only: str | None = None
) -> Iterator[tuple[str, str, Term, Term]]:
    """(list, label, left side, right side) of the equations, under the names of the file.

    With `only` the other lists are passed over.
    """
    text = re.sub(r'"[^"\n]*"|%[^\n]*', _blank_comment, text)
    for part in _LIST.finditer(text):
        title, start, end = part.group(1), part.start(2), part.end(2)
        if only not in (None, title):
            continue
        for formula in _formulas(text, start, end, source):
            name = _NAME.search(formula.group(2))
            label = (name.group(1) or name.group(2) or "") if name else ""
            body, offset = formula.group(1), formula.start(1)
            quantified = _QUANTIFIED.fullmatch(body)
            if quantified:
                body, offset = quantified.group(2), offset + quantified.start(2)
            body = body.rstrip()
            place = Place.inside(source, text, offset, offset + len(body))
            yield title, label, *parse_equation(body, renaming.signature, place=place)


def _formulas(text: str, start: int, end: int, source: str) -> Iterator[re.Match[str]]:
    """The formulas of a list; whatever is none is an error."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    while start < end:
        found = _FORMULA.match(text, start, end)
        if found is None:
            place = Place.inside(source, text, start, start)
            raise place.error("expected an equation with a dot behind it", 0, "")
        yield found
        start = found.end()


def _blank_comment(found: re.Match[str]) -> str:
    text = found.group()
    return text if text.startswith('"') else " " * len(text)


def read_problems(path: Path, theory: Theory) -> list[Problem]:
    """The goals of a LADR file; its assumptions are taken to be those of the theory."""
    text = "\n".join(line for _, line in read_lines(path))
    renaming = rename(LANGUAGE, theory.signature)
    problems = [
        as_problem(label, path, lhs, rhs, renaming, theory.signature)
        for _, label, lhs, rhs in read_equations(text, renaming, str(path), only="goals")
    ]
    if not problems:
        raise InputError("no formulas(goals) with an equation", source=str(path))
    return problems
