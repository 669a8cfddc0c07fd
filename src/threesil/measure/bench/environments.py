"""The Gymnasium environments on their own random problems, with random legal actions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from threesil.engine import Batch
from threesil.kernel.theory import Theory
from threesil.measure.bench.common import Field, rate
from threesil.measure.bench.core import player
from threesil.problems.sets import sample_set

_WIDTH = 256
_ROUNDS = 4


def envs(field: Field) -> dict[str, Any]:
    """For each theory `envs.THEORY.vector`, steps of 256 environments at once, `.single`, those of
    one, and `.ratio`, the vector against random episodes in the core alone.

    Actions are sampled from the action space; new environments make their problems meanwhile.
    None without Gymnasium.
    """
    figures: dict[str, Any] = {}
    for theory in field.theories:
        key = f"envs.{theory.name}"
        field.progress(key)
        try:
            vector, single = _vector(theory), _single(theory)
        except ImportError:
            return {f"envs.{theory.name}.vector": None for theory in field.theories}
        problems = sample_set(theory, 500, seed=0)
        batch = Batch(theory, problems, _WIDTH, self_check=False)
        core = player(batch, np.arange(_WIDTH) % len(problems))
        rates: dict[str, list[float]] = {"vector": [], "single": [], "core": []}
        for _ in range(_ROUNDS):
            for name, play in (("vector", vector), ("single", single), ("core", core)):
                rates[name].append(rate(play, field.seconds / _ROUNDS, time.process_time))
        means = {name: float(np.mean(found)) for name, found in rates.items()}
        figures[f"{key}.vector"] = round(means["vector"])
        figures[f"{key}.single"] = round(means["single"])
        figures[f"{key}.ratio"] = round(means["vector"] / means["core"], 3)
    return figures


def _vector(theory: Theory) -> Callable[[], int]:
    from threesil.envs import TheoryVectorEnv

    envs = TheoryVectorEnv(theory, _WIDTH)
    envs.action_space.seed(0)
    envs.reset(seed=0)

    def play() -> int:
        envs.step(envs.action_space.sample())
        return _WIDTH

    return play


def _single(theory: Theory) -> Callable[[], int]:
    from threesil.envs import TheoryEnv

    env = TheoryEnv(theory)
    env.action_space.seed(0)
    env.reset(seed=0)

    def play() -> int:
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
        return 1

    return play
