"""The core: recorded streams, random episodes, two threads against one.

The complete mask is computed at every step. The recorded action streams are replayed by a fresh
engine each time, so that no term, mask or table is left over from an earlier round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from threesil.engine import Batch, Limits
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.measure.bench.common import Field, rate

_WIDTH = 64
_ROUNDS = 5


def replay(field: Field) -> dict[str, Any]:
    """`replay.THEORY`: steps of the recorded streams; None where they are missing."""
    figures: dict[str, Any] = {}
    for theory in field.theories:
        key = f"replay.{theory.name}"
        figures[key] = None
        recorded = field.recorded(theory)
        if recorded is None:
            field.explain_missing(key)
            continue
        field.progress(key)
        figures[key] = _replay(field, key, theory, *recorded)
    return figures


def _replay(
    field: Field,
    key: str,
    theory: Theory,
    problems: Sequence[Problem],
    streams: Sequence[Sequence[int]],
) -> int:
    limits = Limits(steps=max(map(len, streams)) + 1)
    numbers = np.arange(len(problems), dtype=np.uint32)
    offsets = np.cumsum([0, *map(len, streams)], dtype=np.uint64)
    actions = np.fromiter((a for stream in streams for a in stream), dtype=np.uint16)
    steps, spent = 0, 0.0
    while spent < field.seconds:
        batch = Batch(theory, problems, _WIDTH, limits=limits, self_check=False)
        begin = time.process_time()
        played = batch.replay_arrays(numbers, actions, offsets)
        spent += time.process_time() - begin
        steps += int(played.steps.sum())
    batch = Batch(theory, problems, _WIDTH, limits=limits, self_check=False)
    batch.set_profiling(True)
    batch.replay_arrays(numbers, actions, offsets)
    field.keep_profile(key, batch)
    return round(steps / spent)


def random(field: Field) -> dict[str, Any]:
    """`random.THEORY`: steps of random episodes on equations."""
    figures: dict[str, Any] = {}
    for theory in _on_equations(field):
        key = f"random.{theory.name}"
        field.progress(key)
        problems = field.problems(theory)
        batch = Batch(theory, problems, _WIDTH, self_check=False)
        numbers = np.arange(20 * _WIDTH) % len(problems)
        figures[key] = round(rate(player(batch, numbers), field.seconds, time.process_time))
        batch.set_profiling(True)
        batch.play_random(numbers, seed=1)
        field.keep_profile(key, batch)
    return figures


def threads(field: Field) -> dict[str, Any]:
    """`threads.speedup`, in wall time: the median of several rounds, taken in turn."""
    figures: dict[str, Any] = {}
    for theory in _on_equations(field):
        field.progress("threads.speedup")
        problems = field.problems(theory)
        numbers = np.arange(40 * _WIDTH) % len(problems)
        ratios = []
        for _ in range(_ROUNDS):
            rates = []
            for count in (1, 2):
                batch = Batch(theory, problems, _WIDTH * count, threads=count, self_check=False)
                seconds = field.seconds / _ROUNDS
                rates.append(rate(player(batch, numbers), seconds, time.perf_counter))
            ratios.append(rates[1] / rates[0])
        figures["threads.speedup"] = round(float(np.median(ratios)), 2)
    return figures


def player(batch: Batch, numbers: Any) -> Callable[[], int]:
    """Plays other random episodes at each call."""
    first = 0

    def play() -> int:
        nonlocal first
        first += len(numbers)
        return int(batch.play_random(numbers, seed=0, first_episode=first).steps.sum())

    return play


def _on_equations(field: Field) -> list[Theory]:
    return [theory for theory in field.theories if theory.goal is Goal.EQUATION]
