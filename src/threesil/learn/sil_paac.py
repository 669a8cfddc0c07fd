"""SIL-PAAC: self-imitation learning on positive advantage (Oh et al. 2018), on top of A2C.

    for each epoch:
        A2C; episodes with a reward enter a buffer with their returns R, the oldest leave it
        NB times: sample B tuples (s, a, R) by priority and minimise
            - log pi(a | s) (R - V(s))_+  +  sil_value_weight 1/2 (R - V(s))_+^2

A transition is drawn with a probability proportional to its last (R - V(s))_+ to the power of
sil_exponent; a new one has priority 1, the largest return. Weights correct a part of the bias.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from threesil.engine import End
from threesil.learn.a2c import A2C
from threesil.learn.actor_critic import taken
from threesil.learn.agent import Agent, masked
from threesil.learn.config import SilPaacConfig
from threesil.learn.method import Metrics
from threesil.learn.replay import Floats, Replay, Rollout

_CORRECTION = 0.1  # exponent of the importance weights (Oh et al., where rewards are sparse)
_LEAST = 1e-6  # priority of a transition without advantage: it stays within reach


class SilPaac(A2C[SilPaacConfig]):
    def __init__(self, agent: Agent, config: SilPaacConfig) -> None:
        super().__init__(agent, config)
        self.buffer = Replay(agent.theory, agent.problems, config.buffer, "priority")
        self.memories.append(self.buffer)

    def train(self) -> Iterator[Metrics]:
        steps = self.config.a2c_steps
        for _ in self.agent.epochs():
            metrics = self.metrics([self.learn(rollout) for rollout in self.rollouts(steps)])
            if len(self.buffer):
                metrics["sil_loss"] = self.imitate()
            yield metrics

    def learn(self, rollout: Rollout) -> Metrics:
        for e in rollout.episodes:
            if e.end is End.SOLVED:
                new = np.ones(len(e.actions), dtype=np.float32)
                self.buffer.add(e, priority=new)
        return super().learn(rollout)

    def imitate(self) -> float:
        """NB batches of B transitions from the buffer; the mean loss of a batch."""
        agent, config = self.agent, self.config
        good = self.buffer.rollout()
        returns = good.returns(np.zeros(len(good.lengths), dtype=np.float32), config.gamma)
        priorities = Priorities(good.column("priority"), config.sil_exponent)

        def update(first_draw: int, random: np.random.Generator) -> float:
            chosen, weights = priorities.sample(config.B, random)
            s, a = good.states[chosen], good.actions[chosen]
            logits, values = agent.outputs(good.store, s, first_draw)
            log_pi = torch.log_softmax(masked(logits, good.store.masks(s)), dim=1)
            advantage = (torch.from_numpy(returns[chosen]) - values).clamp_min(0)
            policy_loss = -taken(log_pi, a) * advantage.detach()
            value_loss = 0.5 * advantage.square()
            both = policy_loss + config.sil_value_weight * value_loss
            loss = agent.update((torch.from_numpy(weights) * both).mean())
            priorities.set(chosen, advantage.detach().numpy())
            return loss

        loss = agent.minibatches(config.NB, config.B, update)
        parts = np.split(priorities.values, np.cumsum(good.lengths)[:-1])
        for episode, part in zip(self.buffer.episodes, parts, strict=True):
            episode.columns["priority"] = part
        return loss


class Priorities:
    """N transitions, drawn in proportion to priority^exponent."""

    def __init__(self, values: Floats, exponent: float) -> None:
        self.values = values
        self._exponent = exponent
        self._shares = values.astype(np.float64) ** exponent

    def sample(self, count: int, random: np.random.Generator) -> tuple[NDArray[np.int64], Floats]:
        """Indices (count,), and importance weights (count,), the largest of them 1."""
        ends = np.cumsum(self._shares)
        found = np.searchsorted(ends, random.random(count) * ends[-1], side="right")
        chosen = np.minimum(found, len(ends) - 1)
        weights = (self._shares[chosen] / ends[-1] * len(ends)) ** -_CORRECTION
        return chosen, (weights / weights.max()).astype(np.float32)

    def set(self, chosen: NDArray[np.int64], priorities: Floats) -> None:
        """New priorities for some transitions."""
        self.values[chosen] = np.maximum(priorities, _LEAST)
        self._shares[chosen] = self.values[chosen].astype(np.float64) ** self._exponent
