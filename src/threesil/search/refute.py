"""Refutation: models in which an equation fails, alone or in turns with the search for a proof."""

from __future__ import annotations

import math
from typing import ClassVar, Final

from threesil.engine import Budget, Found, Network, Status
from threesil.errors import InputError
from threesil.models import Finder
from threesil.search.meter import Meter
from threesil.search.strategy import Strategy
from threesil.theory import Problem, Theory

_TENTH: Final = 0.1  # of the time, as long as there may be a proof
_HALF: Final = 0.5  # once completion has nothing left to try
_FIRST: Final = 0.005  # seconds that the first turn may take, however short the search was
_LEAST: Final = 0.01  # seconds of a later turn


class Refute(Strategy):
    """Looks for models; asked for the same problem again, it goes on where it stopped."""

    name: ClassVar = "refute"
    about: ClassVar = "models in which the equation fails, no proof"
    existential: ClassVar = True
    shortens: ClassVar = False
    options: ClassVar = ("size",)

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        size: int | None = None,
    ) -> None:
        """`size` is that of the largest models."""
        super().__init__(theory, network, seed=seed)
        if size is not None and size < 2:
            raise InputError(f"a model that refutes has 2 elements at least, not {size}")
        self._size = size
        self._problem: Problem | None = None
        self._finder: Finder | None = None

    def search(self, problem: Problem, budget: Budget) -> Found:
        if self._finder is None or self._problem is not problem:
            self._finder = Finder(self.theory, [problem], largest=self._size)
            self._problem = problem
        sought = self._finder.run(budget)
        (model,) = sought.models
        if model is None:
            return Found(sought.status, sought.expansions, reason=sought.reason)
        self._finder = self._problem = None
        figures = {"size": float(model.tables.size)}
        return Found(Status.REFUTED, sought.expansions, figures=figures, model=model)


class Share:
    """What models get of the time of a schedule that `meter` counts."""

    def __init__(self, refute: Refute | None, problem: Problem, meter: Meter) -> None:
        self._refute, self._problem, self._meter = refute, problem, meter
        self._share = _TENTH
        self._seconds = 0.0
        self._expansions = 0

    def grow(self) -> None:
        """A proof has become improbable."""
        self._share = _HALF

    def take(self) -> Found | None:
        """A turn of the finder, if it is due; what refutes the problem."""
        meter = self._meter
        if math.isfinite(meter.budget.expansions):  # counts alone decide
            due = self._share * meter.expansions - self._expansions
            found = self._turn(expansions=due) if due >= 1 else None
        elif self._seconds == 0.0:
            found = self._turn(seconds=_FIRST)
        else:
            due = self._share * meter.seconds - self._seconds
            found = self._turn(seconds=due) if due >= _LEAST else None
        return found if found is not None and found.model is not None else None

    def rest(self) -> Found | None:
        """How it ends with all that is left, for no search has anything to try any more."""
        return self._turn()

    def _turn(self, expansions: float = math.inf, seconds: float = math.inf) -> Found | None:
        if self._refute is None:
            return None
        before = self._meter.seconds
        found = self._refute.search(self._problem, self._meter.left(expansions, seconds))
        self._meter.turn(self._refute.name, found)
        self._seconds += self._meter.seconds - before
        self._expansions += found.expansions
        if found.status is Status.EXHAUSTED:
            self._refute = None
        return found
