"""TPTP: unit equalities in CNF, which E, Vampire, Twee and many others read.

    cnf(lid, axiom, mul(e,X) = X).
    cnf(goal, negated_conjecture, mul(c_x,t(c_y,c_x)) != mul(c_y,c_x)).

Names that begin with a capital letter are variables. The goal is denied, so its variables become
constants. The reader also takes FOF: `fof(goal, conjecture, ! [X,Y] : mul(X,Y) = mul(Y,X)).`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from threesil.errors import InputError
from threesil.formats.infix import Place, parse_equation
from threesil.formats.lines import read_lines
from threesil.formats.renaming import Language, Renaming, as_problem, rename, statements
from threesil.terms import Term
from threesil.theory import Equation, Problem, Theory

LANGUAGE = Language(
    symbol="[a-z][A-Za-z0-9_]*", variable="[A-Z][A-Za-z0-9_]*", variable_prefix="X_"
)
_GOALS = ("conjecture", "negated_conjecture")
_BEGIN = re.compile(r"\s*(cnf|fof|include)\s*\(")
_INCLUDE = re.compile(r"include\s*\([^)]*\)\s*\.\s*")
_STATEMENT = re.compile(
    r"(?P<kind>cnf|fof)\s*\(\s*(?P<name>\w+|'(?:[^'\\]|\\.)*')\s*,\s*(?P<role>\w+)\s*,"
    r"(?P<body>(?:[^.']|'(?:[^'\\]|\\.)*')*)\)\s*\.\s*"
)
_QUANTIFIED = re.compile(r"!\s*\[[\w\s,]*\]\s*:", re.ASCII)


def write_problem(theory: Theory, problem: Problem, *, lemmas: Iterable[Equation] = ()) -> str:
    """The input for a proof attempt."""
    given = statements(LANGUAGE, theory, problem, lemmas)
    renaming, goal = given.renaming, given.goal
    lines = []
    for label, equation in given.assumptions:
        sides = (renaming.text(renaming.to(term)) for term in (equation.lhs, equation.rhs))
        name = label if LANGUAGE.takes_symbol(label) else f"'{label}'"
        lines.append(f"cnf({name}, axiom, {' = '.join(sides)}).")
    sides = (renaming.text(renaming.freeze(term)) for term in (goal.lhs, goal.rhs))
    lines.append(f"cnf(goal, negated_conjecture, {' != '.join(sides)}).")
    return "\n".join(lines) + "\n"


def is_tptp(line: str) -> bool:
    """Whether a file whose first line of content is this one is written in TPTP."""
    return _BEGIN.match(line) is not None


def read_equations(
    text: str, renaming: Renaming, source: str = "<input>", only: Iterable[str] | None = None
) -> Iterator[tuple[str, str, Term, Term]]:
    """(role, name, left side, right side) of the equations, under the names of the file.

    A denied equation gives the equation. With `only` other roles are passed over.
    """
    text = re.sub(r"%[^\n]*|/\*.*?\*/", _blank, text, flags=re.DOTALL)
    for found in _statements(text, source):
        role, name = found["role"], found["name"].strip("'")
        if only is not None and role not in only:
            continue
        start, end = _inner(text, found.start("body"), found.end("body"))
        body = text[start:end]
        place = Place.inside(source, text, start, end)
        denied = role == "negated_conjecture"
        if denied:
            if "!=" not in body or found["kind"] != "cnf":
                raise place.error("expected a denied equation: cnf, s != t", 0, body)
            body = body.replace("!=", " =", 1)
        lhs, rhs = parse_equation(body, renaming.signature, place=place)
        free = [v for t in (lhs, rhs) for v in t.variables() if LANGUAGE.takes_variable(v)]
        if denied and free:
            message = f"the variable {free[0]} of a denied goal asks for a solution, not a proof"
            raise place.error(message, max(body.find(free[0]), 0), body)
        yield role, name, lhs, rhs


def _statements(text: str, source: str) -> Iterator[re.Match[str]]:
    """All statements but those that include other files; whatever is none is an error."""
    end = len(text) - len(text.lstrip())
    while end < len(text):
        found = _STATEMENT.match(text, end)
        passed = found or _INCLUDE.match(text, end)
        if passed is None:
            place = Place.inside(source, text, end, end)
            raise place.error("expected: cnf(name, role, s = t).", 0, "")
        if found is not None:
            yield found
        end = passed.end()


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def _inner(text: str, start: int, end: int) -> tuple[int, int]:
    """The part without blanks, brackets and universal quantifiers around it."""
    while True:
        body = text[start:end]
        start, end = start + len(body) - len(body.lstrip()), end - len(body) + len(body.rstrip())
        quantifier = _QUANTIFIED.match(text, start, end)
        if quantifier:
            start = quantifier.end()
        elif text.startswith("(", start) and _closing(text, start, end) == end - 1:
            start, end = start + 1, end - 1
        else:
            return start, end


def _closing(text: str, start: int, end: int) -> int:
    """Where the bracket that opens at `start` is closed."""
    depth = 0
    for index in range(start, end):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return end


def read_problems(path: Path, theory: Theory) -> list[Problem]:
    """The conjectures of a TPTP file; its axioms are taken to be those of the theory."""
    text = "\n".join(line for _, line in read_lines(path))
    renaming = rename(LANGUAGE, theory.signature)
    problems = [
        as_problem(name, path, lhs, rhs, renaming, theory.signature)
        for _, name, lhs, rhs in read_equations(text, renaming, str(path), only=_GOALS)
    ]
    if not problems:
        raise InputError("no conjecture that is an equation", source=str(path))
    return problems
