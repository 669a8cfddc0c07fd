"""PPO of RLlib (Ray) with action masks on any theory.

pip install threesil[gym,train] "ray[rllib]"
python examples/rl/rllib_ppo.py --theory robinson --iterations 20 --runners 2

RLlib's modules see observations alone, so a wrapper puts the mask into them; the module takes it
out again and gives illegal actions no probability.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np
import ray
import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.tune.registry import register_env
from torch import Tensor, nn

import threesil.envs

Batch = dict[str, Any]


class MaskSeen(gymnasium.Wrapper[Any, Any, Any, Any]):
    """The same environment with the mask in its observations."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        seen = dict(env.observation_space.spaces)
        actions = int(env.action_space.n)
        self.observation_space = spaces.Dict(
            {**seen, "action_mask": spaces.Box(0, 1, (actions,), np.int8)}
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        return {**observation, "action_mask": info["action_mask"]}, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(int(action))
        seen = {**observation, "action_mask": info["action_mask"]}
        return seen, float(reward), terminated, truncated, info


def make_env(keywords: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    gymnasium.register_envs(threesil.envs)
    return MaskSeen(gymnasium.make("threesil/Theory-v0", **keywords))


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Tokens in their places and the one under the cursor, for a policy over the legal actions."""

    def setup(self) -> None:
        tokens: spaces.Box = self.observation_space["tokens"]
        size = self.model_config["size"]
        self.token = nn.Embedding(int(tokens.high.max()) + 1, size, padding_idx=0)
        self.place = nn.Embedding(tokens.shape[0], size)
        self.body = nn.Sequential(nn.Linear(2 * size, 128), nn.ReLU(), nn.Linear(128, 128))
        self.actor, self.critic = nn.Linear(128, int(self.action_space.n)), nn.Linear(128, 1)

    def features(self, seen: dict[str, Tensor]) -> Tensor:
        tokens, cursor = seen["tokens"].long(), seen["cursor"].long()
        nodes = torch.relu(self.token(tokens) + self.place.weight) * (tokens > 0)[:, :, None]
        here = nodes[torch.arange(len(cursor)), cursor]
        return torch.relu(self.body(torch.cat([nodes.mean(dim=1), here], dim=1)))

    def _forward(self, batch: Batch, **keywords: Any) -> Batch:
        seen = batch[Columns.OBS]
        logits = self.actor(self.features(seen))
        least = torch.finfo(logits.dtype).min / 2  # RLlib takes differences: no infinities
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, least)}

    def compute_values(self, batch: Batch, embeddings: Any = None) -> Tensor:
        return self.critic(self.features(batch[Columns.OBS])).squeeze(-1)


def configuration(keywords: dict[str, Any], runners: int, batch: int, seed: int) -> PPOConfig:
    return (
        PPOConfig()
        .environment("threesil", env_config=keywords)
        .framework("torch")
        .env_runners(num_env_runners=runners, num_envs_per_env_runner=8)
        .learners(num_learners=0, num_gpus_per_learner=0)
        .training(
            train_batch_size_per_learner=batch,
            minibatch_size=min(256, batch),
            num_epochs=4,
            lr=1e-3,
            gamma=0.98,
            entropy_coeff=0.01,
        )
        .rl_module(rl_module_spec=RLModuleSpec(MaskedModule, model_config={"size": 64}))
        .debugging(seed=seed, log_level="ERROR")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--theory", default="robinson", help="a name or a file")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--batch", type=int, default=4000, help="transitions of an iteration")
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0: this one")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    register_env("threesil", make_env)
    ray.init(num_cpus=max(1, options.runners), include_dashboard=False, log_to_driver=False)
    keywords = {"theory": options.theory, "max_tokens": 64, "max_steps": 50}
    config = configuration(keywords, options.runners, options.batch, options.seed)
    algorithm = config.build_algo()
    for iteration in range(1, options.iterations + 1):
        played = algorithm.train()["env_runners"]
        solved = played.get("episode_return_mean", float("nan"))  # the reward of a solution is 1
        print(f"iteration {iteration}: {played['num_episodes']:.0f} episodes, {solved:.1%} solved")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
