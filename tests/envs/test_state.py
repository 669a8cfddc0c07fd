"""States to keep and to go back to; copies and pickles that go on where the original stood."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence as same

from threesil.envs import TheoryEnv, TheoryVectorEnv
from threesil.errors import InputError
from threesil.theories import get_theory

COPIES: list[Callable[[Any], Any]] = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
each_copy = pytest.mark.parametrize("copied", COPIES, ids=["deepcopy", "pickle"])
each_theory = pytest.mark.parametrize("theory", ["aim", "quandles", "robinson", "polynomial"])


def go_on(env: TheoryEnv, steps: int, seed: int) -> list[Any]:
    """What is seen in so many random steps, with resets where they are due."""
    random = np.random.default_rng(seed)
    seen: list[Any] = []
    for _ in range(steps):
        step = env.step(int(random.choice(np.flatnonzero(env.action_masks()))))
        seen.append(step)
        if step[2] or step[3]:
            seen.append(env.reset())
    return seen


@each_theory
def test_back_to_a_state(theory: str) -> None:
    env = TheoryEnv(theory, max_steps=20)
    env.reset(seed=1)
    go_on(env, 33, seed=1)
    state = env.get_state()
    first = go_on(env, 50, seed=2)
    observation, info = env.set_state(state)
    assert info["problem"] == state.problem.name
    assert env.get_state() == state
    assert {env.get_state(): "known"}[state] == "known"  # a key of a table
    assert np.array_equal(info["action_mask"], env.action_masks())
    assert env.observation_space.contains(observation)
    assert same(go_on(env, 50, seed=2), first)
    other = TheoryEnv(theory, max_steps=20)  # of the same theory, not reset yet
    other.set_state(pickle.loads(pickle.dumps(state)))
    assert same(go_on(other, 50, seed=2), first)


@each_copy
@each_theory
def test_copies_go_on_alike(theory: str, copied: Callable[[Any], Any]) -> None:
    env = TheoryEnv(theory, max_steps=20)
    env.reset(seed=1)
    go_on(env, 33, seed=1)
    env.action_space.seed(5)
    twin = copied(env)
    assert [twin.action_space.sample() for _ in range(5)] == [
        env.action_space.sample() for _ in range(5)
    ]
    assert all(twin.action_masks()[twin.action_space.sample()] for _ in range(20))
    first = go_on(env, 50, seed=2)
    assert same(go_on(twin, 50, seed=2), first)  # and neither disturbs the other


@each_copy
def test_copies_of_what_is_made(copied: Callable[[Any], Any]) -> None:
    """With the wrappers of Gymnasium, before a reset, and of every kind of problems."""
    for problems in (None, ["x * y = y * x", "x * x = x"]):
        env = gymnasium.make("threesil/Theory-v0", theory="groups", problems=problems)
        twin = copied(env)
        assert twin.spec == env.spec
        assert same(twin.reset(seed=4), env.reset(seed=4))
        env.reset(options={"problem": "x * i(y) = y"})
        assert copied(env).unwrapped.get_state() == env.unwrapped.get_state()


@each_copy
def test_copies_of_vectors(copied: Callable[[Any], Any]) -> None:
    envs = TheoryVectorEnv("robinson", 5, max_steps=9)
    envs.reset(seed=1)
    envs.action_space.seed(1)
    for _ in range(30):
        envs.step(envs.action_space.sample())
    twin = copied(envs)
    for _ in range(30):
        actions = envs.action_space.sample()
        assert same(envs.step(actions), twin.step(actions))


def test_states_of_a_vector() -> None:
    envs = TheoryVectorEnv("aim", 3, max_steps=8)
    with pytest.raises(ResetNeeded):
        envs.get_state()
    envs.reset(seed=1)
    envs.action_space.seed(1)
    rounds: list[list[Any]] = []
    for _ in range(8):  # the last one ends all episodes
        envs.step(envs.action_space.sample())
    states = envs.get_state()
    actions = [envs.action_space.sample() for _ in range(1)]
    for _ in range(2):
        envs.set_state(states)
        rounds.append([envs.step(chosen) for chosen in actions])
        envs.step(envs.action_space.sample())
    assert same(rounds[0], rounds[1])
    single = TheoryEnv("aim", max_steps=8)
    single.set_state(states[1])
    with pytest.raises(ResetNeeded, match="over"):
        single.step(0)
    with pytest.raises(ValueError, match="one state for each of 3"):
        envs.set_state(states[:2])


def test_states_that_do_not_fit() -> None:
    env = TheoryEnv("robinson")
    with pytest.raises(ResetNeeded):
        env.get_state()
    env.reset(options={"problem": "1 + 1"})
    env.step(1)
    state = env.get_state()
    bad: list[tuple[Any, str]] = [
        (replace(state, actions=(1, 4)), "does not fit the limits here"),
        (replace(state, theory=get_theory("aim").digest), "another theory"),
        ((1, 2), "what get_state"),
    ]
    for given, message in bad:
        with pytest.raises(InputError, match=message):
            env.set_state(given)
        assert env.get_state() == state
    long = replace(state, actions=(1,) * 20)
    env.set_state(long)
    with pytest.raises(InputError, match="does not fit the limits here"):
        TheoryEnv("robinson", max_steps=10).set_state(long)
