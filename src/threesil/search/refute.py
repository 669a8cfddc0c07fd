"""Refutation: models in which an equation fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from threesil.engine import Budget, Found, Network, Status
from threesil.engine.meter import Meter
from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.search.searcher import SZS_OF, Searcher

if TYPE_CHECKING:
    from threesil.search.finite.finder import Finder


class Refute(Searcher):
    name = "refute"
    about = "models in which the equation fails, no proof"
    existential = True
    shortens = False
    options = ("size",)

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        size: int | None = None,
        smallest: int = 2,
    ) -> None:
        """`size` is that of the largest models."""
        super().__init__(theory, network, seed=seed)
        if size is not None and size < 2:
            raise InputError(f"a model that refutes has 2 elements at least, not {size}")
        self._sizes: dict[str, Any] = {"largest": size, "smallest": smallest}

    def begin(self, problem: Problem, terms: int) -> Refuting:
        return Refuting(self._finder([problem]))

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.begin(problem, budget.terms).run(budget)

    def solve_any(self, problems: Sequence[Problem], budget: Budget) -> Outcome:
        return self.together(problems).run(budget)

    def together(self, problems: Sequence[Problem]) -> Together:
        """A search for one model in which all the problems fail."""
        return Together(self._finder(problems, together=True), problems)

    def _finder(self, problems: Sequence[Problem], together: bool = False) -> Finder:
        from threesil.search.finite.finder import Finder

        return Finder(self.theory, problems, together=together, **self._sizes)


class Refuting:
    """A search for models under way; it resumes where it stopped."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    def run(self, budget: Budget) -> Found:
        sought = self._finder.run(budget)
        (model,) = sought.models
        if model is None:
            return Found(sought.status, sought.expansions, reason=sought.reason)
        figures = {"size": float(model.tables.size)}
        return Found(Status.REFUTED, sought.expansions, figures=figures, model=model)


class Together:
    """A search for one model in which several goals fail; it resumes where it stopped."""

    def __init__(self, finder: Finder, problems: Sequence[Problem]) -> None:
        self._finder, self._problems = finder, problems

    def run(self, budget: Budget) -> Outcome:
        """The outcome of the first goal, with those of all goals as its parts."""
        meter = Meter(budget)
        sought = self._finder.run(budget)
        status, seconds = SZS_OF.get(sought.status, SZS.GAVE_UP), meter.seconds
        parts = tuple(
            Outcome(problem, status, seconds, seconds, by=Refute.name, reason=sought.reason)
            if model is None
            else Outcome(
                problem, SZS.COUNTER_SATISFIABLE, seconds, seconds, by=Refute.name, model=model
            )
            for problem, model in zip(self._problems, sought.models, strict=True)
        )
        return replace(parts[0], parts=parts)
