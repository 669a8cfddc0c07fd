"""Counter-models made ready to be written: tables by symbol, and what fails."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from threesil.kernel.countermodel import Countermodel, table_of
from threesil.kernel.terms import Term
from threesil.notations.infix import format_term
from threesil.notations.tokens import written_variable
from threesil.notations.writing.statement import listed
from threesil.notations.writing.structures import name_of

MOST = 64  # tables of one symbol that are drawn


def shown_symbols(model: Countermodel) -> tuple[list[str], list[str]]:
    """(symbols whose tables are drawn, symbols of many arguments that have a definition)."""
    defined = {e.lhs.head for e in model.theory.equations if e.kind == "definition"}
    arities = model.theory.signature.symbols
    wide = [symbol for symbol in arities if symbol in defined and arities[symbol] > 2]
    drawn = [symbol for symbol in arities if symbol not in wide]
    return sorted(drawn, key=lambda symbol: arities[symbol] not in (0, 2)), wide


def rows(table: Sequence[int], n: int) -> list[list[int]]:
    return [list(table[k * n : (k + 1) * n]) for k in range(n)]


def slices(table: Sequence[int], n: int, arity: int) -> list[tuple[tuple[int, ...], list[int]]]:
    """(the first arguments, the n × n values of the last two) of a table with two or more."""
    size = n * n
    firsts = product(range(n), repeat=arity - 2)
    return [(first, list(table[k * size : (k + 1) * size])) for k, first in enumerate(firsts)]


def drawn(
    model: Countermodel, symbol: str, name: str, comma: str = ",", blank: str = "_"
) -> list[tuple[str, list[tuple[str, list[int]]]]]:
    """The tables of a symbol with arguments: what is in the corner, and the rows with their heads.

    One of more than two arguments has a table for each choice of the first ones, `MOST` in all.
    """
    n, arity = model.tables.size, model.theory.signature.symbols[symbol]
    table = model.tables.of[symbol]
    if arity == 1:
        return [("x", [(f"{name}(x)", list(table))])]
    found = []
    for first, square in slices(table, n, arity)[:MOST]:
        corner = f"{name}({comma.join([*map(str, first), blank, blank])})"
        body = [(str(x), row) for x, row in enumerate(rows(square, n))]
        found.append((name if arity == 2 else corner, body))
    return found


def structure(model: Countermodel, symbol: str) -> str:
    """The name of the structure that a binary symbol makes, if it is one we know."""
    if model.theory.signature.symbols[symbol] != 2:
        return ""
    return name_of(model.tables.of[symbol], model.tables.size)


def sides(model: Countermodel) -> list[tuple[Term, list[int]]]:
    """The sides of the problem with their values: one, or one for each of those that may exist."""
    problem = model.problem
    if problem is None or problem.target is None:
        return []
    return [
        (side, table_of(side, model.theory, model.tables, problem.exists, model.values))
        for side in (problem.start, problem.target)
    ]


def failure(model: Countermodel) -> str:
    """For which values the problem fails, and how."""
    if model.problem is None:
        return ""
    signature = model.theory.signature
    given = ", ".join(
        f"{written_variable(name, signature)} = {value}" for name, value in model.values.items()
    )
    at = f"for {given}: " if given else ""
    if model.problem.exists:
        names, several = listed(model.problem.exists, signature), len(model.problem.exists) > 1
        return f"{at}the sides differ, whatever {names} {'are' if several else 'is'}"
    (left, (one,)), (right, (other,)) = sides(model)
    texts = (format_term(side, signature) for side in (left, right))
    first, second = texts
    return f"{at}{first} = {one}, but {second} = {other}"
