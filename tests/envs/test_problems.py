"""Which problem an episode plays: lists, files, options, random ones."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest

from threesil.envs import TheoryEnv, TheoryVectorEnv
from threesil.errors import InputError
from threesil.kernel.terms import Term, var
from threesil.notations.infix import format_term
from threesil.problems.files import parse_problem
from threesil.problems.sets import load_set
from threesil.theories import benchmark_of, get_theory

ROBINSON = get_theory("robinson")
LIST = [parse_problem(text, ROBINSON) for text in ("2 + 0", "3", "0 * 1", "2 * 2")]


def test_a_problem_its_text_or_its_index() -> None:
    env = TheoryEnv("robinson", problems=LIST)
    for choice in (LIST[2], "0 * 1", 2, np.int64(2)):
        _, info = env.reset(options={"problem": choice})
        assert info["problem"] == "0 * 1"


def test_drawn_from_the_list_without_the_solved_one() -> None:
    env = TheoryEnv("robinson", problems=LIST)
    env.reset(seed=3)
    names = [env.reset()[1]["problem"] for _ in range(100)]
    assert set(names) == {"2 + 0", "0 * 1", "2 * 2"}
    env.reset(seed=3)
    assert names == [env.reset()[1]["problem"] for _ in range(100)]


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "sums.txt"
    path.write_text("1 + 2\n4 + 4\n")
    for given in (path, str(path)):
        env = TheoryEnv("robinson", problems=given)
        assert env.reset(options={"problem": 1})[1]["problem"] == "sums.txt:2"


@pytest.mark.parametrize("theory", ["aim", "quandles", "wajsberg"])
def test_texts(theory: str) -> None:
    signature = get_theory(theory).signature
    binary = next(f for f, arity in signature.symbols.items() if arity == 2)
    sides = Term(binary, (var("x"), var("y"))), Term(binary, (var("y"), var("x")))
    text = " = ".join(format_term(side, signature) for side in sides)
    env = gymnasium.make("threesil/Theory-v0", theory=theory, problems=[text])
    assert env.reset(seed=1)[1]["problem"] == text


def test_sets_by_name() -> None:
    env = TheoryEnv("groups", problems="goals")
    goals = benchmark_of(get_theory("groups")).goals
    env.reset(seed=1)
    seen = {env.reset()[1]["problem"] for _ in range(100)}
    assert seen == {goal.name for goal in goals if not goal.exists}
    with pytest.raises(InputError, match="a theory of its own"):
        TheoryEnv("aim", problems="lemmas")


@pytest.mark.data
def test_a_recorded_set(data: Path) -> None:
    env = TheoryEnv("aim", problems="dev")
    name = load_set(get_theory("aim"), "dev")[7].name
    assert env.reset(options={"problem": 7})[1]["problem"] == name


def test_random_problems_are_called_by_their_number() -> None:
    env = TheoryEnv("robinson")
    seen, info = env.reset(seed=3)
    name = info["problem"]
    assert name.startswith("random-")
    again, info = env.reset(options={"problem": int(name.removeprefix("random-"))})
    assert info["problem"] == name
    assert np.array_equal(seen["tokens"], again["tokens"])


def test_theorems_of_a_theory_file(groups: Path) -> None:
    env = TheoryEnv(groups, problems=groups)
    assert env.reset()[1]["problem"] == "one"


def test_random_problems_are_open(env_id: str) -> None:
    _, infos = gymnasium.make_vec(env_id, num_envs=64).reset(seed=0)
    assert (infos["end"] == "running").all()


def test_the_number_decides_the_random_problem(env_id: str) -> None:
    env, envs = gymnasium.make(env_id).unwrapped, gymnasium.make_vec(env_id, num_envs=3)
    assert isinstance(env, TheoryEnv)
    assert isinstance(envs, TheoryVectorEnv)
    one, other = env._slots.supply, envs._slots.supply
    numbers = [one.draw(np.random.default_rng(seed)) for seed in range(8)]
    assert numbers == [other.draw(np.random.default_rng(seed)) for seed in range(8)]
    assert [one[number] for number in numbers] == [other[n] for n in reversed(numbers)][::-1]
    assert max(numbers) < len(one)
    problem = one[numbers[0]]
    assert problem is one[numbers[0]]  # made once
    assert env.reset(options={"problem": problem})[1]["end"] == "running"


def test_chosen_problems_do_not_stay(groups: Path) -> None:
    """What was chosen for one episode leaves the drawn ones as they are."""
    env = TheoryEnv(groups)
    env.reset(seed=5)
    drawn = [env.reset()[0]["tokens"].tolist() for _ in range(4)]
    env.reset(seed=5)
    for tokens in drawn:
        chosen, _ = env.reset(options={"problem": "x * y = y * x"})
        assert chosen["length"] == 7
        assert env.reset()[0]["tokens"].tolist() == tokens


def test_problems_that_can_not_be_played() -> None:
    env = TheoryEnv("robinson", problems=LIST, max_tokens=20)
    with pytest.raises(InputError, match=r"problem 3 can't be played: solved"):
        env.reset(options={"problem": 1})
    with pytest.raises(InputError, match=r"0 to 3"):
        env.reset(options={"problem": 4})
    with pytest.raises(InputError, match=r"53 tokens; pass max_tokens=53"):
        env.reset(options={"problem": "50 + 0"})
    with pytest.raises(InputError, match="unknown symbol"):
        env.reset(options={"problem": "1 + q"})
    with pytest.raises(ValueError, match="unknown option 'problems'"):
        env.reset(options={"problems": 1})
    with pytest.raises(InputError, match="0 to 2047"):
        TheoryEnv("robinson").reset(options={"problem": 2048})
    with pytest.raises(InputError, match="none of the 1 problems"):
        TheoryEnv("robinson", problems=[LIST[1]])


def test_more_constants_than_tokens_for_them() -> None:
    env = TheoryEnv("aim")
    names = "abcdefghij".replace("a", "p").replace("e", "q")
    text = " * ".join(names) + " = e"
    with pytest.raises(InputError, match="10 variables; pass max_constants=10 "):
        env.reset(options={"problem": text})
    observation, _ = TheoryEnv("aim", max_constants=10).reset(options={"problem": text})
    assert observation["length"] == 21
    aim = get_theory("aim")
    with pytest.raises(InputError, match="max_constants"):
        TheoryEnv(aim, problems=[parse_problem(text, aim)])


def test_options_of_a_vector() -> None:
    envs = TheoryVectorEnv("robinson", 3, problems=LIST)
    assert envs.reset(options={"problem": "1 + 1"})[1]["problem"].tolist() == ["1 + 1"] * 3
    _, infos = envs.reset(seed=1, options={"problem": [0, None, LIST[3]]})
    assert infos["problem"][[0, 2]].tolist() == ["2 + 0", "2 * 2"]
    with pytest.raises(ValueError, match="one problem for each of 3"):
        envs.reset(options={"problem": [0]})
