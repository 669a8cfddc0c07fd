"""What is left of a budget while a strategy spends it: CPU seconds of this thread, expansions."""

from __future__ import annotations

import time
from dataclasses import replace

from threesil.engine import Budget, Status


class Meter:
    """Counts what is spent of `budget` from now on."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.expansions = 0
        self._begin = time.thread_time()

    @property
    def seconds(self) -> float:
        """CPU seconds spent so far."""
        return time.thread_time() - self._begin

    @property
    def spent(self) -> Status | None:
        """The limit that has been reached, if one has."""
        limit = self.budget.expansions
        if limit is not None and self.expansions >= limit:
            return Status.EXPANSIONS
        if self.seconds >= self.budget.seconds:
            return Status.SECONDS
        stop = self.budget.stop
        return Status.STOPPED if stop is not None and stop.is_set() else None

    def left(self, expansions: int | None = None, seconds: float = float("inf")) -> Budget:
        """What is left, and of that no more than the given."""
        limit = self.budget.expansions
        if limit is not None:
            rest = max(0, limit - self.expansions)
            expansions = rest if expansions is None else min(expansions, rest)
        rest_seconds = max(0.0, self.budget.seconds - self.seconds)
        return replace(self.budget, expansions=expansions, seconds=min(seconds, rest_seconds))
