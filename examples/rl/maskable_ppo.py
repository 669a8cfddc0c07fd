"""Trains MaskablePPO of sb3-contrib on a theory and compares it with random actions.

pip install threesil[gym] sb3-contrib
python examples/rl/maskable_ppo.py --theory robinson --steps 20000
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import threesil.envs

ENV_ID = "threesil/Theory-v0"
KEYWORDS: dict[str, Any] = {"theory": "robinson", "max_tokens": 64, "max_steps": 50}

Policy = Callable[[dict[str, Any], np.ndarray], int]


def make_model(seed: int) -> MaskablePPO:
    """A new model; tokens, cursor and length go side by side into a small network."""
    envs = make_vec_env(ENV_ID, n_envs=8, seed=seed, env_kwargs=KEYWORDS)
    return MaskablePPO(
        "MultiInputPolicy", envs, n_steps=128, batch_size=256, gamma=0.98, ent_coef=0.01, seed=seed
    )


def policy_of(model: MaskablePPO) -> Policy:
    def choose(observation: dict[str, Any], mask: np.ndarray) -> int:
        return int(model.predict(observation, action_masks=mask)[0])

    return choose


def random_policy(seed: int) -> Policy:
    random = np.random.default_rng(seed)
    return lambda _, mask: int(random.choice(np.flatnonzero(mask)))


def success_rate(policy: Policy, episodes: int, seed: int) -> float:
    """The share of episodes that `policy` solves; every policy gets the same problems."""
    env = gymnasium.make(ENV_ID, **KEYWORDS)
    solved = 0.0
    for episode in range(episodes):
        observation, info = env.reset(seed=seed + episode)
        over = False
        while not over:
            action = policy(observation, info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            solved += float(reward)
            over = terminated or truncated
    return solved / episodes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20_000, help="steps of training")
    parser.add_argument("--episodes", type=int, default=200, help="episodes of each test")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--theory", default=KEYWORDS["theory"], help="a name or a file")
    options = parser.parse_args()
    KEYWORDS["theory"] = options.theory

    gymnasium.register_envs(threesil.envs)
    torch.set_num_threads(1)  # more only get in each other's way with a network this small
    model = make_model(options.seed)
    test_seed = options.seed + 1_000_000

    def report(name: str, policy: Policy) -> None:
        print(f"{name:<16} {success_rate(policy, options.episodes, test_seed):6.1%} solved")

    report("random actions", random_policy(options.seed))
    report("before training", policy_of(model))
    model.learn(options.steps)
    report("after training", policy_of(model))


if __name__ == "__main__":
    main()
