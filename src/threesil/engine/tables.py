"""Finite models by backtracking in the core: tables in which equations hold and terms differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from threesil import _native
from threesil.engine.arrays import np
from threesil.engine.search import Budget, Status
from threesil.kernel.terms import Term

if TYPE_CHECKING:
    from numpy.typing import NDArray

Sides = tuple[Term, Term]
LARGEST = 32  # elements


class TableSearch:
    """The search for tables with n elements for `symbols`, which are given with their arities.

    `equations` are to hold, the sides of `differ` to differ, for all values of their variables.
    The `constants` occur in `differ` alone. Where there are more than `most` instances of them,
    `fits` is false, and there is no search.
    """

    def __init__(
        self,
        symbols: Mapping[str, int],
        n: int,
        equations: Sequence[Sides],
        differ: Sequence[Sides],
        constants: Sequence[str],
        most: int,
    ) -> None:
        arities = {**symbols, **dict.fromkeys(constants, 0)}
        self.n, self._symbols = n, list(arities)
        self._number = {symbol: k for k, symbol in enumerate(arities)}
        wide = max(symbols.values(), default=0) > 255 or n > LARGEST
        self.fits = False
        if not wide:
            hold, apart = ([self._codes(pair) for pair in some] for some in (equations, differ))
            self._native = _native.TableSearch(
                n, list(arities.values()), hold, apart, len(symbols), most
            )
            self.fits = self._native.fits

    def search(
        self, given: Mapping[str, NDArray[np.int8]], nodes: int, budget: Budget
    ) -> tuple[Status, int, dict[str, list[int]]]:
        """(how it ended, values tried, the tables if it found some) with these tables in place."""
        offsets = self._native.offsets
        cells = np.full(offsets[-1], -1, np.int8)
        for symbol, table in given.items():
            at = self._number[symbol]
            cells[offsets[at] : offsets[at + 1]] = table.reshape(-1)
        status, tried, found = self._native.search(cells, nodes, budget.seconds, budget.stop)
        tables = {}
        if status == Status.PROVED:
            for k, symbol in enumerate(self._symbols):
                tables[symbol] = found[offsets[k] : offsets[k + 1]].tolist()
        return Status(status), tried, tables

    def _codes(self, pair: Sides) -> tuple[list[int], list[int]]:
        names: dict[str, int] = {}
        for side in pair:
            for name in side.variables():
                names.setdefault(name, ~len(names))
        left, right = (
            [names[t.head] if t.is_variable else self._number[t.head] for t in side.subterms()]
            for side in pair
        )
        return left, right
