"""ACER, actor-critic with experience replay, for discrete actions (Wang et al. 2017).

    every acer_steps transitions: one update with the episodes just played, then acer_replay
    updates with as many episodes out of the replay buffer. In each, from the end of an episode,

        Q_ret(s_t, a_t) = r_t + gamma (min(1, rho_(t+1)) (Q_ret - Q)(s_(t+1), a_(t+1)) + V(s_(t+1)))
        g_t = min(c, rho_t) (Q_ret(s_t, a_t) - V(s_t)) grad log pi(a_t | s_t)
              + sum_a (1 - c / rho(a))_+ pi(a | s_t) (Q(s_t, a) - V(s_t)) grad log pi(a | s_t)
        z_t = g_t - max(0, (k . g_t - d) / |k|^2) k      with k = grad KL(pi_average || pi)

    the policy follows z_t, the critic minimises 1/2 (Q_ret - Q(s_t, a_t))^2.

rho = pi / mu, where mu is the noisy policy that played the episode; V(s) = sum_a pi(a | s) Q(s, a);
c is acer_truncation and d acer_constraint. g, k and z are gradients with respect to the
logits, and an entropy bonus is added to g. Q is a tree network of its own, whose logits are the
values of the actions. The weights of the average policy follow those of pi with acer_decay.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from threesil.engine import Shape
from threesil.learn.actor_critic import ActorCritic, entropy, policy, taken
from threesil.learn.agent import Agent, Purpose
from threesil.learn.config import ACERConfig
from threesil.learn.method import Metrics
from threesil.learn.replay import Floats, Replay, Rollout
from threesil.nets.tree_net import TreeNet
from threesil.runs.checkpoint import Arrays, take

_TINY = 1e-8


class ACER(ActorCritic[ACERConfig]):
    value = False  # the critic is a network of its own

    def __init__(self, agent: Agent, config: ACERConfig) -> None:
        super().__init__(agent, config)
        # The critic never plays; the average begins as the policy.
        self.critic = Agent(agent.theory, [], config, agent.seed + 1)
        shape = Shape(config.size, config.hidden)
        self.average = TreeNet(agent.theory, shape, train_leaves=False, seed=agent.seed)
        self.replay = Replay(agent.theory, agent.problems, config.acer_buffer, "mu")
        self.memories.append(self.replay)

    def train(self) -> Iterator[Metrics]:
        agent, config = self.agent, self.config
        for e in agent.epochs():
            self.critic.begin_epoch(e)
            random = agent.random(Purpose.SAMPLE)
            updates = []
            for rollout in self.rollouts(config.acer_steps):
                updates.append(self.learn(rollout, self.remember(rollout)))
                for _ in range(config.acer_replay):
                    old = self.replay.choose(len(rollout.episodes), random)
                    updates.append(self.learn(old, torch.from_numpy(old.column("mu"))))
            yield self.metrics(updates)

    def remember(self, rollout: Rollout) -> Tensor:
        """Puts episodes into the replay buffer; mu (N, A), the policy that played them."""
        with torch.no_grad():
            logits, _ = rollout.evaluate(self.agent, self.agent.net)
        logits = logits[: len(rollout)]
        mu = policy(logits, rollout.store.masks(rollout.states), self.config.noise)
        parts = np.split(mu.numpy(), np.cumsum(rollout.lengths)[:-1])
        for e, part in zip(rollout.episodes, parts, strict=True):
            self.replay.add(e, mu=part.copy())
        return mu

    def learn(self, rollout: Rollout, mu: Tensor) -> Metrics:
        """One update of policy and critic with episodes that mu has played."""
        agent, config = self.agent, self.config
        n, actions = len(rollout), rollout.actions
        masks = rollout.store.masks(rollout.states_and_last)
        logits, _ = rollout.evaluate(agent, agent.net)
        values, _ = rollout.evaluate(agent, self.critic.net)
        with torch.no_grad():
            average, _ = rollout.evaluate(agent, self.average)
            average = policy(average, masks)[:n]
            pi, q = policy(logits, masks), values.detach()
            v = (pi * q).sum(dim=1).nan_to_num()  # 0 if there is no action
            final = rollout.final(v[n:].numpy(), config.gamma)
            pi, q, v = pi[:n], q[:n], v[:n]
            rho = pi / mu.clamp_min(_TINY)
            c = taken(rho, actions).clamp_max(1.0)
            q_ret = retrace(rollout.lengths, final, taken(q, actions), v, c, config.gamma)
            g = self.gradient(pi, rho, q, v, q_ret, actions)
            z = trust_region(g, pi - average, config.acer_constraint)
        loss = agent.update(-(z * logits[:n]).sum(dim=1).mean())
        value_loss = 0.5 * (q_ret - taken(values[:n], actions)).square().mean()
        self.critic.update(value_loss)
        with torch.no_grad():
            self.average.flat.lerp_(agent.net.flat, 1 - config.acer_decay)
        bonus = entropy(pi).mean().item()
        return {"loss": loss, "value_loss": value_loss.item(), "entropy": bonus}

    def gradient(
        self,
        pi: Tensor,
        rho: Tensor,
        q: Tensor,
        v: Tensor,
        q_ret: Tensor,
        actions: NDArray[np.int64],
    ) -> Tensor:
        """g (N, A), where the gradient of log pi(a) with respect to the logits is 1_a - pi."""
        c = self.config.acer_truncation
        weights = (1 - c / rho).clamp_min(0) * pi * (q - v[:, None])
        main = taken(rho, actions).clamp_max(c) * (q_ret - v)
        weights.scatter_add_(1, torch.from_numpy(actions)[:, None], main[:, None])
        g = weights - weights.sum(dim=1, keepdim=True) * pi
        bonus = -pi * (pi.clamp_min(_TINY).log() + entropy(pi)[:, None])
        return g + self.config.entropy_weight * bonus

    def arrays(self) -> Arrays:
        critic = {f"critic.{name}": array for name, array in self.critic.arrays().items()}
        average = {"average.parameters": self.average.parameters_array().copy()}
        return {**super().arrays(), **critic, **average}

    def restore(self, arrays: Arrays) -> list[str]:
        marked = {k: a for k, a in arrays.items() if k.startswith("critic.")}
        self.critic.restore({k.removeprefix("critic."): a for k, a in marked.items()})
        name, shape = "average.parameters", (self.average.flat.numel(),)
        average = torch.from_numpy(take(arrays, name, np.float32, shape).copy())
        with torch.no_grad():
            self.average.flat.copy_(average)
        return super().restore(arrays)


def retrace(
    lengths: NDArray[np.int64], final: Floats, q: Tensor, v: Tensor, c: Tensor, gamma: float
) -> Tensor:
    """Q_ret (N,) of episodes with `lengths` (E,) whose last step earns `final` (E,).

    q: Q(s_t, a_t), v: V(s_t), c: min(1, rho_t), all (N,).
    """
    qs, vs, cs = q.tolist(), v.tolist(), c.tolist()
    q_ret = [0.0] * len(qs)
    t = len(qs)
    for length, target in zip(lengths[::-1].tolist(), final[::-1].tolist(), strict=True):
        for _ in range(length):
            t -= 1
            q_ret[t] = target
            target = gamma * (cs[t] * (target - qs[t]) + vs[t])
    return torch.tensor(q_ret)


def trust_region(g: Tensor, k: Tensor, constraint: float) -> Tensor:
    """The z (B, A) next to g (B, A) whose product with k (B, A) is at most `constraint`."""
    excess = (k * g).sum(dim=1, keepdim=True) - constraint
    squared = k.square().sum(dim=1, keepdim=True)
    return g - (excess / squared.clamp_min(_TINY)).clamp_min(0) * k
