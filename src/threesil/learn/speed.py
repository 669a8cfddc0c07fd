"""How fast an untrained network of the paper's size plays and is trained."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from threesil.engine import Batch, Network, Shape, States
from threesil.learn.config import load_config
from threesil.measure.speed import Field, rate
from threesil.nets.policy import Policy, initial_parameters

_WIDTH = 256
_BATCH = 32  # transitions


def guided(field: Field) -> dict[str, Any]:
    """`guided.THEORY`: steps of collection with the policy, as in training."""
    figures: dict[str, Any] = {}
    for theory in field.theories:
        key = f"guided.{theory.name}"
        field.progress(key)
        problems = field.problems(theory)
        batch = Batch(theory, problems, _WIDTH, self_check=False)
        shape = Shape(load_config("paper", theory).size)
        network = Policy(theory, shape, initial_parameters(theory, shape, seed=0)).network()
        numbers = np.arange(5 * _WIDTH) % len(problems)
        first = 0

        def play(batch: Batch = batch, network: Network = network, numbers: Any = numbers) -> int:
            nonlocal first
            first += len(numbers)
            played = batch.play(network, numbers, seed=0, first_episode=first)
            return int(played.steps.sum())

        figures[key] = round(rate(play, field.seconds))
        field.keep_profile(key, batch, play)
    return figures


def train(field: Field) -> dict[str, Any]:
    """`train.transitions`: in batches of 32, through forward pass, backward pass and optimiser."""
    field.progress("train.transitions")
    try:
        import torch

        from threesil.learn.agent import Agent
    except ImportError:
        return {"train.transitions": None}
    theory = field.theories[0]
    problems = field.problems(theory)
    config = load_config("paper", theory)
    agent = Agent(theory, problems, config, seed=0)
    store = States(theory, problems)
    played = agent.collect(np.arange(len(problems), dtype=np.uint32), record_all=True)
    for i in range(len(problems)):
        store.add(i, np.array(played.actions_of(i), dtype=np.uint16))
    random = np.random.default_rng(0)
    done, begin = 0, time.process_time()
    while time.process_time() - begin < field.seconds:
        states = random.integers(len(store), size=_BATCH).astype(np.uint32)
        actions = torch.from_numpy(store.masks(states).argmax(axis=1))
        logits, _ = agent.outputs(store, states, first_draw=done)
        agent.update(torch.nn.functional.cross_entropy(logits, actions, reduction="sum"))
        done += _BATCH
    return {"train.transitions": round(done / (time.process_time() - begin))}


MEASUREMENTS: Final = {"guided": guided, "train": train}
