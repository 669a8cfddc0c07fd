"""An agent that plays elsewhere: what travels to a machine that collects episodes for it.

Theory and problems travel once, the weights once an epoch; jobs are numbers of episodes. An episode
is decided by its number, the seed and the epoch alone, so that it is the same wherever it is
played.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from threesil.engine import Stop

if TYPE_CHECKING:
    from threesil.learn.agent import Agent

Episodes = tuple[int, NDArray[np.uint32]]  # the number of the first, and their problems
Collected = tuple[int, list[tuple[int, list[int]]]]  # steps; problems with the actions that solve
SENT = 1024  # episodes of a job


class Player:
    """What an agent is made of; the agent itself, once it is made where this has travelled to."""

    def __init__(self, agent: Agent) -> None:
        self._made = agent.theory, tuple(agent.problems), agent.config, agent.seed
        self._value = agent.net.shape.value
        self._agent: Agent | None = None

    def agent(self) -> Agent:
        if self._agent is None:
            from threesil.learn.agent import Agent

            self._agent = Agent(*self._made, value=self._value)
        return self._agent


class Collector:
    """Collects episodes as an agent would in its epoch, with its weights."""

    def __init__(
        self, player: Callable[[], Player], epoch: int, weights: NDArray[np.float32]
    ) -> None:
        self._agent = player().agent()
        self._agent.epoch = epoch
        self._agent.net.parameters_array()[:] = weights

    def __call__(self, job: Episodes, give: Callable[[Collected], None], stop: Stop) -> None:
        give(self._agent.collect_some(job))
