"""Masks, and action spaces that sample legal actions."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
from gymnasium import spaces

from threesil.engine import Episode
from threesil.envs import TheoryEnv, TheoryVectorEnv


def test_masks_are_the_engine_s(env_id: str) -> None:
    env = gymnasium.make(env_id).unwrapped
    assert isinstance(env, TheoryEnv)
    env.reset(seed=1)
    for seed in range(5):
        supply = env._slots.supply
        problem = supply[supply.draw(np.random.default_rng(seed))]
        _, info = env.reset(options={"problem": problem})
        episode = Episode(env.theory, problem)
        over = False
        while not over:
            mask = info["action_mask"]
            assert mask.dtype == np.int8
            assert mask.shape == (len(env.theory.actions),)
            assert np.array_equal(mask, env.action_masks())
            assert env.action_masks().dtype == np.bool_
            assert np.array_equal(mask, episode.mask)
            action = env.action_space.sample(mask)
            *_, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            if not over:
                episode.step(int(action))
        assert info["action_mask"].any()


def test_samples_without_a_mask_are_legal(env_id: str) -> None:
    env = gymnasium.make(env_id)
    env.reset(seed=1)
    env.action_space.seed(2)
    for step in range(300):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
        if step % 50 == 0:
            env.reset(seed=step)
            env.action_space.seed(step)


def test_a_sample_right_after_seeding_fits_the_coming_reset(env_id: str) -> None:
    env = gymnasium.make(env_id)
    env.reset(seed=0)
    for seed in range(50):
        env.step(env.action_space.sample())
        env.action_space.seed(seed)
        action = env.action_space.sample()
        _, info = env.reset(seed=seed)
        assert info["action_mask"][action]


def test_vector_samples_are_legal(env_id: str) -> None:
    envs = gymnasium.make_vec(env_id, num_envs=4)
    _, infos = envs.reset(seed=1)
    assert infos["action_mask"].shape == (4, envs.single_action_space.n)
    envs.action_space.seed(1)
    for _ in range(200):
        *_, infos = envs.step(envs.action_space.sample())
        assert infos["action_mask"].any(axis=1).all()
        assert np.array_equal(infos["action_mask"], envs.unwrapped.action_masks())


def test_copies_of_the_spaces_are_plain() -> None:
    for env in (TheoryEnv("robinson"), TheoryVectorEnv("robinson", 3)):
        env.action_space.seed(4)
        for twin in (copy.deepcopy(env.action_space), pickle.loads(pickle.dumps(env.action_space))):
            assert type(twin) in (spaces.Discrete, spaces.MultiDiscrete)
            assert twin == env.action_space
            assert twin.contains(twin.sample())
