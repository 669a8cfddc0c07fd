"""Behavioural cloning: imitates the actions of all episodes that succeeded lately (section 4.2).

3SIL without its two ideas: all solutions count, not the shortest of each problem, and all of
their transitions are drawn alike, so that long episodes dominate.

    for each epoch:
        CollectEpisode(sample(P), pi), num times; solutions enter a buffer, the oldest leave it
        NB times: sample B tuples (s, a) uniformly, update pi to minimise - sum log pi(a | s)
"""

from __future__ import annotations

import numpy as np
import torch

from threesil.engine import End
from threesil.learn.actor_critic import Baseline, Recorded, Replay
from threesil.learn.agent import Agent, Arrays, Purpose, masked


class BehaviouralCloning(Baseline):
    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.buffer = Replay(agent.theory, agent.problems, agent.config.buffer)

    def epoch(self, pool: int) -> dict[str, float]:
        p = self.draw(pool)
        found = first = 0
        for played in self.agent.collect(p):
            for i in played.solved.nonzero()[0]:
                self.agent.check()
                self.keep(int(p[first + i]), played.actions_of(int(i)))
            found += int(played.solved.sum())
            first += len(played.end)
        metrics = {"episodes": float(len(p)), "solutions": float(found)}
        if len(self.buffer):
            metrics["loss"] = self.train()
        return metrics

    def keep(self, problem: int, actions: list[int]) -> None:
        """Puts a solution into the record and into the buffer."""
        self.H.offer(problem, actions)
        solution = np.array(actions, dtype=np.uint16)
        if self.agent.config.prune:
            solution = self.buffer.store.prune(problem, solution)
        self.buffer.add(Recorded(problem, solution, End.SOLVED, 0, 0))

    def train(self) -> float:
        """NB batches of B transitions; the mean loss of a transition."""
        agent, config = self.agent, self.agent.config
        transitions = self.buffer.rollout()
        random = agent.random(Purpose.SAMPLE)
        loss = 0.0
        for i in range(config.NB):
            chosen = random.integers(len(transitions), size=config.B)
            s, a = transitions.states[chosen], torch.from_numpy(transitions.actions[chosen])
            logits, _ = agent.outputs(transitions.store, s, first_draw=i * config.B)
            if config.masked_loss:
                logits = masked(logits, transitions.store.masks(s))
            loss += agent.update(torch.nn.functional.cross_entropy(logits, a, reduction="sum"))
        return loss / max(1, config.NB * config.B)

    def arrays(self) -> Arrays:
        return {**super().arrays(), **self.buffer.arrays()}

    def restore(self, arrays: Arrays) -> None:
        super().restore(arrays)
        self.buffer.restore(arrays)
