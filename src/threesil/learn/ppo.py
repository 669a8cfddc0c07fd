"""PPO, proximal policy optimisation with the clipped objective (Schulman et al. 2017).

    every ppo_steps transitions, ppo_epochs times, minimise over all of them
        - min(r A, clip(r, 1 - c, 1 + c) A) + value_weight (R - V(s))^2 - entropy_weight H(pi)
    with r = pi(a | s) / pi_old(a | s), the returns R and A = R - V_old(s), normalised

pi_old and V_old are the network that played. As in A2C, pi is the policy with its noise, so r is 1
before the first step, and R bootstraps behind a limit.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from threesil.learn.actor_critic import AdvantageMethod, chance
from threesil.learn.config import PPOConfig
from threesil.learn.method import Metrics
from threesil.learn.replay import Rollout


class PPO(AdvantageMethod[PPOConfig]):
    def train(self) -> Iterator[Metrics]:
        steps = self.config.ppo_steps
        for _ in self.agent.epochs():
            yield self.metrics([self.learn(rollout) for rollout in self.rollouts(steps)])

    def learn(self, rollout: Rollout) -> Metrics:
        """Some steps of the optimiser on the same episodes."""
        config = self.config
        n, masks = len(rollout), rollout.store.masks(rollout.states)
        with torch.no_grad():
            logits, values = rollout.evaluate(self.agent, self.agent.net)
            old = chance(self.policy(logits[:n], masks), rollout.actions)
        returns = self.returns(rollout, values[n:])
        if config.normal_returns:
            returns = normalised(returns)
            advantage = returns - values[:n]
        else:
            advantage = normalised(returns - values[:n])
        metrics: Metrics = {}
        for _ in range(config.ppo_epochs):
            logits, values = rollout.evaluate(self.agent, self.agent.net)
            pi, values = self.policy(logits[:n], masks), values[:n]
            ratio = chance(pi, rollout.actions) / old
            clipped = ratio.clamp(1 - config.ppo_clip, 1 + config.ppo_clip)
            policy_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
            metrics = self.improve(policy_loss, pi, values, returns)
        return metrics


def normalised(values: torch.Tensor) -> torch.Tensor:
    """With mean 0 and standard deviation 1."""
    return (values - values.mean()) / (values.std(correction=0) + 1e-7)
