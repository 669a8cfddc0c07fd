"""One size: models with n elements that refute a goal, by a SAT solver.

The solver is CaDiCaL (Biere and others 2024) from the package python-sat. It is asked again and
again for a few conflicts, so that a search ends soon after it has to; for more of them as the
search grows old, for every call makes the solver begin at the root.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from importlib import import_module
from types import ModuleType

import numpy as np

from threesil.search.finite.divisions import divisions
from threesil.search.finite.encoding import Encoding, TooLarge, lists
from threesil.search.finite.task import ModelTask

MISSING = "larger models need the package python-sat: pip install python-sat"
_MOST = 2_000_000  # clauses of one size
_CONFLICTS = 200  # in the first calls
_MOST_CONFLICTS = 2000  # in one call, and
_AT_ONCE = 40_000_000  # clauses times conflicts: a call can't be interrupted
_SHARE = 4  # the part of all conflicts so far that the next call may take
_CLAUSES = 50  # that count as much as a conflict


class Answer(Enum):
    """How a size stands."""

    OPEN = "open"
    MODEL = "model"
    NONE = "none"
    TOO_LARGE = "too large"


class NoSolver(Exception):
    """The package python-sat is not installed."""


class SizeSearch:
    """The search for models of one size; it resumes where it stopped.

    `work` counts conflicts, and clauses that were made: the same in every run.
    """

    def __init__(self, task: ModelTask, n: int) -> None:
        self.n, self.work = n, 0
        self._conflicts = self._clauses = 0
        self.model: Mapping[str, list[int]] = {}
        self._task = task
        self._solver = _Solver()
        self._encoding: Encoding | None = None
        self._steps: Iterator[None] | None = self._encode()
        self._fails: list[int] = []  # of each goal: a boolean that says it does

    def run(self, goals: Collection[int], work: int, enough: Callable[[], bool]) -> Answer:
        """Looks for a model that refutes one of these goals until so much work is done."""
        last = self.work + work
        try:
            while self._steps is not None:
                if next(self._steps, self) is self:
                    self._steps = None
                elif self.work >= last or enough():
                    return Answer.OPEN
        except TooLarge:
            self.close()
            return Answer.TOO_LARGE
        only = [-fails for at, fails in enumerate(self._fails) if at not in goals]
        while self.work < last and not enough():
            most = min(_MOST_CONFLICTS, _AT_ONCE // (1 + self._clauses))
            conflicts = max(_CONFLICTS, min(self._conflicts // _SHARE, most))
            found = self._solver.solve(only, conflicts)
            self._conflicts += conflicts
            self.work += conflicts
            if found is not None:
                self.model = self._read() if found else {}
                return Answer.MODEL if found else Answer.NONE
        return Answer.OPEN

    def close(self) -> None:
        """Frees what the solver holds."""
        self._solver.close()
        self._encoding = None

    def _encode(self) -> Iterator[None]:
        task = self._task
        symbols = {**task.symbols, **dict.fromkeys(task.constants, 0)}
        found, equations = divisions(symbols, task.equations)
        encoding = self._encoding = Encoding(symbols, self.n, _MOST, found)
        encoding.number_in_order({symbol: symbols[symbol] for symbol in self._order()})
        yield from self._hand_over()
        for lhs, rhs in equations:
            yield from encoding.prepare(lhs, rhs)
            encoding.hold(lhs, rhs)
            yield from self._hand_over()
        for goal in task.goals:
            self._fails.append(encoding.new())
            if goal is not None:
                yield from encoding.prepare(*goal)
                encoding.differ(*goal, when=self._fails[-1])
            yield from self._hand_over()
        if task.together:
            for fails in self._fails:
                encoding.clause([fails])
        else:
            encoding.clause(self._fails)
        yield from self._hand_over()

    def _order(self) -> list[str]:
        """The symbols, the one that the equations speak of most often first."""
        task = self._task
        terms = (t for sides in task.equations for side in sides for t in side.distinct())
        count = Counter(t.head for t in terms if not t.is_variable)
        return sorted((*task.symbols, *task.constants), key=lambda symbol: -count[symbol])

    def _hand_over(self) -> Iterator[None]:
        assert self._encoding is not None
        for clauses in lists(self._encoding.take()):
            self._solver.add(clauses)
            self._clauses += len(clauses)
            self.work += 1 + len(clauses) // _CLAUSES
            yield

    def _read(self) -> dict[str, list[int]]:
        assert self._encoding is not None
        true = np.array([0, *self._solver.solution()], np.int64) > 0
        return {
            symbol: true[self._encoding.cells[symbol]].argmax(-1).reshape(-1).tolist()
            for symbol in self._task.symbols
        }


class _Solver:
    """CaDiCaL, as the compiled part of python-sat gives it to us.

    The package's own classes let the solver take the signal of Ctrl-C and jump out of it; here
    Python notices it when a call returns.
    """

    def __init__(self) -> None:
        self._pysat = _library()
        self._handle: object = self._pysat.cadical195_new()

    def add(self, clauses: list[list[int]]) -> None:
        add, handle = self._pysat.cadical195_add_cl, self._handle
        for clause in clauses:
            add(handle, clause)

    def solve(self, assumed: list[int], conflicts: int) -> bool | None:
        """Whether there is a solution; None if so many conflicts don't decide it."""
        self._pysat.cadical195_cbudget(self._handle, conflicts)
        found: int = self._pysat.cadical195_solve_lim(self._handle, assumed, 0)
        return None if found == 0 else found > 0

    def solution(self) -> list[int]:
        """A literal for each boolean."""
        found: list[int] = self._pysat.cadical195_model(self._handle)
        return found

    def close(self) -> None:
        if self._handle is not None:
            self._pysat.cadical195_del(self._handle, None)
            self._handle = None

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self.close()


def _library() -> ModuleType:
    try:
        return import_module("pysolvers")
    except ImportError:
        raise NoSolver(MISSING) from None
