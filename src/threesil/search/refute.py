"""Refutation: models in which an equation fails."""

from __future__ import annotations

from typing import ClassVar

from threesil.engine import Budget, Found, Network, Status
from threesil.errors import InputError
from threesil.kernel.theory import Problem, Theory
from threesil.search.finite import Finder
from threesil.search.strategy import Strategy


class Refute(Strategy):
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

    def begin(self, problem: Problem, terms: int) -> Refuting:
        return Refuting(Finder(self.theory, [problem], largest=self._size))

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.begin(problem, budget.terms).run(budget)


class Refuting:
    """A search for models under way; it goes on where it stopped."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    def run(self, budget: Budget) -> Found:
        sought = self._finder.run(budget)
        (model,) = sought.models
        if model is None:
            return Found(sought.status, sought.expansions, reason=sought.reason)
        figures = {"size": float(model.tables.size)}
        return Found(Status.REFUTED, sought.expansions, figures=figures, model=model)
