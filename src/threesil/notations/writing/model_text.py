"""Counter-models for people: tables as they are drawn on paper.

 * │ 0 1 2
───┼──────
 0 │ 0 1 2
 1 │ 1 2 0
 2 │ 2 0 1
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threesil.kernel.countermodel import Countermodel
from threesil.notations.tokens import shown_symbol, written
from threesil.notations.writing.model_parts import failure, rows, shown_symbols, slices, structure

_MOST = 64  # tables of one symbol that are drawn


def format_model(model: Countermodel) -> str:
    """The tables, what they are, and where the problem fails."""
    return "\n".join(model_lines(model))


def model_lines(model: Countermodel) -> Iterator[str]:
    n, tables = model.tables.size, model.tables.of
    arities = model.theory.signature.symbols
    drawn, wide = shown_symbols(model)
    constants = [symbol for symbol in drawn if arities[symbol] == 0]
    if constants:
        yield ", ".join(f"{written(c)} = {tables[c][0]}" for c in constants)
    for symbol in (symbol for symbol in drawn if arities[symbol] > 0):
        name = structure(model, symbol)
        yield ""
        yield from _drawn(shown_symbol(symbol), tables[symbol], n, arities[symbol])
        if name:
            yield f"{shown_symbol(symbol)} is {name}"
    if wide:
        yield ""
        yield f"{', '.join(map(shown_symbol, wide))} as defined"
    if model.problem is not None:
        yield ""
        yield f"It fails {failure(model)}" if model.values else f"It fails: {failure(model)}"


def _drawn(symbol: str, table: Sequence[int], n: int, arity: int) -> Iterator[str]:
    width = len(str(n - 1))
    if arity == 1:
        head = f"{symbol}(x)"
        yield from _ruled("x", [str(v) for v in range(n)], [(head, [str(v) for v in table])], width)
        return
    several = slices(table, n, arity)
    for number, (first, square) in enumerate(several[:_MOST]):
        corner = symbol if arity == 2 else f"{symbol}({','.join(map(str, first))},_,_)"
        if number:
            yield ""
        body = [(str(x), [str(v) for v in row]) for x, row in enumerate(rows(square, n))]
        yield from _ruled(corner, [str(v) for v in range(n)], body, width)
    if len(several) > _MOST:
        yield f"and {len(several) - _MOST} more tables of {symbol}"


def _ruled(
    corner: str, heads: list[str], body: list[tuple[str, list[str]]], width: int
) -> Iterator[str]:
    left = max(len(corner), *(len(head) for head, _ in body))

    def line(head: str, cells: list[str]) -> str:
        return f" {head:>{left}} │ {' '.join(f'{cell:>{width}}' for cell in cells)}"

    yield line(corner, heads)
    yield f"{'─' * (left + 2)}┼{'─' * (len(heads) * (width + 1) + 1)}"
    for head, cells in body:
        yield line(head, cells)
