"""The vector environment: one batch, the same episodes as single ones, automatic resets."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence as same
from gymnasium.vector import AutoresetMode

from threesil.envs import TheoryVectorEnv

INFOS = ("action_mask", "end", "problem")
SUMS = ["0 + 0", "0 * 0", "1 + 1"]  # solved by action 0, by action 4, by neither in one step


def slot(arrays: dict[str, Any], index: int, keys: Any = None) -> dict[str, Any]:
    return {key: arrays[key][index] for key in keys or arrays}


def test_shapes_and_spaces(env_id: str) -> None:
    envs = gymnasium.make_vec(env_id, num_envs=8, max_tokens=100)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    single = gymnasium.make(env_id, max_tokens=100)
    assert envs.single_observation_space == single.observation_space
    assert envs.single_action_space == single.action_space
    observations, infos = envs.reset(seed=1)
    assert observations["tokens"].shape == (8, 100)
    assert observations["cursor"].shape == observations["length"].shape == (8,)
    assert envs.observation_space.contains(observations)
    observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
    assert envs.observation_space.contains(observations)
    assert rewards.shape == terminated.shape == truncated.shape == (8,)
    assert rewards.dtype == np.float64
    for key in INFOS:
        assert infos[key].shape[0] == 8
        assert infos[f"_{key}"].all()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_equal_to_single_environments(env_id: str, mode: AutoresetMode, threads: int) -> None:
    count, keywords = 5, {"max_steps": 12, "max_tokens": 60}
    envs = gymnasium.make_vec(
        env_id, num_envs=count, autoreset_mode=mode, threads=threads, **keywords
    )
    singles = [gymnasium.make(env_id, **keywords) for _ in range(count)]
    observations, infos = envs.reset(seed=7)
    states = [env.reset(seed=7 + i) for i, env in enumerate(singles)]
    over = [False] * count
    episodes = 0
    for _ in range(100):
        for i, (observation, info) in enumerate(states):
            assert same(slot(observations, i), observation)
            assert same(slot(infos, i, INFOS), info)
        actions = [env.action_space.sample() for env in singles]
        observations, rewards, terminated, truncated, infos = envs.step(np.array(actions))
        for i, env in enumerate(singles):
            if over[i]:
                assert (rewards[i], terminated[i], truncated[i]) == (0.0, False, False)
                states[i], over[i] = env.reset(), False
                continue
            observation, *outcome, info = env.step(actions[i])
            assert [rewards[i], terminated[i], truncated[i]] == outcome
            states[i] = observation, info
            over[i] = outcome[1] or outcome[2]
            episodes += over[i]
            if mode is AutoresetMode.SAME_STEP:
                assert infos.get("_final_obs", np.zeros(count, bool))[i] == over[i]
                if over[i]:
                    assert same(infos["final_obs"][i], observation)
                    assert same(slot(infos["final_info"], i, INFOS), info)
                    states[i], over[i] = env.reset(), False
    assert episodes > 2 * count


def test_next_step_keeps_the_last_observation() -> None:
    envs = TheoryVectorEnv("robinson", 3, max_tokens=8)
    envs.reset(seed=1, options={"problem": SUMS})
    last, rewards, terminated, _, infos = envs.step(np.array([0, 4, 1]))
    assert rewards.tolist() == [1.0, 1.0, 0.0]
    assert terminated.tolist() == [True, True, False]
    assert last["length"].tolist() == [1, 1, 7]
    assert infos["end"].tolist() == ["solved", "solved", "running"]
    assert infos["problem"].tolist() == SUMS
    following, rewards, terminated, _, infos = envs.step(np.array([-1, 99, 0]))
    assert rewards.tolist() == [0.0] * 3
    assert not terminated.any()
    assert following["length"][2] == 5
    drawn = infos["problem"].tolist()
    assert [name.partition("-")[0] for name in drawn] == ["random", "random", SUMS[2]]
    assert infos["end"].tolist() == ["running"] * 3


def test_same_step_hands_over_the_last_observation() -> None:
    envs = TheoryVectorEnv("robinson", 3, max_tokens=8, autoreset_mode="SameStep")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    envs.reset(seed=1, options={"problem": SUMS})
    following, rewards, terminated, _, infos = envs.step(np.array([0, 4, 1]))
    assert rewards.tolist() == [1.0, 1.0, 0.0]
    assert terminated.tolist() == [True, True, False]
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == [True, True, False]
    assert infos["final_obs"][0]["tokens"].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert infos["final_obs"][2] is None
    assert infos["final_info"]["end"].tolist() == ["solved", "solved", None]
    assert infos["final_info"]["problem"].tolist() == [*SUMS[:2], None]
    drawn = infos["problem"].tolist()
    assert [name.partition("-")[0] for name in drawn] == ["random", "random", SUMS[2]]
    assert following["length"][2] == 7
    *_, infos = envs.step(envs.action_space.sample())
    assert "final_obs" not in infos or not infos["_final_obs"].all()


def test_disabled_waits_for_a_reset() -> None:
    envs = TheoryVectorEnv("robinson", 3, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1, options={"problem": SUMS})
    envs.step(np.array([0, 4, 1]))
    with pytest.raises(ResetNeeded, match=r"\[0, 1\]"):
        envs.step(np.array([1, 1, 1]))
    mask = np.array([True, True, False])
    observations, infos = envs.reset(options={"reset_mask": mask, "problem": "2 + 2"})
    assert infos["problem"].tolist() == ["2 + 2", "2 + 2", SUMS[2]]
    assert observations["length"][2] == 7
    envs.step(np.array([1, 1, 0]))
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.zeros(3, bool)})


def test_slots_may_start_one_by_one() -> None:
    envs = TheoryVectorEnv("robinson", 3)
    for i in range(3):
        with pytest.raises(ResetNeeded):
            envs.step(np.array([1, 1, 1]))
        envs.reset(seed=i, options={"reset_mask": np.arange(3) == i})
    envs.step(np.array([1, 1, 1]))


def test_an_illegal_action_stops_all() -> None:
    envs = TheoryVectorEnv("robinson", 3)
    envs.reset(options={"problem": SUMS})
    with pytest.raises(ValueError, match=r"action 4 .* in slot 2"):
        envs.step(np.array([0, 4, 4]))
    for bad in (np.array([0, 4]), np.array([0.0, 4.0, 1.0])):
        with pytest.raises(ValueError, match="3 integers"):
            envs.step(bad)
    _, rewards, *_ = envs.step(np.array([0, 4, 1]))
    assert rewards.tolist() == [1.0, 1.0, 0.0]


def test_seeds() -> None:
    envs = TheoryVectorEnv("robinson", 3)
    by_int, _ = envs.reset(seed=4)
    by_list, _ = envs.reset(seed=[4, 5, 6])
    assert same(by_int, by_list)
    assert same(by_int, envs.reset(seed=np.int64(4))[0])
    unseeded, _ = envs.reset()
    assert not same(unseeded, by_list)
    envs.reset(seed=4)
    assert same(envs.reset()[0], unseeded)
    with pytest.raises(ValueError, match="one seed for each of 3"):
        envs.reset(seed=[1])


def test_arrays_are_new_with_every_step() -> None:
    envs = TheoryVectorEnv("robinson", 2)
    kept, infos = envs.reset(seed=1)
    copies = {key: values.copy() for key, values in {**kept, **infos}.items()}
    envs.action_masks()[:] = False
    for _ in range(5):
        envs.step(envs.action_space.sample())
    assert same({**kept, **infos}, copies)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasium_s_own_vectors(mode: str) -> None:
    keywords = {"theory": "groups", "problems": ["i(i(x)) = x"]}
    envs = gymnasium.make_vec("threesil/Theory-v0", num_envs=2, vectorization_mode=mode, **keywords)
    try:
        observations, infos = envs.reset(seed=1)
        assert envs.observation_space.contains(observations)
        assert list(infos["problem"]) == ["i(i(x)) = x"] * 2
        for _ in range(5):
            actions = np.stack(infos["action_mask"]).argmax(axis=1)
            *_, infos = envs.step(actions)
    finally:
        envs.close()
