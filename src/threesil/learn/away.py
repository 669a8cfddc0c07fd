"""An agent that plays elsewhere: what travels to a machine that collects episodes for it.

Theory and problems travel once, the weights once an epoch; jobs are numbers of episodes. An episode
is decided by its number, the seed and the epoch alone, so that it is the same wherever it is
played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from threesil.learn.agent import Agent

Episodes = tuple[int, NDArray[np.uint32]]  # the number of the first, and their problems
Collected = tuple[int, list[tuple[int, list[int]]]]  # steps; problems with the actions that solve
SENT = 1024  # episodes of a job


class Elsewhere(Protocol):
    """Others who do jobs for an agent."""

    def each(self, do: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[Any]:
        """What comes of the jobs, in their order."""

    def keep(self, value: Any) -> Callable[[], Any]:
        """Sends a value once; what comes back travels with jobs and gives it, the same object."""


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


class Away:
    """Collects episodes as an agent would in its epoch."""

    def __init__(self, agent: Agent, player: Callable[[], Player]) -> None:
        self._player, self._epoch = player, agent.epoch
        self._weights = agent.net.parameters_array().copy()

    def __call__(self, job: Episodes) -> Collected:
        agent = self._player().agent()
        agent.epoch = self._epoch
        agent.net.parameters_array()[:] = self._weights
        return agent.collect_some(job)
