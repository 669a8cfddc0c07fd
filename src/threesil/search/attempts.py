"""Attempts at problems with a trained policy: a greedy episode, sampled ones, a tree search.

Everything that counts as solved has been certified.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from threesil.engine import Batch, Budget, Levin, Limits, Network, Status
from threesil.proof import certify
from threesil.theories import benchmark_of
from threesil.theory import Problem, Theory

_CHUNK = 256


@dataclass(frozen=True)
class Attempt:
    """The outcome on one problem; `seconds` is its share of the time of its batch."""

    name: str
    stratum: str
    solved: bool
    steps: int | None
    attempts: int
    seconds: float


@dataclass(frozen=True)
class Plan:
    """How problems are tried: one greedy attempt first, then what the numbers say.

    `samples` more episodes sampled with `noise`, then a Levin tree search of `expansions`; each
    only for problems that are still unsolved. The step limit is `steps`, or that of the problem's
    stratum, or the theory's.
    """

    greedy: bool = True
    samples: int = 0
    expansions: int = 0
    steps: int | None = None
    seed: int = 0
    noise: float = 0.05
    threads: int = 1


def attempt(
    theory: Theory, problems: Sequence[Problem], network: Network, plan: Plan
) -> Iterator[Attempt]:
    """Tries all problems, in their order."""
    for first in range(0, len(problems), _CHUNK):
        chunk = problems[first : first + _CHUNK]
        limits: dict[int, list[int]] = {}
        for index, problem in enumerate(chunk):
            limits.setdefault(plan.steps or step_limit(theory, problem), []).append(index)
        results: dict[int, Attempt] = {}
        for limit, indices in sorted(limits.items()):
            group = _Group(theory, [chunk[i] for i in indices], network, plan, limit, first)
            results |= dict(zip(indices, group.solve(), strict=True))
        yield from (results[index] for index in range(len(chunk)))


class _Group:
    """Problems with the same step limit."""

    def __init__(
        self,
        theory: Theory,
        problems: Sequence[Problem],
        network: Network,
        plan: Plan,
        steps: int,
        stream: int,
    ) -> None:
        self.theory, self.problems, self.network, self.plan = theory, problems, network, plan
        self.steps, self.stream = steps, stream
        self.batch = Batch(
            theory, problems, len(problems), threads=plan.threads, limits=Limits(steps=steps)
        )
        self.solutions: dict[int, list[int]] = {}
        self.tries = np.zeros(len(problems), dtype=np.int64)

    def solve(self) -> list[Attempt]:
        begin = time.perf_counter()
        if self.plan.greedy:
            self.play(0, greedy=True)
        for number in range(self.plan.samples):
            self.play(number, greedy=False)
        if self.plan.expansions:
            self.search()
        seconds = (time.perf_counter() - begin) / len(self.problems)
        return [
            Attempt(
                problem.name,
                stratum(self.theory, problem),
                index in self.solutions,
                len(self.solutions[index]) if index in self.solutions else None,
                int(self.tries[index]),
                seconds,
            )
            for index, problem in enumerate(self.problems)
        ]

    def waiting(self) -> list[int]:
        return [i for i in range(len(self.problems)) if i not in self.solutions]

    def accept(self, index: int, actions: list[int]) -> None:
        derivation = self.batch.derivation_of(index, actions)
        certify(self.theory, self.problems[index], derivation)
        self.solutions[index] = actions

    def play(self, number: int, *, greedy: bool) -> None:
        """One more episode for each problem that waits."""
        waiting = self.waiting()
        if not waiting:
            return
        played = self.batch.play(
            self.network,
            waiting,
            seed=self.plan.seed,
            stream=self.stream,
            first_episode=number * len(self.problems),
            noise=self.plan.noise,
            greedy=greedy,
        )
        self.tries[waiting] += 1
        for i in np.flatnonzero(played.solved):
            self.accept(waiting[int(i)], played.actions_of(int(i)))

    def search(self) -> None:
        levin = Levin(self.network)
        budget = Budget(self.plan.expansions, seconds=float("inf"))

        def solve(index: int) -> list[int] | None:
            problem = self.problems[index]
            found = levin.solve(problem, budget, steps=self.steps, seed=self.plan.seed)
            return found.actions if found.status is Status.PROVED else None

        waiting = self.waiting()
        self.tries[waiting] += 1
        with ThreadPoolExecutor(self.plan.threads) as pool:
            for index, actions in zip(waiting, pool.map(solve, waiting), strict=True):
                if actions is not None:
                    self.accept(index, actions)


def stratum(theory: Theory, problem: Problem) -> str:
    """The part of the report that a problem is counted in."""
    return benchmark_of(theory).stratum(problem)


def step_limit(theory: Theory, problem: Problem) -> int:
    """The step limit of the problem's stratum, or the theory's."""
    return benchmark_of(theory).steps.get(stratum(theory, problem), theory.step_limit)
