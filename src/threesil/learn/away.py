"""An agent that plays elsewhere: what travels to a machine that collects episodes for it.

The weights travel once an epoch, with the problems; jobs are numbers of episodes. An episode is
decided by its number, the seed and the epoch alone, so that it is the same wherever it is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from threesil.learn.agent import Agent

Elsewhere = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[Any]]
"""What comes of jobs that others do, in the order of the jobs."""
Episodes = tuple[int, NDArray[np.uint32]]  # the number of the first, and their problems
Collected = tuple[int, list[tuple[int, list[int]]]]  # steps; problems with the actions that solve
SENT = 1024  # episodes of a job


class Away:
    """Collects episodes as an agent would in its epoch; the agent is made anew where it is."""

    def __init__(self, agent: Agent) -> None:
        self._made = agent.theory, tuple(agent.problems), agent.config, agent.seed
        self._value, self._epoch = agent.net.shape.value, agent.epoch
        self._weights = agent.net.parameters_array().copy()
        self._agent: Agent | None = None

    def __call__(self, job: Episodes) -> Collected:
        if self._agent is None:
            from threesil.learn.agent import Agent

            self._agent = Agent(*self._made, value=self._value)
            self._agent.epoch = self._epoch
            self._agent.net.parameters_array()[:] = self._weights
        return self._agent.collect_some(job)
