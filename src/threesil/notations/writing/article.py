"""Writing theory files: see `article` for what they look like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from threesil.kernel.theory import RIGHT_TO_LEFT, Equation, Goal, Problem, Theory
from threesil.notations.document import Document
from threesil.notations.infix import format_term
from threesil.notations.names import NAME
from threesil.notations.reading.article import PRIORITIES
from threesil.notations.renaming import Language, Renaming, equation_of, rename
from threesil.notations.tokens import is_prefix, shown_symbol, written, written_variable

_LANGUAGE = Language(
    symbol=r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]+",
    variable=NAME,
    variable_prefix="x_",
    longest=10_000,
    unicode=True,
)
_WORDS = {"axiom": "Axiom", "definition": "Definition", "known": "Known"}


def write_document(document: Document) -> str:
    """A whole document; only variables that are no plain names get new ones."""
    theory = document.theory
    goals = [equation_of(p) for p in document.problems] if theory.goal is Goal.EQUATION else []
    equations = (*theory.equations, *document.hints, *goals)
    language = replace(_LANGUAGE, infix=frozenset(theory.signature.infix))
    renaming = rename(language, theory.signature, equations)
    lines = [f"Theory {_name(theory.name)}: {_title(theory.title)}."]
    lines += _goal(document)
    lines += _signature(renaming)
    lines += [_statement(equation, theory, renaming) for equation in theory.equations]
    for problem, goal in zip(document.problems, goals, strict=False):
        lines.append(f"Theorem {_name(problem.name)}: {_claim(problem, goal, renaming)}.")
    lines += [f"Hint {_name(hint.name)}: {_sides(hint, renaming)}." for hint in document.hints]
    return "\n".join(lines) + "\n"


def _goal(document: Document) -> Iterator[str]:
    theory = document.theory
    if theory.goal is Goal.TARGET:
        yield "Goal target."
    elif theory.goal is Goal.NORMAL_FORM:
        yield f"Goal normal {' '.join(map(written, sorted(theory.constructors)))}."
    elif document.any_goal:
        yield "Goal any."


def _signature(renaming: Renaming) -> Iterator[str]:
    """The constants, and those operators that can't be known from their use."""
    signature = renaming.signature
    constants = [written(symbol) for symbol, arity in signature.symbols.items() if arity == 0]
    if constants:
        yield f"Constants {', '.join(constants)}."
    for symbol, rank in signature.infix.items():
        if PRIORITIES.get(symbol) != rank:
            yield f"Infix {rank} {shown_symbol(symbol)}."
    for symbol, arity in signature.symbols.items():
        if is_prefix(symbol, arity) and len(symbol) > 1:
            yield f"Prefix {symbol}."


def _statement(equation: Equation, theory: Theory, renaming: Renaming) -> str:
    word, sign = _WORDS[equation.kind], "="
    if equation.kind == "definition":
        sign = ":="
    elif equation.kind == "axiom" and _one_way(equation, theory):
        word, sign = "Rule", "->"
    name = f"{_name(equation.name)}: "
    if equation.kind == "definition" and equation.name == equation.lhs.head:
        name = ""
    return f"{word} {name}{_sides(equation, renaming, sign)}."


def _one_way(equation: Equation, theory: Theory) -> bool:
    back = theory.number(equation.name, RIGHT_TO_LEFT)
    new = set(equation.lhs.variables()) - set(equation.rhs.variables())
    return back is None and not (new and theory.goal is not Goal.EQUATION)


def _claim(problem: Problem, goal: Equation, renaming: Renaming) -> str:
    names = (renaming.variables[name] for name in problem.exists)
    exists = ", ".join(written_variable(name, renaming.signature) for name in names)
    return (f"exists {exists}: " if exists else "") + _sides(goal, renaming)


def _sides(equation: Equation, renaming: Renaming, sign: str = "=") -> str:
    lhs, rhs = (
        format_term(renaming.to(side), renaming.signature) for side in (equation.lhs, equation.rhs)
    )
    return f"{lhs} {sign} {rhs}"


def _name(name: str) -> str:
    printable = "".join(c if c.isprintable() else "_" for c in name)
    if re.fullmatch(r"[\w+*/^<>=~@&|!;$%?-]+", printable):
        return printable
    return '"' + printable.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _title(title: str) -> str:
    return "".join(c if c.isprintable() and c not in '#"' else " " for c in title)
