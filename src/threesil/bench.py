"""How fast the engine is, measured in one run.

Rates are steps for each second of CPU time of one core, with the complete mask computed at every
step. The recorded action streams are replayed by a fresh engine each time, so that no term, mask
or table is left over from an earlier round. `threads.speedup` is wall time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from threesil.conform import recorded_streams
from threesil.engine import Batch, Limits, Played
from threesil.problems import DATA, data_directory, sample_set
from threesil.theory import Goal, Problem, Theory

_WIDTH = 64
_ROUNDS = 5


def bench(
    theories: Sequence[Theory],
    seconds: float = 2.0,
    progress: Callable[[str], None] = lambda what: None,
) -> dict[str, Any]:
    """All figures; each is measured for about `seconds` of CPU time."""
    figures: dict[str, Any] = {}
    profile: dict[str, dict[str, float]] = {}
    data = data_directory()
    problems: dict[str, Sequence[Problem]] = {}
    for theory in theories:
        key = f"replay.{theory.name}"
        figures[key] = None
        path = data / "traces" / f"{theory.name}.jsonl.gz" if data else None
        if path is None or not path.is_file():
            progress(f"{key}: no recorded streams; set {DATA} to the directory that has traces/")
            continue
        progress(key)
        _, problems[theory.name], streams = recorded_streams(path, [theory])
        figures[key], profile[key] = _replay(theory, problems[theory.name], streams, seconds)
    for theory in theories:
        if theory.goal is Goal.EQUATION:
            key = f"random.{theory.name}"
            progress(key)
            chosen = problems.get(theory.name) or sample_set(theory, 500, seed=0)
            figures[key], profile[key] = _random(theory, chosen, seconds)
            progress("threads.speedup")
            figures["threads.speedup"] = _speedup(theory, chosen, seconds)
    figures["profile"] = profile
    return figures


def _rounded(shares: dict[str, float]) -> dict[str, float]:
    return {name: round(share, 3) for name, share in shares.items()}


def _rate(play: Callable[[], Played], seconds: float, clock: Callable[[], float]) -> float:
    """Steps a second over rounds of `play` that take about `seconds` together."""
    steps, spent = 0, 0.0
    while spent < seconds:
        begin = clock()
        played = play()
        spent += clock() - begin
        steps += int(played.steps.sum())
    return steps / spent


def _replay(
    theory: Theory, problems: Sequence[Problem], streams: Sequence[Sequence[int]], seconds: float
) -> tuple[int, dict[str, float]]:
    limits = Limits(steps=max(map(len, streams)) + 1)
    numbers = np.arange(len(problems), dtype=np.uint32)
    offsets = np.cumsum([0, *map(len, streams)], dtype=np.uint64)
    actions = np.fromiter((a for stream in streams for a in stream), dtype=np.uint16)
    steps, spent = 0, 0.0
    while spent < seconds:
        batch = Batch(theory, problems, _WIDTH, limits=limits, self_check=False)
        begin = time.process_time()
        played = batch.replay_arrays(numbers, actions, offsets)
        spent += time.process_time() - begin
        steps += int(played.steps.sum())
    batch = Batch(theory, problems, _WIDTH, limits=limits, self_check=False)
    batch.set_profiling(True)
    batch.replay_arrays(numbers, actions, offsets)
    return round(steps / spent), _rounded(batch.profile())


def _random(
    theory: Theory, problems: Sequence[Problem], seconds: float
) -> tuple[int, dict[str, float]]:
    batch = Batch(theory, problems, _WIDTH, self_check=False)
    numbers = np.arange(20 * _WIDTH) % len(problems)
    rate = _rate(_player(batch, numbers), seconds, time.process_time)
    batch.set_profiling(True)
    batch.play_random(numbers, seed=1)
    return round(rate), _rounded(batch.profile())


def _player(batch: Batch, numbers: Any) -> Callable[[], Played]:
    """Plays other episodes at each call."""
    first = 0

    def play() -> Played:
        nonlocal first
        first += len(numbers)
        return batch.play_random(numbers, seed=0, first_episode=first)

    return play


def _speedup(theory: Theory, problems: Sequence[Problem], seconds: float) -> float:
    """Two threads against one: the median of several rounds, taken in turn."""
    numbers = np.arange(40 * _WIDTH) % len(problems)
    ratios = []
    for _ in range(_ROUNDS):
        rates = []
        for threads in (1, 2):
            batch = Batch(theory, problems, _WIDTH * threads, threads=threads, self_check=False)
            rates.append(_rate(_player(batch, numbers), seconds / _ROUNDS, time.perf_counter))
        ratios.append(rates[1] / rates[0])
    return round(float(np.median(ratios)), 2)
