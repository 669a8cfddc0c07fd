"""Solvers: one protocol for everything that tries a problem.

Our searches, other people's provers, teams of these and the schedule are solvers. Each has a name
and a theory, and `solve` tries one problem within a budget and says what came of it. What it
proves is certified; what it only claims, the outcome calls a claim.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from threesil.engine import Budget, Stopped
from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import SZS, Outcome, Turn, failure
from threesil.kernel.proof import Derivation
from threesil.kernel.theory import Problem, Theory

Progress = Callable[[Turn], None]
"""is called when a turn of a search begins, and when it has ended"""
CERTIFIED: Final = "certified by the kernel"


@dataclass(frozen=True)
class Facts:
    """What a solver is. `options` and the digest of the `weights` decide whether it is the same.

    `about` is what a report says of it: `version`, `command`, `proofs`.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    weights: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)


class Explorer(Protocol):
    """A learned search that walks from a goal to other terms."""

    def explore(
        self, problem: Problem, budget: Budget, *, count: int, seed: int = 0
    ) -> list[tuple[Derivation, float]]:
        """Paths from the sides of a goal, and the logarithms of their probabilities."""


class Solver(ABC):
    """Tries problems of one theory; it keeps what is slow to make.

    `note` is for the user: anything unexpected about it. `in_process`: it works inside the process
    that asks, which therefore bears the limit on memory. `untrained`: it would use weights of the
    theory, but there are none. `explorer` finds lemmas, if the solver has learned how.
    """

    name: str
    theory: Theory
    note: str = ""
    in_process: bool = True
    untrained: bool = False

    @property
    def explorer(self) -> Explorer | None:
        return None

    @abstractmethod
    def solve(self, problem: Problem, budget: Budget) -> Outcome:
        """Tries within the budget; a lack of memory is an outcome too."""

    def solve_all(self, problems: Iterable[Problem], budget: Budget) -> Iterator[Outcome]:
        """The outcomes of many problems, in their order, as they come; each has the budget."""
        for problem in problems:
            yield self.solve(problem, budget)

    def solve_any(self, problems: Sequence[Problem], budget: Budget) -> Outcome:
        """Tries several goals of which one is enough: one after the other, each with its share.

        The outcome is that of the goal that was proved, or of the last one. What refutes one goal
        says nothing about the others.
        """
        seconds = budget.seconds / len(problems)
        share = replace(budget, seconds=seconds, whole=seconds)
        claim = None
        for problem in problems:
            outcome = self.solve(problem, share)
            if outcome.proved:
                return outcome
            if claim is None and outcome.status is SZS.THEOREM:
                claim = outcome
        if claim is not None:
            return claim
        if not outcome.refuted:
            return outcome
        reason = "a goal fails, but that does not show whether all can fail together"
        return replace(outcome, status=SZS.GAVE_UP, system=None, model=None, reason=reason)

    @abstractmethod
    def facts(self, seconds: float) -> Facts:
        """What it is, where a problem has so many seconds."""


def solve_each(
    make: Callable[[], Solver], problems: Sequence[Problem], budget: Budget, by: str
) -> Iterator[Outcome]:
    """An outcome for each problem, in their order, whatever happens to the solver.

    What nobody expected is an error of one problem: if several were under way, each that has no
    outcome yet is tried by itself. `make` gives a solver, another one after a failure. What is
    wrong with what the user gave comes through.
    """
    done = 0
    begin = time.thread_time()
    try:
        for outcome in make().solve_all(problems, budget):
            done += 1
            yield outcome
            begin = time.thread_time()
        return
    except (InputError, MissingTool, Stopped):
        raise
    except Exception as error:
        failed = error
    if len(problems) == 1:
        yield failure(problems[0], failed, by, time.thread_time() - begin)
        return
    for problem in problems[done:]:
        yield from solve_each(make, [problem], budget, by)
