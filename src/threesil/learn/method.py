"""A learning method: its loop over the epochs, and what it remembers between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from threesil.learn.agent import Agent, Purpose
from threesil.learn.config import Config
from threesil.learn.curriculum import draw_problems
from threesil.learn.history import History
from threesil.runs.checkpoint import Arrays

Metrics = dict[str, float]


class Method(ABC):
    """An agent that plays and learns, and the history H of what it solved.

    Whoever drives `train` may evaluate, open levels and save between two epochs.
    """

    value = False  # whether the network needs a value head

    def __init__(self, agent: Agent, k: int = 1) -> None:
        self.agent = agent
        config = agent.config
        self.H = History(
            agent.theory,
            agent.problems,
            k,
            config.prune,
            shortest=config.shortest,
            newest=config.newest,
            stratified=config.stratified,
        )

    @staticmethod
    def learning_rate(config: Config) -> float:
        return config.learning_rate

    @abstractmethod
    def train(self) -> Iterator[Metrics]:
        """Learns, epoch by epoch; after each, what is worth logging."""

    def sample_problems(self, num: int) -> NDArray[np.uint32]:
        """sample(P), `num` times: open problems, unsolved ones with the configuration's bias."""
        agent = self.agent
        random = agent.random(Purpose.PROBLEMS)
        return draw_problems(agent.pool, num, self.H.solved(), agent.config.bias, random)

    @property
    def solved(self) -> int:
        """Problems of the training set for which a solution has been found so far."""
        return len(self.H)

    @property
    def length(self) -> int:
        """Actions of the shortest solutions together, one for each problem that has any."""
        return sum(len(kept[0]) for kept in self.H.solutions.values())

    def mastery(self, success: float) -> float:
        """What opens the next level: the success rate of play, unless a method knows better."""
        return success

    def solutions(self) -> Iterator[tuple[int, list[int]]]:
        """The certified solutions in H: (problem, actions)."""
        return ((p, actions.tolist()) for p, actions in self.H)

    def arrays(self) -> Arrays:
        """What the method remembers, for a checkpoint."""
        return dict(self.H.arrays())

    def restore(self, arrays: Arrays) -> list[str]:
        """Takes over what a checkpoint remembers; says what had to be left out."""
        return self.H.restore(arrays)
