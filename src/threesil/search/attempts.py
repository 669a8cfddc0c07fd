"""Whole episodes as attempts at problems: one greedy attempt, or sampled ones until solved.

Everything that counts as solved has been certified.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from threesil.engine import Batch, Limits, Network
from threesil.proof import certify
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


def attempt(
    theory: Theory,
    problems: Sequence[Problem],
    network: Network,
    *,
    greedy: bool,
    attempts: int = 1,
    steps: int | None = None,
    seed: int = 0,
    noise: float = 0.05,
    threads: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Attempt]:
    """Tries each problem greedily, or up to `attempts` times by sampling.

    The step limit is `steps`, or that of the problem's stratum, or the theory's.
    """
    for first in range(0, len(problems), _CHUNK):
        chunk = problems[first : first + _CHUNK]
        limits: dict[int, list[int]] = {}
        for index, problem in enumerate(chunk):
            limits.setdefault(steps or step_limit(theory, problem), []).append(index)
        results: list[Attempt | None] = [None] * len(chunk)
        for limit, indices in sorted(limits.items()):
            group = [chunk[i] for i in indices]
            batch = Batch(
                theory, group, min(len(group), _CHUNK), threads=threads, limits=Limits(steps=limit)
            )
            found = _solve(theory, group, batch, network, greedy, attempts, seed, noise, first)
            for index, outcome in zip(indices, found, strict=True):
                results[index] = outcome
        for result in results:
            assert result is not None
            yield result
        progress(first + len(chunk))


def _solve(
    theory: Theory,
    problems: Sequence[Problem],
    batch: Batch,
    network: Network,
    greedy: bool,
    attempts: int,
    seed: int,
    noise: float,
    stream: int,
) -> list[Attempt]:
    begin = time.perf_counter()
    shortest: dict[int, list[int]] = {}
    tries = np.zeros(len(problems), dtype=np.int64)
    waiting = np.arange(len(problems))
    for number in range(1 if greedy else attempts):
        played = batch.play(
            network,
            waiting,
            seed=seed,
            stream=stream,
            first_episode=number * len(problems),
            noise=noise,
            greedy=greedy,
        )
        tries[waiting] += 1
        for i in np.flatnonzero(played.solved):
            problem, actions = int(waiting[i]), played.actions_of(int(i))
            certify(theory, problems[problem], batch.derivation_of(problem, actions))
            shortest[problem] = actions
        waiting = waiting[~played.solved]
        if not len(waiting):
            break
    seconds = (time.perf_counter() - begin) / len(problems)
    return [
        Attempt(
            problem.name,
            stratum(theory, problem),
            index in shortest,
            len(shortest[index]) if index in shortest else None,
            int(tries[index]),
            seconds,
        )
        for index, problem in enumerate(problems)
    ]


def stratum(theory: Theory, problem: Problem) -> str:
    """The part of the report that a problem is counted in."""
    return theory.benchmark.stratum(problem) if theory.benchmark else "all"


def step_limit(theory: Theory, problem: Problem) -> int:
    """The step limit of the problem's stratum, or the theory's."""
    if theory.benchmark is None:
        return theory.step_limit
    return theory.benchmark.steps.get(stratum(theory, problem), theory.step_limit)
