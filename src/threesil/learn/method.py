"""A learning method: its loop over the epochs, and what it remembers between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from threesil.engine import States
from threesil.learn.agent import Agent, Purpose, masked
from threesil.learn.config import Config, HistoryConfig, ImitationConfig
from threesil.learn.curriculum import draw_problems
from threesil.learn.history import History
from threesil.learn.replay import Replay
from threesil.runs.checkpoint import Arrays

Metrics = dict[str, float]
C = TypeVar("C", bound=Config)
J = TypeVar("J", bound=ImitationConfig)


class Method(ABC, Generic[C]):
    """An agent that plays and learns, and the history H of what it solved.

    Whoever drives `train` may evaluate, open levels and save between two epochs.
    """

    value = False  # whether the network needs a value head

    def __init__(self, agent: Agent, config: C) -> None:
        self.agent = agent
        self.config = config
        own = ("k", "shortest", "newest", "stratified") if isinstance(config, HistoryConfig) else ()
        choice = {name: getattr(config, name) for name in own}
        self.H = History(agent.theory, agent.problems, prune=config.prune, **choice)
        self.memories: list[History | Replay] = [self.H]

    @abstractmethod
    def train(self) -> Iterator[Metrics]:
        """Learns, epoch by epoch; after each, what is worth logging."""

    def sample_problems(self, num: int, bias: float) -> NDArray[np.uint32]:
        """sample(P), `num` times: open problems, unsolved ones with a bias."""
        agent = self.agent
        random = agent.random(Purpose.PROBLEMS)
        return draw_problems(agent.pool, num, self.H.solved(), bias, random)

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
        return {name: a for memory in self.memories for name, a in memory.arrays().items()}

    def restore(self, arrays: Arrays) -> list[str]:
        """Takes over what a checkpoint remembers; says what had to be left out."""
        return [words for memory in self.memories for words in memory.restore(arrays)]


class Tuples(Protocol):
    """Tuples (s, a) to be imitated."""

    store: States

    def sample(
        self, count: int, random: np.random.Generator
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """States and actions of some of them."""


class Imitation(Method[J]):
    """A method that imitates solutions."""

    def imitate(self, tuples: Tuples) -> float:
        """NB times: samples B tuples (s, a) and updates pi to minimise - sum log pi(a | s).

        The mean loss of a tuple.
        """
        agent, config = self.agent, self.config

        def update(first_draw: int, random: np.random.Generator) -> float:
            s, a = tuples.sample(config.B, random)
            logits, _ = agent.outputs(tuples.store, s, first_draw)
            if config.masked_loss:
                logits = masked(logits, tuples.store.masks(s))
            wanted = torch.from_numpy(a)
            return agent.update(torch.nn.functional.cross_entropy(logits, wanted, reduction="sum"))

        return agent.minibatches(config.NB, config.B, update) / config.B
