"""One episode of the single environment: what is seen, rewarded, refused, and how it ends."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence as same

from threesil.envs import TheoryEnv
from threesil.theories import get_theory


def tokens(env: TheoryEnv, observation: dict[str, np.ndarray]) -> str:
    """The observation's term, the cursor in brackets."""
    names = [env.token_names()[token] for token in observation["tokens"]]
    assert names[observation["length"] :] == ["<pad>"] * (len(names) - observation["length"])
    names[observation["cursor"]] = f"[{names[observation['cursor']]}]"
    return " ".join(names[: observation["length"]])


def test_a_solved_problem() -> None:
    env = TheoryEnv("robinson", max_tokens=16)
    seen, info = env.reset(options={"problem": "1 * (1 + 0)"})
    assert tokens(env, seen) == "[*] S 0 + S 0 0"
    assert info["problem"] == "1 * (1 + 0)"
    assert info["end"] == "running"
    seen, *_ = env.step(8)
    assert tokens(env, seen) == "* S 0 [+] S 0 0"
    for action, expected in [(0, "[*] S 0 S 0"), (5, "[+] * S 0 0 S 0"), (2, "[S] + * S 0 0 0")]:
        seen, reward, terminated, truncated, info = env.step(action)
        assert tokens(env, seen) == expected
        assert (reward, terminated, truncated) == (0.0, False, False)
    env.step(7)  # to the sum, which ends with a zero
    env.step(0)
    env.step(7)
    seen, reward, terminated, truncated, info = env.step(4)
    assert tokens(env, seen) == "[S] 0"
    assert (reward, terminated, truncated, info["end"]) == (1.0, True, False, "solved")
    with pytest.raises(ResetNeeded, match="solved"):
        env.step(1)


def test_tokens_of_an_equation() -> None:
    env = TheoryEnv("aim", max_constants=3, max_variables=2)
    symbols = ["e", "*", "\\", "/", "a", "K", "T", "L", "R", "="]
    assert env.token_names() == ("<pad>", *symbols, "c0", "c1", "c2", "X0", "X1")
    seen, _ = env.reset(options={"problem": "u * v = v * u"})
    assert tokens(env, seen) == "[=] * c0 c1 * c1 c0"
    env.step(0)
    seen, *_ = env.step(8)  # y becomes x \ (x * y)
    assert tokens(env, seen) == "[=] \\ X1 * X1 * c0 c1 * c1 c0"
    assert env.observation_space.contains(seen)


def test_dead_end(tmp_path: Path) -> None:
    path = tmp_path / "one_way.txt"
    path.write_text("Goal target.\nConstants a, b.\nRule strip: f(x) -> x.\n")
    env = TheoryEnv(path)
    env.reset(options={"problem": "f(a) = b"})
    _, reward, terminated, truncated, info = env.step(2)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert info["end"] == "no action is possible"
    assert info["action_mask"].all()
    assert env.action_masks().all()


def test_step_limit() -> None:
    env = TheoryEnv("robinson", max_steps=3)
    env.reset(options={"problem": "1 + 1"})
    ends = [env.step(1)[2:] for _ in range(3)]
    assert [(terminated, truncated) for terminated, truncated, _ in ends] == [
        (False, False),
        (False, False),
        (False, True),
    ]
    assert ends[-1][2]["end"] == "step limit reached"
    with pytest.raises(ResetNeeded, match="step limit"):
        env.step(1)


def test_the_default_step_limit_is_the_theory_s() -> None:
    env = TheoryEnv("robinson")
    env.reset(options={"problem": "1 + 1"})
    truncated = [env.step(1)[3] for _ in range(get_theory("robinson").step_limit)]
    assert truncated == [False] * (len(truncated) - 1) + [True]


def test_a_term_that_outgrows_the_tokens() -> None:
    env = TheoryEnv("robinson", max_tokens=8)
    env.reset(options={"problem": "1 + 1"})  # five nodes, two more with every step
    env.step(1)
    seen, _, terminated, truncated, info = env.step(1)
    assert (terminated, truncated, info["end"]) == (False, True, "term too large")
    assert tokens(env, seen) == "[+] + S 0 S 0 0"


def test_too_many_variables() -> None:
    env = TheoryEnv("aim", max_variables=1)
    env.reset(options={"problem": "x * y = y * x"})
    env.step(0)
    *_, truncated, info = env.step(8)
    assert truncated
    assert info["end"] == "too many variables introduced"


def test_illegal_actions_say_what_is_legal() -> None:
    env = TheoryEnv("robinson")
    env.reset(options={"problem": "1 + 0"})
    with pytest.raises(ValueError, match=r"action 4 \(mul-zero ->\).*legal actions: 0 \(add-zero"):
        env.step(4)
    with pytest.raises(ValueError, match="no action 9, only 0 to 8"):
        env.step(9)
    with pytest.raises(ValueError, match="no action -1"):
        env.step(-1)
    with pytest.raises(ValueError, match="one integer"):
        env.step(0.5)  # type: ignore[arg-type]
    assert env.step(np.int64(0))[1] == 1.0  # nothing has happened in between


def test_reset_comes_first() -> None:
    env = TheoryEnv("robinson", render_mode="ansi")
    with pytest.raises(ResetNeeded):
        env.step(1)
    with pytest.raises(ResetNeeded):
        env.render()


def test_bad_keywords() -> None:
    with pytest.raises(TypeError, match="render_mode"):
        TheoryEnv("robinson", render_mode="rgb")
    with pytest.raises(TypeError, match="max_token"):
        TheoryEnv("robinson", max_token=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="steps"):
        TheoryEnv("robinson", max_steps=0)


def test_same_seed_same_episodes(env_id: str) -> None:
    def play(seed: int) -> list[dict[str, np.ndarray]]:
        env = gymnasium.make(env_id)
        observation, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        seen = [observation]
        for _ in range(100):
            action = env.action_space.sample(info["action_mask"])
            observation, _, terminated, truncated, info = env.step(action)
            seen.append(observation)
            if terminated or truncated:
                observation, info = env.reset()
                seen.append(observation)
        return seen

    first, again, other = play(5), play(5), play(6)
    assert len(first) == len(again)
    assert all(same(one, two) for one, two in zip(first, again, strict=True))
    assert not all(same(one, two) for one, two in zip(first, other, strict=False))
