"""The input language of Waldmeister: a signature, an ordering, equations and a conclusion.

Identifiers have at most 24 characters, lines at most 4095, there are fewer than 100 functions,
and the section words are reserved whatever their case. Variables of the conclusion would ask for
a solution, so those of the goal become constants.
"""

from __future__ import annotations

from collections.abc import Iterable

from threesil.errors import InputError
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.notations.renaming import Language, Statements, statements

_SECTIONS = {"name", "mode", "sorts", "signature", "ordering", "variables", "equations"}
_SECTIONS |= {"conclusion", "proof", "completion", "kbo", "lpo", "any"}
LANGUAGE = Language(
    symbol="[a-z][A-Za-z0-9_]*",
    variable="[a-z][A-Za-z0-9_]*",
    variable_prefix="x_",
    reserved=frozenset(_SECTIONS),
    longest=24,
    fold_case=True,
)
_MOST_FUNCTIONS = 99
_LONGEST_LINE = 4000


def write_problem(theory: Theory, problem: Problem, *, lemmas: Iterable[Equation] = ()) -> str:
    """The input for a proof attempt; defined symbols are the largest of a Knuth-Bendix order."""
    given = statements(LANGUAGE, theory, problem, lemmas)
    renaming = given.renaming
    symbols = renaming.signature.symbols
    if len(symbols) > _MOST_FUNCTIONS:
        raise InputError(f"{len(symbols)} symbols; Waldmeister takes at most {_MOST_FUNCTIONS}")
    precedence = _precedence(given, theory)
    lines = ["NAME threesil", "MODE PROOF", "SORTS ANY", "SIGNATURE"]
    lines += [f"  {symbol}: {'ANY ' * arity}-> ANY" for symbol, arity in symbols.items()]
    lines += ["ORDERING KBO", "  " + ", ".join(f"{symbol}=1" for symbol in precedence)]
    lines.append("  " + " > ".join(precedence))
    variables = list(renaming.variables.values()) or [f"x_{len(symbols)}_unused"]
    lines.append(f"VARIABLES {','.join(variables)} : ANY")
    lines.append("EQUATIONS")
    for label, equation in given.assumptions:
        sides = (renaming.text(renaming.to(term)) for term in (equation.lhs, equation.rhs))
        lines += [f"  % {label}", f"  {' = '.join(sides)}"]
    sides = (renaming.text(renaming.freeze(term)) for term in (given.goal.lhs, given.goal.rhs))
    lines += ["CONCLUSION", f"  {' = '.join(sides)}"]
    return "\n".join(part for line in lines for part in _broken(line)) + "\n"


def _precedence(given: Statements, theory: Theory) -> list[str]:
    """All symbols from the largest: defined ones, functions, the goal's constants, constants."""
    names = given.renaming.symbols
    defined = [e.lhs.head for e in theory.equations if e.kind == "definition"]
    arities = given.renaming.signature.symbols
    order = [names[symbol] for symbol in reversed(defined)]
    order += [symbol for symbol in reversed(list(arities)) if arities[symbol]]
    order += [*given.renaming.constants.values(), *reversed(list(arities))]
    return list(dict.fromkeys(order))


def _broken(line: str) -> list[str]:
    """A line in parts that are short enough, broken behind commas and brackets."""
    parts = []
    while len(line) > _LONGEST_LINE:
        cut = 1 + max(line.rfind(mark, 0, _LONGEST_LINE) for mark in ",()>")
        parts.append(line[:cut])
        line = line[cut:]
    return [*parts, line]
