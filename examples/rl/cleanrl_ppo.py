"""PPO with action masks in one file of plain PyTorch, in the manner of CleanRL.

pip install threesil[gym,train]
python examples/rl/cleanrl_ppo.py --theory robinson --steps 60000
python examples/rl/cleanrl_ppo.py --theory my_theory.p --steps 200000

Everything is here, from top to bottom: the network, the rollouts, advantages, the update. The
environments are one engine batch; their masks come in `info["action_mask"]`.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, VectorEnv
from torch import Tensor, nn
from torch.distributions import Categorical

import threesil.envs
from threesil.kernel.theory import Problem
from threesil.problems.sets import sample_set
from threesil.theories import get_theory


@dataclass
class Options:
    theory: str = "robinson"  # a name or a file
    problems: int = 1000  # to learn on; others are for the test
    steps: int = 60_000  # transitions to learn from
    episodes: int = 200  # of the test before and after
    seed: int = 1
    envs: int = 16  # in lockstep
    rollout: int = 128  # steps of each environment between two updates
    epochs: int = 4  # passes over a rollout
    minibatches: int = 4
    learning_rate: float = 1e-3
    gamma: float = 0.98  # discount
    gae: float = 0.95  # lambda of the advantages
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5  # weight of the critic's loss
    max_norm: float = 0.5  # of the gradient
    max_tokens: int = 64  # of a state; a larger one ends the episode
    max_steps: int = 50  # of an episode


class Agent(nn.Module):
    """A term as the sum of its tokens in their places, beside the subterm under the cursor."""

    def __init__(self, tokens: int, length: int, actions: int, size: int = 64) -> None:
        super().__init__()
        self.token = nn.Embedding(tokens, size, padding_idx=0)
        self.place = nn.Embedding(length, size)
        self.node = nn.Sequential(nn.Linear(size, size), nn.ReLU())
        self.body = nn.Sequential(nn.Linear(3 * size, 128), nn.ReLU(), nn.Linear(128, 128))
        self.actor, self.critic = nn.Linear(128, actions), nn.Linear(128, 1)
        nn.init.zeros_(self.actor.weight)  # at first every legal action is alike

    def forward(self, seen: dict[str, Tensor], mask: Tensor) -> tuple[Categorical, Tensor]:
        """The policy over the legal actions, and the value; `mask` (B, A)."""
        tokens, rows = seen["tokens"].long(), torch.arange(len(mask))
        nodes = self.node(self.token(tokens) + self.place.weight)
        nodes = nodes * (tokens > 0)[:, :, None]
        from_cursor = torch.arange(tokens.shape[1]) >= seen["cursor"].long()[:, None]
        below = (nodes * from_cursor[:, :, None]).mean(dim=1)
        here = nodes[rows, seen["cursor"].long()]
        features = torch.relu(self.body(torch.cat([nodes.mean(dim=1), below, here], dim=1)))
        logits = self.actor(features).masked_fill(~mask, -torch.inf)
        return Categorical(logits=logits), self.critic(features).squeeze(1)


def tensors(seen: dict[str, np.ndarray]) -> dict[str, Tensor]:
    return {key: torch.from_numpy(np.asarray(values)) for key, values in seen.items()}


def train(agent: Agent, envs: VectorEnv, options: Options) -> None:
    optimizer = torch.optim.Adam(agent.parameters(), lr=options.learning_rate, eps=1e-5)
    T, B = options.rollout, options.envs
    observation, info = envs.reset(seed=options.seed)
    seen, mask = tensors(observation), torch.from_numpy(info["action_mask"] > 0)
    finished: list[float] = []
    started = time.perf_counter()
    for update in range(max(1, options.steps // (T * B))):
        # Rollout: T steps of B environments.
        states: list[dict[str, Tensor]] = []
        masks = torch.zeros((T, B, mask.shape[1]), dtype=torch.bool)
        actions = torch.zeros((T, B), dtype=torch.long)
        log_probs, rewards, values, over = torch.zeros((4, T, B))
        for t in range(T):
            with torch.no_grad():
                policy, values[t] = agent(seen, mask)
            actions[t] = policy.sample()
            log_probs[t] = policy.log_prob(actions[t])
            states.append(seen)
            masks[t] = mask
            observation, reward, ended, cut, info = envs.step(actions[t].numpy())
            rewards[t] = torch.from_numpy(reward)
            over[t] = torch.from_numpy(ended | cut)
            finished += reward[ended | cut].tolist()
            for slot in np.flatnonzero(cut):  # a limit: what might have followed counts
                last = {k: torch.from_numpy(np.asarray([v])) for k, v in final(info, slot).items()}
                with torch.no_grad():
                    _, behind = agent(last, torch.ones((1, mask.shape[1]), dtype=torch.bool))
                rewards[t, slot] += options.gamma * behind.item()
            seen, mask = tensors(observation), torch.from_numpy(info["action_mask"] > 0)
        # Advantages (GAE).
        with torch.no_grad():
            following = agent(seen, mask)[1]
        advantages, carried = torch.zeros((T, B)), torch.zeros(B)
        for t in reversed(range(T)):
            goes_on = 1 - over[t]
            error = rewards[t] + options.gamma * following * goes_on - values[t]
            carried = error + options.gamma * options.gae * goes_on * carried
            advantages[t], following = carried, values[t]
        returns = advantages + values
        # The update.
        batch = {key: torch.cat([state[key] for state in states]) for key in seen}
        flat = [x.flatten(0, 1) for x in (masks, actions, log_probs, advantages, returns)]
        for _ in range(options.epochs):
            for chosen in torch.randperm(T * B).chunk(options.minibatches):
                legal, taken, before, gain, goal = (x[chosen] for x in flat)
                policy, value = agent({k: x[chosen] for k, x in batch.items()}, legal)
                ratio = (policy.log_prob(taken) - before).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
                loss = (
                    -torch.minimum(ratio * gain, clipped * gain).mean()
                    + options.value * (goal - value).square().mean()
                    - options.entropy * masked_entropy(policy, legal).mean()
                )
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), options.max_norm)
                optimizer.step()
        recent = np.mean(finished[-500:]) if finished else 0.0
        speed = (update + 1) * T * B / (time.perf_counter() - started)
        print(f"steps {(update + 1) * T * B:7}  solved {recent:6.1%}  {speed:6.0f} steps/s")


def final(info: dict[str, np.ndarray], slot: int) -> dict[str, np.ndarray]:
    """The last observation of an episode that the next one has followed at once."""
    return info["final_obs"][slot]


def masked_entropy(policy: Categorical, legal: Tensor) -> Tensor:
    """Entropy over the legal actions; 0 log 0 is 0."""
    return -(policy.probs * policy.logits.masked_fill(~legal, 0.0)).sum(dim=1)


def success_rate(agent: Agent, problems: list[Problem], keywords: dict[str, Any]) -> float:
    """The share of problems that one episode of the policy solves."""
    env = gymnasium.make("threesil/Theory-v0", problems=problems, **keywords)
    solved = 0.0
    for problem in problems:
        observation, info = env.reset(options={"problem": problem})
        over = False
        while not over:
            seen = {k: torch.from_numpy(np.asarray([v])) for k, v in observation.items()}
            with torch.no_grad():
                policy, _ = agent(seen, torch.from_numpy(info["action_mask"][None] > 0))
            action = int(policy.sample())
            observation, reward, terminated, truncated, info = env.step(action)
            solved += float(reward)
            over = terminated or truncated
    return solved / len(problems)


def size(problem: Problem) -> int:
    """Tokens of the problem's first state."""
    return problem.start.size + (problem.target.size + 1 if problem.target is not None else 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in vars(Options()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    options = Options(**vars(parser.parse_args()))
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # more only get in each other's way with a network this small
    gymnasium.register_envs(threesil.envs)
    keywords = {
        "theory": options.theory,
        "max_tokens": options.max_tokens,
        "max_steps": options.max_steps,
    }
    listed = sample_set(get_theory(options.theory), options.problems + options.episodes, seed=0)
    small = [problem for problem in listed if size(problem) <= options.max_tokens // 2]
    test, learned = small[: options.episodes], small[options.episodes :]
    envs = gymnasium.make_vec(
        "threesil/Theory-v0",
        num_envs=options.envs,
        problems=learned,
        autoreset_mode=AutoresetMode.SAME_STEP,
        **keywords,
    )
    tokens = int(envs.single_observation_space["tokens"].high.max()) + 1
    agent = Agent(tokens, options.max_tokens, int(envs.single_action_space.n))
    print(f"before training: {success_rate(agent, test, keywords):6.1%} solved")
    train(agent, envs, options)
    print(f"after training:  {success_rate(agent, test, keywords):6.1%} solved")


if __name__ == "__main__":
    main()
