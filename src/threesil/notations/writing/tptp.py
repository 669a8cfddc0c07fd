"""Writing TPTP, which E, Vampire, Twee and many others read.

    cnf(lid, axiom, mul(e,X) = X).
    cnf(goal, negated_conjecture, mul(c_x,t(c_y,c_x)) != mul(c_y,c_x)).

Names that begin with a capital letter are variables. For a prover the goal is denied, so that its
variables become constants, but for those that it says exist. In a document it stays as it is:
`fof(goal, conjecture, ! [X] : ? [Y] : mul(X,Y) = e).`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.notations.document import Document
from threesil.notations.renaming import Language, Renaming, equation_of, rename, statements

LANGUAGE = Language(
    symbol="[a-z][A-Za-z0-9_]*", variable="[A-Z][A-Za-z0-9_]*", variable_prefix="X_"
)
_QUOTING = replace(LANGUAGE, symbol=r"[a-z][A-Za-z0-9_]*|(?=.*[A-Za-z0-9])[ -~]+")
_ROLES: Final = {"axiom": "axiom", "definition": "definition", "known": "lemma"}


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


def write_document(document: Document) -> str:
    """A whole document; names that the language lacks are quoted, operators get words."""
    equations = (*document.theory.equations, *document.hints)
    goals = tuple(map(equation_of, document.problems))
    renaming = rename(_QUOTING, document.theory.signature, (*equations, *goals))
    lines = [f"% {note}" for note in _comments(document)]
    for equation in document.theory.equations:
        role = _ROLES[equation.kind]
        lines.append(f"cnf({_quoted(equation.name)}, {role}, {_sides(equation, renaming)}).")
    for problem, goal in zip(document.problems, goals, strict=True):
        formula = _quantified(problem, renaming.variables) + _sides(goal, renaming)
        name = _quoted(problem.name)
        if document.any_goal:
            lines.append(f"fof({name}, negated_conjecture, ~ ( {formula} )).")
        else:
            lines.append(f"fof({name}, conjecture, {formula}).")
    return "\n".join(lines) + "\n"


def _comments(document: Document) -> list[str]:
    if not document.hints:
        return []
    return [f"{len(document.hints)} hints are left out: TPTP has no place for them"]


def _sides(equation: Equation, renaming: Renaming) -> str:
    return f"{_text(renaming.to(equation.lhs))} = {_text(renaming.to(equation.rhs))}"


def _quantified(problem: Problem, names: Mapping[str, str]) -> str:
    universal = [names[name] for name in problem.variables if name not in problem.exists]
    existential = [names[name] for name in problem.exists]
    parts = [("!", universal), ("?", existential)]
    return "".join(f"{mark} [{','.join(group)}] : " for mark, group in parts if group)


def _text(term: Term) -> str:
    """`f(s,t)`, with quotes where they are needed."""
    parts: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts.append(item.head if item.is_variable else _quoted(item.head))
        if item.args:
            parts.append("(")
            stack.append(")")
            for index in range(len(item.args) - 1, -1, -1):
                stack.append(item.args[index])
                if index:
                    stack.append(",")
    return "".join(parts)


def _quoted(name: str) -> str:
    """A name of a symbol or a formula; what can't stand in quotes is left out."""
    if LANGUAGE.takes_symbol(name):
        return name
    printable = "".join(c if " " <= c <= "~" else "_" for c in name) or "_"
    return "'" + printable.replace("\\", "\\\\").replace("'", "\\'") + "'"
