"""All methods learn, resume bit for bit and respect masks; their arithmetic on small numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from threesil.engine import End, States
from threesil.learn.a2c import A2C
from threesil.learn.acer import ACER, retrace, trust_region
from threesil.learn.actor_critic import Recorded, Replay, Rollout, entropy, policy, taken
from threesil.learn.agent import Agent, Method
from threesil.learn.bc import BehaviouralCloning
from threesil.learn.config import Config
from threesil.learn.ppo import PPO, normalised
from threesil.learn.sil_paac import Priorities, SilPaac
from threesil.learn.three_sil import ThreeSIL
from threesil.problems import sample_set
from threesil.theories import get_theory

KINDS = [ThreeSIL, BehaviouralCloning, A2C, PPO, ACER, SilPaac]
ROBINSON = get_theory("robinson")
PROBLEMS = sample_set(ROBINSON, 60, seed=1)
CONFIG = Config(
    m=300, f=300, steps=40, train_leaves=False, evaluations=1000, level_size=0, width=64, threads=1
)
every_method = pytest.mark.parametrize("kind", KINDS)


def make(kind: type[Method], config: Config = CONFIG, **of: Any) -> tuple[Agent, Method]:
    theory, problems = of.get("theory", ROBINSON), of.get("problems", PROBLEMS)
    rate = kind.learning_rate(config)
    agent = Agent(theory, problems, config, seed=3, value=kind.value, learning_rate=rate)
    return agent, kind(agent)


def train(agent: Agent, method: Method, begin: int, end: int) -> dict[str, float]:
    metrics: dict[str, float] = {}
    for epoch in range(begin, end):
        agent.begin_epoch(epoch)
        metrics = method.epoch(len(agent.problems))
    return metrics


@every_method
def test_learns(kind: type[Method]) -> None:
    agent, method = make(kind)
    everything = np.tile(np.arange(len(PROBLEMS), dtype=np.uint32), 10)
    chance = agent.batch.play_random(everything, seed=0).solved.mean()
    untrained = agent.evaluate(len(PROBLEMS), greedy=kind.greedy_evaluation)
    metrics = train(agent, method, 0, 12)
    success = agent.evaluate(len(PROBLEMS), greedy=kind.greedy_evaluation)
    print(kind.__name__, chance, untrained, success, method.solved, metrics)
    assert success > max(chance, untrained) + 0.1
    assert all(np.isfinite(value) for value in metrics.values())
    assert method.solved == len(list(method.solutions())) > 0.5 * len(PROBLEMS)
