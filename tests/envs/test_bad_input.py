"""What is no action, no option, no setting is refused with a word on what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from threesil.envs import TheoryEnv, TheoryVectorEnv
from threesil.errors import IllegalAction, InputError

SUMS = ["0 + 0", "0 * 0", "1 + 1"]  # solved by action 0, by action 4, by neither in one step


class Hostile:
    """An object whose conversion to an array fails."""

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise KeyError("no array")


@pytest.mark.parametrize(
    "action",
    [
        0.0,
        float("nan"),
        "0",
        None,
        True,
        10**30,
        object(),
        Hostile(),
        [0, 0],
        [],
        [[0], [1, 2]],
        np.array([0.0]),
        np.array([0], dtype=object),
        np.array([True]),
        np.datetime64("2020-01-01"),
        {0: 1},
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_action(action: Any) -> None:
    env = TheoryEnv("robinson")
    env.reset(options={"problem": "1 + 0"})
    with pytest.raises(IllegalAction, match="an action is one integer, not "):
        env.step(action)
    assert env.step(0)[1] == 1.0  # nothing has happened in between


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, ">i4", np.int64])
def test_integers_of_every_kind_are_actions(kind: Any) -> None:
    env = TheoryEnv("robinson")
    env.reset(options={"problem": "1 + 0"})
    assert env.step(np.array(0, dtype=kind))[1] == 1.0
    envs = TheoryVectorEnv("robinson", 3)
    envs.reset(seed=1, options={"problem": SUMS})
    spread = np.array([0, 9, 4, 9, 1, 9], dtype=kind)[::2]  # not contiguous
    assert envs.step(spread)[1].tolist() == [1.0, 1.0, 0.0]
    assert not envs.step(np.array([9, 9, 1]).astype(kind))[1].any()  # two slots start again


@pytest.mark.parametrize(
    "actions",
    [
        3,
        [0, 4],
        [[0, 4, 1]],
        [0.0, 4.0, 1.0],
        [0, 4, None],
        [0, 4, float("nan")],
        ["0", "4", "1"],
        [0, 4, 10**30],
        [[0], [4], [1, 2]],
        np.zeros((3, 1), dtype=np.int64),
        np.array([True, True, True]),
        Hostile(),
        None,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_are_no_actions(actions: Any) -> None:
    envs = TheoryVectorEnv("robinson", 3)
    envs.reset(options={"problem": SUMS})
    with pytest.raises(IllegalAction, match=r"actions are 3 integers, shape \(3,\), not "):
        envs.step(actions)
    assert envs.step(np.array([0, 4, 1]))[1].tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("action", [2**63 - 1, -(2**63), 2**31, 2**32, -(2**32)])
def test_numbers_far_away_do_not_wrap(action: int) -> None:
    env = TheoryEnv("robinson")
    env.reset(options={"problem": "1 + 0"})
    with pytest.raises(IllegalAction, match=f"there is no action {action}"):
        env.step(action)
    with pytest.raises(IllegalAction, match=f"there is no action {2**63 - 1}"):
        env.step(np.uint64(2**64 - 1))


@pytest.mark.parametrize("problem", [1.5, True, np.bool_(True), b"1 + 1", {"a": 1}, object()])
def test_what_is_no_problem(problem: Any) -> None:
    env = TheoryEnv("robinson")
    with pytest.raises(InputError, match="a problem is a Problem, its text or its number"):
        env.reset(options={"problem": problem})


def test_what_are_no_options() -> None:
    for bad in ("problem", ["problem"], 3):
        with pytest.raises(ValueError, match="options are a dict with the keys problem"):
            TheoryEnv("robinson").reset(options=bad)  # type: ignore[arg-type]
    envs = TheoryVectorEnv("robinson", 3)
    for mask in (np.ones(2, bool), np.ones(3), [1, 0, 1], "all"):
        with pytest.raises(ValueError, match="reset_mask is"):
            envs.reset(options={"reset_mask": mask})
    assert envs.reset(seed=np.array([4, 5, 6]))[1]["end"].tolist() == ["running"] * 3  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["max_steps", "max_tokens", "max_constants", "max_variables"])
def test_what_are_no_settings(name: str) -> None:
    for bad in (2.5, "3", True, float("nan")):
        with pytest.raises(TypeError, match=f"{name} is an integer"):
            TheoryEnv("robinson", **{name: bad})
    for bad in (-1, 2**31):
        with pytest.raises(ValueError, match=name):
            TheoryEnv("robinson", **{name: bad})


def test_many_variables_cost_nothing() -> None:
    """The tokens are counted, not listed, which would take minutes here."""
    env = TheoryEnv("groups", problems=["i(i(x)) = x"], max_variables=2**31 - 100)
    tokens = env.observation_space["tokens"]  # type: ignore[index]
    assert tokens.high.max() == len(env.theory.signature.symbols) + 1 + 8 + 2**31 - 100
    assert env.observation_space.contains(env.reset(seed=1)[0])


def test_what_is_no_width() -> None:
    for bad in (0, -3):
        with pytest.raises(ValueError, match="num_envs"):
            TheoryVectorEnv("robinson", bad)
    with pytest.raises(TypeError, match="threads"):
        TheoryVectorEnv("robinson", 2, threads=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("problems", "message"),
    [
        ([3], "it has 3"),
        ([], "empty; leave it out"),
        ({"1 + 1"}, "a list, the name of a set or a file"),
        ("x * y = y * x", r"goes into a list: problems=\['x \* y"),
        (["x & y = x"], "expected"),
        (["x = x"], "none of the 1 problems is left"),
        (["exists z: x * z = y"], "without exists"),
        ("nowhere", "no file and no problem set 'nowhere'; sets of groups"),
        ("missing.txt", "missing.txt"),
    ],
)
def test_what_are_no_problems(problems: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TheoryEnv("groups", problems=problems)
