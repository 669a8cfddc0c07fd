"""What is left of a budget while a search spends it: CPU seconds of this thread, expansions."""

from __future__ import annotations

import math
import time
from dataclasses import replace

from threesil.engine.search import Budget, Found, Status
from threesil.kernel.outcome import RUNNING, Turn


class Meter:
    """Counts what is spent of `budget` from now on, in turns where several spend it."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.expansions = 0
        self.turns: list[Turn] = []
        self._begin = time.thread_time()
        self._last = 0.0  # seconds when the last turn ended

    @property
    def seconds(self) -> float:
        """CPU seconds spent so far."""
        return time.thread_time() - self._begin

    @property
    def spent(self) -> Status | None:
        """The limit that has been reached, if one has."""
        if self.expansions >= self.budget.expansions:
            return Status.EXPANSIONS
        if self.seconds >= self.budget.seconds:
            return Status.SECONDS
        stop = self.budget.stop
        return Status.STOPPED if stop is not None and stop.is_set() else None

    def left(self, expansions: float = math.inf, seconds: float = math.inf) -> Budget:
        """What is left, and of that no more than the given."""
        budget = self.budget
        return Budget(
            min(expansions, max(0, budget.expansions - self.expansions)),
            min(seconds, max(0.0, budget.seconds - self.seconds)),
            budget.terms,
            budget.stop,
            whole=max(0.0, budget.whole - self.seconds),
        )

    def begin(self, solver: str) -> None:
        """A search's turn begins; the budget's listener is called."""
        if self.budget.progress is not None:
            self.budget.progress(Turn(solver, 0.0, 0, RUNNING))

    def turn(self, solver: str, found: Found) -> Turn:
        """A search's turn has ended with this; the budget's listener is called."""
        self.expansions += found.expansions
        begin, self._last = self._last, self.seconds
        status = found.status.name.lower()
        turn = Turn(solver, self._last - begin, found.expansions, status, found.figures)
        self.turns.append(turn)
        if self.budget.progress is not None:
            self.budget.progress(turn)
        return turn

    def total(self, found: Found) -> Found:
        """What was found last, with all the expansions and turns."""
        return replace(found, expansions=self.expansions, turns=tuple(self.turns))
