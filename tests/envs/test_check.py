"""Gymnasium's and Stable-Baselines3's own checks, and the registration."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import VectorEnv
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from threesil.envs import register_all
from threesil.theories import all_theories, benchmark_of


@pytest.fixture(autouse=True)
def warnings_are_errors() -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_every_registered_environment(env_id: str) -> None:
    for render_mode in (None, "ansi", "rgb_array"):
        check_env(gymnasium.make(env_id, render_mode=render_mode).unwrapped)


def test_the_specification_knows_the_steps_of_an_episode() -> None:
    def steps(env: gymnasium.Env[Any, Any] | VectorEnv[Any, Any, Any]) -> int | None:
        assert env.spec is not None
        return env.spec.max_episode_steps

    make, make_vec = gymnasium.make, gymnasium.make_vec
    assert steps(make("threesil/AIM-v0")) == 30
    assert steps(make("threesil/Theory-v0", theory="groups")) == 100
    assert steps(make("threesil/Theory-v0", theory="groups", max_steps=7)) == 7
    assert steps(make_vec("threesil/AIM-v0", num_envs=2)) == 30
    assert steps(make_vec("threesil/AIM-v0", num_envs=2, max_episode_steps=5)) == 5
    short = make("threesil/Robinson-v0", max_episode_steps=3)  # by Gymnasium's own wrapper
    short.reset(options={"problem": "1 + 1"})
    assert [short.step(1)[3] for _ in range(3)] == [False, False, True]
    env = make("threesil/AIM-v0", max_tokens=64)
    assert env.spec is not None
    again = make(env.spec)
    assert again.observation_space == env.observation_space
    assert make_vec(env.spec, num_envs=2).reset(seed=1)[0]["tokens"].shape == (2, 64)


def test_stable_baselines_check(env_id: str) -> None:
    sb3_check_env(gymnasium.make(env_id).unwrapped)


@pytest.mark.parametrize("file", ["groups", "boolean"])
def test_theories_of_a_user(file: str, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(file)
    for _ in range(5):
        check_env(gymnasium.make("threesil/Theory-v0", theory=path).unwrapped)


def test_a_theory_by_name_or_as_an_object() -> None:
    for theory in all_theories():
        for given in (theory, theory.name):
            env = gymnasium.make("threesil/Theory-v0", theory=given)
            assert env.get_wrapper_attr("theory") is theory
            env.reset(seed=1)


def test_a_theory_object_passes_the_check() -> None:
    for theory in all_theories():
        check_env(gymnasium.make("threesil/Theory-v0", theory=theory).unwrapped)


def test_every_theory_with_an_id_is_registered() -> None:
    named = {benchmark_of(theory).env_id for theory in all_theories()} - {None}
    ids = {f"threesil/{env_id}" for env_id in named} | {"threesil/Theory-v0"}
    assert {i for i in gymnasium.registry if i.startswith("threesil/")} == ids
    register_all()  # once more: no warning of overriding


def test_ids_work_with_the_module_in_front() -> None:
    code = "import gymnasium; gymnasium.make('threesil.envs:threesil/Robinson-v0').reset()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_gymnasium_the_extra_is_named() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import threesil.envs"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode != 0
    assert "MissingTool" in run.stderr
    assert "pip install threesil[gym]" in run.stderr
