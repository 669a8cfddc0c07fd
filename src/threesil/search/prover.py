"""Proving equations one after the other with a strategy that stays warm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from threesil.engine import Budget, Guided, Stop
from threesil.kernel.outcome import Outcome, Turn
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.problems import parse_problem
from threesil.search.best import Unguided
from threesil.search.strategies import (
    AnyModel,
    default_strategy,
    make_strategy,
    model_for,
    strategy_named,
)
from threesil.search.translated import Translated
from threesil.theories import get_theory


class Prover:
    """Keeps the engine and the model warm and proves one equation after the other.

    `mode` names a strategy; without it, that for the theory's kind of goals is taken. `model` is a
    model, a run's directory or a file; without it, the bundled model of the theory is used if there
    is one. Budgets in expansions and `seed` make the outcome repeatable.
    """

    def __init__(
        self,
        theory: str | Path | Theory = "aim",
        *,
        mode: str | None = None,
        model: str | Path | AnyModel | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.theory = get_theory(theory)
        self.mode = mode = mode or default_strategy(self.theory)
        self.seed = seed
        self.model = model_for(strategy_named(mode), self.theory, model)
        self.strategy = make_strategy(mode, self.theory, model=self.model, seed=seed, **options)

    @property
    def guided(self) -> Guided | Translated | None:
        """The learned search over terms, if there is a model, and equations to prove."""
        if self.theory.goal is not Goal.EQUATION:
            return None
        strategy = self.strategy.guided if isinstance(self.strategy, Unguided) else self.strategy
        if isinstance(strategy, Translated):
            return strategy
        network = self.strategy.network
        return Guided(self.theory, network) if network else None

    def prove(
        self,
        problem: str | Problem,
        *,
        seconds: float = 60.0,
        expansions: int | None = None,
        stop: Stop | None = None,
        progress: Callable[[Turn], None] | None = None,
    ) -> Outcome:
        """Looks for a proof for so many CPU seconds, or expansions of the search.

        `progress` hears of each turn of a schedule when it begins, and when it has ended.
        """
        if isinstance(problem, str):
            problem = parse_problem(problem, self.theory)
        return self.strategy.prove(
            problem, Budget(expansions, seconds, stop=stop, progress=progress)
        )

    def prove_all(
        self,
        problems: Iterable[str | Problem],
        *,
        seconds: float = 60.0,
        expansions: int | None = None,
    ) -> Iterator[Outcome]:
        """The outcomes of many problems, in their order, as they come."""
        for problem in problems:
            yield self.prove(problem, seconds=seconds, expansions=expansions)


def prove(equation: str, *, theory: str | Path | Theory = "aim", seconds: float = 60.0) -> Outcome:
    """Proves one equation: `.status`, `.proof`, `.seconds`. A `Prover` is faster for many."""
    return Prover(theory).prove(equation, seconds=seconds)
