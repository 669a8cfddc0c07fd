"""What the actor-critic methods share: the policy with its noise, and episodes played in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from threesil.engine import End, States
from threesil.learn.agent import Agent, masked
from threesil.learn.config import ActorCriticConfig, AdvantageConfig
from threesil.learn.method import Method, Metrics
from threesil.learn.replay import ROOM, Recorded, Rollout

P = TypeVar("P", bound=ActorCriticConfig)
V = TypeVar("V", bound=AdvantageConfig)


def policy(
    logits: Tensor, masks: NDArray[np.bool_], noise: float = 0.0, legal_only: bool = True
) -> Tensor:
    """Probabilities (B, A), a share `noise` of them uniform over the legal actions.

    Those of illegal actions are 0, unless the softmax is over all actions.
    """
    legal = torch.from_numpy(masks).float()
    uniform = legal / legal.sum(dim=1, keepdim=True)
    softmax = torch.softmax(masked(logits, masks) if legal_only else logits, dim=1)
    return (1 - noise) * softmax + noise * uniform


def entropy(pi: Tensor) -> Tensor:
    """Entropy (B,) of distributions (B, A)."""
    return -(pi * pi.clamp_min(1e-8).log()).sum(dim=1)


def taken(of: Tensor, actions: NDArray[np.int64]) -> Tensor:
    """The entries (B,) of (B, A) that belong to the actions taken, (B,)."""
    return of.gather(1, torch.from_numpy(actions)[:, None]).squeeze(1)


def chance(pi: Tensor, actions: NDArray[np.int64]) -> Tensor:
    """The probabilities (B,) of the actions taken, above 0, for logarithms and quotients."""
    return taken(pi, actions).clamp_min(1e-8)


class ActorCritic(Method[P]):
    """A method that learns from all episodes, while the epoch's episodes are being played."""

    value = True

    def __init__(self, agent: Agent, config: P) -> None:
        super().__init__(agent, config)
        self._store = States(agent.theory, agent.problems)
        self._counts: Metrics = {}

    def rollouts(self, steps: int) -> Iterator[Rollout]:
        """The episodes of this epoch in pieces of `steps` transitions or a few more.

        Each piece is played when it is asked for, by the policy of that moment.
        """
        config = self.config
        p = self.sample_problems(config.m if self.agent.epoch == 0 else config.f, config.bias)
        self._counts = {"episodes": float(len(p)), "solutions": 0.0}
        first = 0
        while first < len(p):
            if len(self._store) > ROOM:
                self._store = States(self.agent.theory, self.agent.problems)
            episodes: list[Recorded] = []
            total = 0
            while total < steps and first < len(p):
                # No more than are missing, if they become as long as those before them.
                length = total / len(episodes) if episodes else config.steps
                count = max(1, int((steps - total) / length))
                episodes += self._play(p[first : first + count], first)
                first += count
                total = sum(len(e.actions) for e in episodes)
            if episodes:
                yield Rollout(self._store, episodes)

    def metrics(self, updates: Sequence[Metrics]) -> Metrics:
        """What is worth logging of an epoch, from the same of each of its updates."""
        means = {k: float(np.mean([u[k] for u in updates])) for k in (updates or [{}])[0]}
        return {**self._counts, **means}

    def _play(self, problems: NDArray[np.uint32], first: int) -> list[Recorded]:
        """Episodes on the problems, numbered from `first`."""
        played = self.agent.collect(problems, first, record_all=True)
        episodes = []
        for i, problem in enumerate(problems.tolist()):
            actions = played.actions[int(played.offsets[i]) : int(played.offsets[i + 1])].copy()
            state = self._store.add(problem, actions, with_last=True)
            end = End(played.end[i])
            if end is End.SOLVED:
                self._counts["solutions"] += 1
                self.H.offer(problem, actions.tolist())
            if len(actions):
                episodes.append(Recorded(problem, actions, end, state, first + i))
        return episodes


class AdvantageMethod(ActorCritic[V]):
    """An actor-critic method whose loss has an advantage in it."""

    def policy(self, logits: Tensor, masks: NDArray[np.bool_]) -> Tensor:
        """The policy of the loss, (B, A): the one that plays, unless the configuration differs."""
        config = self.config
        noise = config.noise if config.loss_noise else 0.0
        return policy(logits, masks, noise, config.loss_masks)

    def returns(self, rollout: Rollout, last_values: Tensor) -> Tensor:
        """V_t^n with n = T - t, (N,)."""
        config = self.config
        behind = last_values.detach().numpy() * np.float32(config.bootstrap)
        return torch.from_numpy(rollout.returns(behind, config.gamma))

    def improve(self, policy_loss: Tensor, pi: Tensor, values: Tensor, returns: Tensor) -> Metrics:
        """One update: the loss of the policy, that of the values, and the entropy bonus."""
        config = self.config
        value_loss = (returns - values).square().mean()
        bonus = entropy(pi).mean()
        loss = self.agent.update(
            policy_loss + config.value_weight * value_loss - config.entropy_weight * bonus
        )
        return {
            "loss": loss,
            "policy_loss": policy_loss.item(),
            "value_loss": value_loss.item(),
            "entropy": bonus.item(),
        }
