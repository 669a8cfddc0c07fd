"""The finder: models of a theory in which problems fail, the smallest sizes first.

The quick way comes first; where it takes long, it continues in short turns beside the solver. There
sizes take turns, so that one whose last models can't be ruled out does not keep the next from its
turn: a size that is one larger has half as much work. Every model is tried on all problems that
are still open, and certified.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from threesil.engine import Budget, Status
from threesil.kernel.countermodel import Countermodel, NotAModel
from threesil.kernel.outcome import OUT_OF_MEMORY
from threesil.kernel.theory import Problem, Theory
from threesil.search.finite.quick import Found, Quick
from threesil.search.finite.sat import MISSING, Answer, NoSolver, SizeSearch
from threesil.search.finite.task import ModelTask

LARGEST = 60  # elements
_GROWTH = 2.0
_OPENING = 200  # work that a size which nobody has looked at counts as
_TURN = 1000  # work of a turn at least
_QUICK = 0.3  # seconds of the quick way before the solver has its first turn
_SHARE = 0.5  # of the solver's time that it has from then on


@dataclass(frozen=True)
class Sought:
    """What came of a search: a counter-model or None for each problem, and why it ended.

    `status` is PROVED if all are refuted. `expansions` counts the work of this run. `excluded`:
    there are no more models of the sizes that were asked for.
    """

    models: tuple[Countermodel | None, ...]
    status: Status
    reason: str = ""
    expansions: int = 0
    excluded: bool = False


class Finder:
    """A search for models under way: it can be given time again and again.

    A problem that is None is refuted by any model with two elements or more. `together`: one
    model is to refute all problems, so that none of several goals has a proof.
    """

    def __init__(
        self,
        theory: Theory,
        problems: Sequence[Problem | None],
        *,
        smallest: int = 2,
        largest: int | None = None,
        together: bool = False,
    ) -> None:
        self.theory = theory
        self.models: list[Countermodel | None] = [None] * len(problems)
        self._task = ModelTask(theory, tuple(problems), together)
        self._smallest, self._largest = max(2, smallest), largest or LARGEST
        self._full = False  # it ran out of memory
        self._begin()

    def _begin(self) -> None:
        self._budget = Budget()
        quick = Quick(self._task, self._smallest, self._largest)
        self._quick: Iterator[Found | None] | None = quick.tries(
            lambda: self.left, lambda: self._budget
        )
        self._next = self._smallest
        self._open: dict[int, SizeSearch] = {}
        self._end = ""  # why no size is left
        self._excluded = False  # because none of them has a model
        self._ahead = 0.0  # seconds that the quick way had more than the solver
        self._alone = False  # there is nothing left for the solver to do

    @property
    def left(self) -> list[int]:
        """The places of the problems that no model refutes yet."""
        return [place for place, model in enumerate(self.models) if model is None]

    def run(self, budget: Budget) -> Sought:
        """Resumes where it stopped; it has ended if memory ran out."""
        if not self._full:
            try:
                return self._run(budget)
            except MemoryError:
                self._full = True
            for size in self._open.values():
                size.close()
            self._open.clear()
            self._quick = None
        return Sought(tuple(self.models), Status.MEMORY, OUT_OF_MEMORY)

    def _run(self, budget: Budget) -> Sought:
        begin, work, stop = time.thread_time(), 0, budget.stop

        def enough() -> bool:
            late = time.thread_time() - begin >= budget.seconds
            return late or (stop is not None and stop.is_set())

        def sought(status: Status, reason: str = "") -> Sought:
            return Sought(tuple(self.models), status, reason, work)

        while self.left:
            if stop is not None and stop.is_set():
                return sought(Status.STOPPED)
            if work >= budget.expansions:
                return sought(Status.EXPANSIONS)
            if enough():
                return sought(Status.SECONDS)
            now = time.thread_time()
            timed = math.isfinite(budget.seconds)  # else the order must not depend on the clock
            if self._quick and not (timed and self._ahead > _QUICK and not self._alone):
                self._quick_try(Budget(None, budget.seconds - now + begin, stop=stop))
                self._ahead += time.thread_time() - now
                work += 1
                continue
            if self._alone:
                return replace(sought(Status.EXHAUSTED, self._end), excluded=self._excluded)
            search = self._chosen()
            if search is None:
                self._alone = True
                continue
            before = search.work
            turn = min(max(_TURN, before // 2), budget.expansions - work)
            self._turn(search, math.ceil(turn), enough)
            self._ahead -= _SHARE * (time.thread_time() - now)
            work += search.work - before
        return sought(Status.PROVED)

    def _quick_try(self, budget: Budget) -> None:
        """One more of the tables that are worth a try."""
        assert self._quick is not None
        self._budget = budget
        found = next(self._quick, self)
        if isinstance(found, Finder):
            self._quick = None
        elif found is not None:
            self._try(*found)

    def _chosen(self) -> SizeSearch | None:
        """The size whose turn it is; None if there is none, and `_end` says why."""

        def due(n: int) -> float:
            work = self._open[n].work if n in self._open else 0
            return float((work + _OPENING) * _GROWTH**n)

        sizes = [*self._open, *([self._next] if self._next <= self._largest else [])]
        if not sizes:
            self._excluded = not self._end
            none = f"no model with at most {self._largest} elements refutes it"
            self._end = f"{none}; {self._end}" if self._end else none
            return None
        n = min(sizes, key=due)
        if not self._task.fits(n):
            self._shut(n)
            return self._chosen()
        if n not in self._open:
            try:
                self._open[n] = SizeSearch(self._task, n)
            except NoSolver:
                self._end = MISSING
                return None
            self._next += 1
        return self._open[n]

    def _turn(self, search: SizeSearch, work: int, enough: Callable[[], bool]) -> None:
        answer = search.run(self.left, work, enough)
        n = search.n
        if answer is Answer.MODEL:
            self._try(n, search.model)
        elif answer is Answer.NONE:
            self._open.pop(n).close()
        elif answer is Answer.TOO_LARGE:
            self._open.pop(n).close()
            self._shut(n)

    def _shut(self, n: int) -> None:
        """Size n is too large, and so are those above it."""
        for size in [size for size in self._open if size >= n]:
            self._open.pop(size).close()
        self._largest = n - 1
        self._end = f"models with {n} elements or more do not fit into memory"

    def _try(self, n: int, found: Mapping[str, Sequence[int]]) -> None:
        """A model on all problems; if a known equation fails in it, these are looked at too."""
        tables = self._task.complete(n, found)
        try:
            for place, model in self._task.refuted(tables, self.left).items():
                self.models[place] = model
        except NotAModel:
            if self._task.known:
                raise
            self._task = replace(self._task, known=True)
            self._begin()


def find(
    theory: Theory,
    problems: Sequence[Problem | None],
    budget: Budget,
    *,
    smallest: int = 2,
    largest: int | None = None,
    together: bool = False,
) -> Sought:
    """Looks for models of the theory that refute the problems, within the budget."""
    finder = Finder(theory, problems, smallest=smallest, largest=largest, together=together)
    return finder.run(budget)
