"""The quick way to models: all of the smallest sizes, and tables that are worth a try.

With two and three elements all tables are gone through, by backtracking. For the sizes after these
one binary symbol is given the tables of `families` in turn, and the others are solved for: where
they are determined by it, such as inverses or divisions, that takes no search at all. Everything
here runs in the core, most of it in microseconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from threesil.engine import Budget
from threesil.engine.tables import TableSearch
from threesil.kernel.terms import Term
from threesil.search.finite import lattices
from threesil.search.finite.divisions import divisions
from threesil.search.finite.families import LARGEST, Table, families
from threesil.search.finite.task import ModelTask

_EXHAUSTED = 3  # elements of the largest tables that are all gone through
_SAMPLE = 32  # instances of an equation that tell which tables are plausible
_NODES = 20_000  # values that are tried for a size
_NODES_GIVEN = 2000  # where one table is given
_LAWS = 400_000  # instances of equations that are looked at
_BASES = 2  # symbols that tables are given to
_GOALS = 20  # problems that each have a search of their own

Found = tuple[int, Mapping[str, Sequence[int]]]


class Quick:
    """What can be found quickly, a try at a time."""

    def __init__(self, task: ModelTask, smallest: int, largest: int) -> None:
        self._task = task
        self._smallest, self._largest = smallest, largest
        self._bases = _bases(task)
        self._idle = _idle(task)
        self._ordered: dict[str, bool] = {}  # whether a symbol may be the meet of lattices

    def tries(
        self, left: Callable[[], list[int]], budget: Callable[[], Budget]
    ) -> Iterator[Found | None]:
        """A model, or None, after each try; `left` are the problems that are still open."""
        for n in range(self._smallest, min(LARGEST, self._largest) + 1):
            for goals in self._goals(left()):
                search = self._search(n, goals)
                if search is None:
                    return
                if n <= _EXHAUSTED:
                    _, _, tables = search.search({}, _NODES, budget())
                    yield (n, tables) if tables else None
                    continue
                for symbol, table in self._given(n):
                    _, _, tables = search.search({symbol: table}, _NODES_GIVEN, budget())
                    yield (n, tables) if tables else None
                    if tables:
                        break

    def _given(self, n: int) -> Iterator[tuple[str, Table]]:
        """Tables with n elements, and the symbols that they are given to."""
        tables = families(n, len(self._task.symbols) == 1)
        for symbol in self._bases:
            yield from ((symbol, tables[k]) for k in self._plausible(symbol, n))
        if n <= lattices.LARGEST:
            for symbol in filter(self._may_be_a_meet, self._bases):
                yield from ((symbol, table) for table in lattices.lattices(n))

    def _plausible(self, symbol: str, n: int) -> Sequence[int]:
        """The families' tables in which instances of what is said of the symbol alone hold."""
        tables = np.array(families(n, len(self._task.symbols) == 1))
        left = np.arange(len(tables))
        random = np.random.default_rng(n)
        for sides in self._task.equations:
            heads = {t.head for side in sides for t in side.distinct() if not t.is_variable}
            if heads != {symbol}:
                continue
            names = {t.head for side in sides for t in side.distinct() if t.is_variable}
            values = {
                name: random.integers(n, size=_SAMPLE, dtype=np.int8) for name in sorted(names)
            }
            lhs, rhs = (_evaluated(side, tables[left], values) for side in sides)
            left = left[(lhs == rhs).all(axis=1)]
        return list(left)

    def _may_be_a_meet(self, symbol: str) -> bool:
        """Whether a chain of four elements is a model."""
        if symbol not in self._ordered:
            search = self._search(4, ())
            chain = np.minimum.outer(range(4), range(4)).astype(np.int8)
            found = search and search.search({symbol: chain}, _NODES_GIVEN, Budget(None, 1.0))
            self._ordered[symbol] = bool(found and found[2])
        return self._ordered[symbol]

    def _goals(self, left: list[int]) -> list[tuple[int, ...]]:
        """The problems that one model is to refute."""
        if self._task.together:
            return [tuple(left)]
        return [(place,) for place in left[:_GOALS]]

    def _search(self, n: int, goals: Sequence[int]) -> TableSearch | None:
        task = self._task
        differ = [goal for goal in (task.goals[place] for place in goals) if goal is not None]
        if not task.fits(n):
            return None
        symbols = {s: arity for s, arity in task.symbols.items() if s not in self._idle}
        constants = (*self._idle, *task.constants)
        search = TableSearch(symbols, n, task.equations, differ, constants, _LAWS)
        return search if search.fits else None


def _evaluated(
    term: Term, tables: npt.NDArray[np.int8], values: Mapping[str, npt.NDArray[np.int8]]
) -> npt.NDArray[np.int8]:
    """What a term in one binary symbol is in each of the tables (rows), for each of the values."""
    rows = np.arange(len(tables))[:, None]

    def combine(part: Term, args: tuple[npt.NDArray[np.int8], ...]) -> npt.NDArray[np.int8]:
        return tables[rows, args[0], args[1]] if args else values[part.head][None, :]

    return np.broadcast_to(term.fold(combine), (len(tables), _SAMPLE))


def _bases(task: ModelTask) -> list[str]:
    """The binary symbols that the equations speak of most; divisions follow from another."""
    divided, _ = divisions(task.symbols, task.equations)
    terms = (t for sides in task.equations for side in sides for t in side.subterms())
    count = Counter(t.head for t in terms if len(t.args) == 2)
    return [symbol for symbol, _ in count.most_common() if symbol not in divided][:_BASES]


def _idle(task: ModelTask) -> list[str]:
    """The constants that no equation speaks of: only the goals do."""
    spoken = {t.head for sides in task.equations for side in sides for t in side.distinct()}
    return [symbol for symbol, arity in task.symbols.items() if not arity and symbol not in spoken]
