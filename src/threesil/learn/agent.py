"""What every method shares: the problems in the engine, the network, the optimiser, chance.

Randomness is keyed by (seed, epoch, purpose), so that a run which is resumed draws the same
numbers as one that never stopped.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from threesil.engine import Batch, Budget, Levin, Limits, Played, Shape, States, Status
from threesil.learn.config import Config
from threesil.nets.tree_net import TreeNet
from threesil.theory import Problem, Theory

Arrays = dict[str, NDArray[Any]]
_CHUNK = 20_000  # episodes between two looks at the clock


class Purpose(IntEnum):
    """What random numbers are for; each has a stream of its own in every epoch."""

    PROBLEMS = 0
    COLLECT = 1
    SAMPLE = 2
    TRAIN = 3
    EVALUATE = 4
    EVALUATION_PROBLEMS = 5
    SEARCH = 6


class Stopped(Exception):
    """The user wants the run to end; the current epoch is given up."""


class Agent:
    """A network that plays and learns."""

    def __init__(
        self,
        theory: Theory,
        problems: Sequence[Problem],
        config: Config,
        seed: int,
        *,
        value: bool = False,
        learning_rate: float | None = None,
    ) -> None:
        torch.set_num_threads(1)  # the tensors are small, and sums keep their order
        self.theory = theory
        self.problems = problems
        self.config = config
        self.seed = seed
        shape = Shape(config.size, config.hidden, value)
        self.net = TreeNet(theory, shape, train_leaves=config.train_leaves, seed=seed)
        self.learning_rate = learning_rate or config.learning_rate
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=self.learning_rate)
        limits = Limits(steps=config.steps)
        self.batch = Batch(theory, problems, config.width, threads=config.threads, limits=limits)
        self.epoch = 0
        self.steps = 0  # taken in this epoch
        self.check: Callable[[], None] = lambda: None  # raises Stopped when the run shall end

    def random(self, purpose: Purpose) -> np.random.Generator:
        """The random numbers of this epoch for one purpose."""
        return np.random.Generator(np.random.Philox(key=[self.seed, self.stream(purpose)]))

    def stream(self, purpose: Purpose) -> int:
        return self.epoch * len(Purpose) + purpose

    def begin_epoch(self, epoch: int) -> None:
        self.epoch = epoch
        self.steps = 0
        config = self.config
        if config.final_learning_rate:
            turn = 0.5 * (1 + math.cos(math.pi * epoch / max(1, config.ME - 1)))
            rate = config.final_learning_rate + turn * (
                self.learning_rate - config.final_learning_rate
            )
            for group in self.optimizer.param_groups:
                group["lr"] = rate

    def collect(self, problems: NDArray[np.uint32], *, record_all: bool = False) -> list[Played]:
        """Plays an episode on each problem with the noisy policy, in a few large pieces."""
        self.net.publish()
        pieces = []
        for first in range(0, len(problems), _CHUNK):
            self.check()
            pieces.append(
                self.batch.play(
                    self.net.engine,
                    problems[first : first + _CHUNK],
                    seed=self.seed,
                    stream=self.stream(Purpose.COLLECT),
                    first_episode=first,
                    noise=self.config.noise,
                    record_all=record_all,
                )
            )
            self.steps += int(pieces[-1].steps.sum())
        return pieces

    def search(self, problems: Sequence[int]) -> list[list[int] | None]:
        """Levin tree search on each problem: the actions of a solution, or None."""
        self.net.publish()
        config = self.config
        budget = Budget(config.expansions, seconds=float("inf"))
        levin = Levin(self.net.engine)

        def solve(number: int) -> list[int] | None:
            self.check()
            problem = self.problems[problems[number]]
            key = self.stream(Purpose.SEARCH) << 32 | number
            found = levin.solve(problem, budget, steps=config.steps, seed=self.seed, episode=key)
            return found.actions if found.status is Status.PROVED else None

        with ThreadPoolExecutor(config.threads) as pool:
            return list(pool.map(solve, range(len(problems))))

    def evaluate(self, pool: int, *, greedy: bool) -> float:
        """Success rate on random problems of the pool."""
        self.net.publish()
        random = self.random(Purpose.EVALUATION_PROBLEMS)
        problems = random.integers(pool, size=self.config.evaluations).astype(np.uint32)
        played = self.batch.play(
            self.net.engine,
            problems,
            seed=self.seed,
            stream=self.stream(Purpose.EVALUATE),
            noise=self.config.noise,
            greedy=greedy,
        )
        return float(played.solved.mean())

    def outputs(
        self, store: States, states: NDArray[np.uint32], first_draw: int
    ) -> tuple[Tensor, Tensor]:
        """Logits (B, A) and values (B,) of states; their random vectors are drawn anew."""
        draws = np.arange(first_draw, first_draw + len(states), dtype=np.uint64)
        logits, values = self.net(store, states, draws, self.seed, self.stream(Purpose.TRAIN))
        return logits, values

    def update(self, loss: Tensor, clip: float | None = None) -> float:
        """One step of the optimiser."""
        self.check()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), clip)
        self.optimizer.step()
        return float(loss.detach())

    def arrays(self) -> Arrays:
        """Weights and the optimiser's memory, for a checkpoint."""
        state = self.optimizer.state.get(self.net.flat, {})
        zeros = torch.zeros_like(self.net.flat)
        return {
            "agent.parameters": self.net.parameters_array().copy(),
            "agent.mean": state.get("exp_avg", zeros).detach().numpy().copy(),
            "agent.square": state.get("exp_avg_sq", zeros).detach().numpy().copy(),
            "agent.updates": np.array([float(state.get("step", 0.0))], dtype=np.float32),
        }

    def restore(self, arrays: Arrays) -> None:
        with torch.no_grad():
            self.net.flat.copy_(torch.from_numpy(arrays["agent.parameters"]))
        self.optimizer.state[self.net.flat] = {
            "step": torch.tensor(float(arrays["agent.updates"][0])),
            "exp_avg": torch.from_numpy(arrays["agent.mean"].copy()),
            "exp_avg_sq": torch.from_numpy(arrays["agent.square"].copy()),
        }
        self.net.publish()


class Method(ABC):
    """A learning method: what it does in an epoch, and what it remembers between epochs."""

    greedy_evaluation = True
    value = False  # whether the network needs a value head

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    @staticmethod
    def learning_rate(config: Config) -> float:
        return config.learning_rate

    @abstractmethod
    def epoch(self, pool: int) -> dict[str, float]:
        """Collects and learns on the first `pool` problems; returns what is worth logging."""

    @property
    @abstractmethod
    def solved(self) -> int:
        """Problems of the training set for which a solution has been found so far."""

    def solutions(self) -> Iterator[tuple[int, list[int]]]:
        """Certified solutions that the method keeps: (problem, actions)."""
        return iter(())

    def arrays(self) -> Arrays:
        """What the method remembers, for a checkpoint."""
        return {}

    def restore(self, arrays: Arrays) -> None:
        del arrays


def masked(logits: Tensor, masks: NDArray[np.bool_]) -> Tensor:
    """Logits with those of illegal actions at minus infinity: their probability is 0."""
    return logits.masked_fill(~torch.from_numpy(masks), -torch.inf)
