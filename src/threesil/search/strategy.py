"""Strategies: one protocol for all ways to solve a problem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import ClassVar

from threesil.engine import Budget
from threesil.errors import InputError
from threesil.nets.model import Model
from threesil.outcome import Outcome
from threesil.theory import Goal, Problem, Theory


class Need(StrEnum):
    """Whether a strategy wants a trained model."""

    NEVER = "never"
    IF_ANY = "if any"
    ALWAYS = "always"


class Strategy(ABC):
    """A way to solve problems of one theory; `options` names the keywords that it takes."""

    name: ClassVar[str]
    about: ClassVar[str]
    needs_model: ClassVar[Need] = Need.NEVER
    goals: ClassVar[frozenset[Goal]] = frozenset({Goal.EQUATION})
    options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, theory: Theory, model: Model | None, *, seed: int = 0) -> None:
        if theory.goal not in self.goals:
            known = ", ".join(sorted(goal.value for goal in self.goals))
            message = f"strategy {self.name} is for goals of the kind {known}"
            raise InputError(f"{message}; that of {theory.name} is {theory.goal.value}")
        self.theory, self.model, self.seed = theory, model, seed

    @abstractmethod
    def prove(self, problem: Problem, budget: Budget) -> Outcome:
        """Looks for a proof within the budget."""

    def prove_all(self, problems: Iterable[Problem], budget: Budget) -> Iterator[Outcome]:
        """The outcomes of many problems, in their order, as they come; each has the budget."""
        for problem in problems:
            yield self.prove(problem, budget)
