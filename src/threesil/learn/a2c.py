"""A2C, advantage actor-critic (section 4.1; Mnih et al. 2016).

    L_policy = - log pi(a | s) A(s, a)       with A(s_t, a_t) = V_t^n - V(s_t)
    L_value  = 1/2 (V_t^n - V(s_t))^2        with V_t^n = sum_i gamma^i r_(t+i) + gamma^n V(s_(t+n))

n reaches to the end of the episode. Behind a limit, V of the last state stands for what might have
followed; behind a solution nothing follows. The policy pi is the one that plays, noise included:
so the updates are on-policy, and no legal action's probability comes close to 0. The configuration
can take masks, noise and what stands behind a limit out of the loss, to see what comes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from threesil.learn.actor_critic import AdvantageMethod, chance
from threesil.learn.config import A2CConfig
from threesil.learn.method import Metrics
from threesil.learn.replay import Rollout

A = TypeVar("A", bound=A2CConfig)


class A2C(AdvantageMethod[A]):
    def train(self) -> Iterator[Metrics]:
        steps = self.config.a2c_steps
        for _ in self.agent.epochs():
            yield self.metrics([self.learn(rollout) for rollout in self.rollouts(steps)])

    def learn(self, rollout: Rollout) -> Metrics:
        """One update with whole episodes that the current policy has played."""
        n, masks = len(rollout), rollout.store.masks(rollout.states)
        logits, values = rollout.evaluate(self.agent, self.agent.net)
        returns = self.returns(rollout, values[n:])
        pi, values = self.policy(logits[:n], masks), values[:n]
        advantage = returns - values.detach()
        policy_loss = -(chance(pi, rollout.actions).log() * advantage).mean()
        return self.improve(policy_loss, pi, values, returns)
