"""A counter-model as a page shows it, in values of JSON: the tables, and where the problem fails.

The cells that one looks at to work out the two sides at the failing values are marked.
"""

from __future__ import annotations

from typing import Any, Final

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.terms import Term
from threesil.notations.writing.model_parts import (
    failure,
    rows,
    shown_symbols,
    slices,
    statement,
    structure,
)

_MOST: Final = 64  # tables of one symbol that are shown
_LARGEST: Final = 100_000  # cells of one symbol


def model_view(model: Countermodel) -> dict[str, Any]:
    """Tables by symbol; those of many arguments as one table for each choice of the first ones."""
    drawn, defined = shown_symbols(model)
    marks = _marks(model)
    return {
        "theory": model.theory.name,
        "size": model.tables.size,
        "statement": statement(model),
        "failure": failure(model),
        "values": dict(model.values),
        "tables": [_table(model, symbol, marks.get(symbol, [])) for symbol in drawn],
        "defined": defined,
    }


def _table(model: Countermodel, symbol: str, marks: list[tuple[int, ...]]) -> dict[str, Any]:
    n, arity = model.tables.size, model.theory.signature.symbols[symbol]
    table = model.tables.of[symbol]
    view: dict[str, Any] = {"symbol": symbol, "arity": arity, "marks": marks, "left_out": 0}
    if arity < 2:
        return {**view, "values": list(table)}
    if len(table) > _LARGEST:
        return {**view, "squares": [], "left_out": n ** (arity - 2), "is": ""}
    several = slices(table, n, arity)
    squares = [{"first": first, "rows": rows(square, n)} for first, square in several[:_MOST]]
    return {
        **view,
        "squares": squares,
        "left_out": len(several) - len(squares),
        "is": structure(model, symbol),
    }


def _marks(model: Countermodel) -> dict[str, list[tuple[int, ...]]]:
    """The arguments at which each symbol is looked up, to work out both sides."""
    problem = model.problem
    if problem is None or problem.target is None or problem.exists:
        return {}
    n, used = model.tables.size, dict[str, dict[tuple[int, ...], None]]()

    def combine(t: Term, args: tuple[int, ...]) -> int:
        if t.is_variable:
            return model.values[t.head]
        used.setdefault(t.head, {})[args] = None
        place = 0
        for value in args:
            place = place * n + value
        return model.tables.of[t.head][place]

    for side in (problem.start, problem.target):
        side.fold(combine)
    return {symbol: list(places) for symbol, places in used.items()}
