"""Behavioural cloning: imitates the actions of all episodes that succeeded lately (section 4.2).

3SIL without its two ideas: all solutions count, not the shortest of each problem, and all of
their transitions are drawn alike, so that long episodes dominate.

    for each epoch:
        CollectEpisode(sample(P), pi), num times; solutions enter a buffer, the oldest leave it
        NB times: sample B tuples (s, a) uniformly, update pi to minimise - sum log pi(a | s)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from threesil.engine import End
from threesil.learn.agent import Agent
from threesil.learn.config import BCConfig
from threesil.learn.method import Imitation, Metrics
from threesil.learn.replay import Recorded, Replay


class BehaviouralCloning(Imitation[BCConfig]):
    def __init__(self, agent: Agent, config: BCConfig) -> None:
        super().__init__(agent, config)
        self.buffer = Replay(agent.theory, agent.problems, config.buffer)
        self.memories.append(self.buffer)

    def train(self) -> Iterator[Metrics]:
        agent, config = self.agent, self.config
        for e in agent.epochs():
            num = config.m if e == 0 else config.f
            found = 0
            for p, actions in agent.solutions(self.sample_problems(num, config.bias)):
                self.keep(p, actions)
                found += 1
            metrics = {"episodes": float(num), "solutions": float(found)}
            if len(self.buffer):
                metrics["loss"] = self.imitate(self.buffer.rollout())
            yield metrics

    def keep(self, problem: int, actions: list[int]) -> None:
        """Puts a solution into the record and into the buffer."""
        self.H.offer(problem, actions)
        solution = np.array(actions, dtype=np.uint16)
        if self.config.prune:
            solution = self.buffer.store.prune(problem, solution)
        self.buffer.add(Recorded(problem, solution, End.SOLVED, 0, 0))
