"""How fast the engine is, measured in one run.

Rates are steps for each second of CPU time of one core, with the complete mask computed at every
step. The recorded action streams are replayed by a fresh engine each time, so that no term, mask
or table is left over from an earlier round. `guided` is play with an untrained network of the
paper's size, `train.transitions` counts transitions in batches of 32 through forward pass,
backward pass and optimiser. `threads.speedup` is wall time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from threesil.conform import recorded_streams
from threesil.engine import Batch, Limits, Network, Played, Shape, States
from threesil.learn.config import load_config
from threesil.nets.model import Model, initial_parameters
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
    for theory in theories:
        key = f"guided.{theory.name}"
        progress(key)
        chosen = problems.get(theory.name) or sample_set(theory, 500, seed=0)
        figures[key], profile[key] = _guided(theory, chosen, seconds)
    progress("train.transitions")
    first = theories[0]
    chosen = problems.get(first.name) or sample_set(first, 500, seed=0)
    figures["train.transitions"] = _train(first, chosen, seconds)
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


def _network(theory: Theory) -> Network:
    """An untrained network of the paper's size."""
    shape = Shape(load_config("paper", theory).size)
    return Model(theory, shape, initial_parameters(theory, shape, seed=0)).network()


def _guided(
    theory: Theory, problems: Sequence[Problem], seconds: float
) -> tuple[int, dict[str, float]]:
    """Collection with the policy, as in training."""
    batch = Batch(theory, problems, 4 * _WIDTH, self_check=False)
    network = _network(theory)
    numbers = np.arange(20 * _WIDTH) % len(problems)
    first = 0

    def play() -> Played:
        nonlocal first
        first += len(numbers)
        return batch.play(network, numbers, seed=0, first_episode=first)

    rate = _rate(play, seconds, time.process_time)
    batch.set_profiling(True)
    play()
    return round(rate), _rounded(batch.profile())


def _train(theory: Theory, problems: Sequence[Problem], seconds: float) -> int | None:
    """Transitions of batches of 32: forward, backward, optimiser; None without PyTorch."""
    try:
        import torch

        from threesil.learn.agent import Agent
    except ImportError:
        return None
    config = load_config("paper", theory)
    agent = Agent(theory, problems, config, seed=0)
    store = States(theory, problems)
    played = agent.collect(np.arange(len(problems), dtype=np.uint32), record_all=True)
    for i in range(len(problems)):
        store.add(i, np.array(played.actions_of(i), dtype=np.uint16))
    random = np.random.default_rng(0)
    done, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        states = random.integers(len(store), size=config.B).astype(np.uint32)
        actions = torch.from_numpy(store.masks(states).argmax(axis=1))
        logits, _ = agent.outputs(store, states, first_draw=done)
        agent.update(torch.nn.functional.cross_entropy(logits, actions, reduction="sum"))
        done += config.B
    return round(done / (time.process_time() - begin))


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
