"""The curriculum: levels that open one after the other, and problems drawn from the open ones."""

from __future__ import annotations

import numpy as np
import pytest

from samples import AIM, POLYNOMIAL, ROBINSON, easy_problems, term
from threesil.kernel.theory import Problem
from threesil.learn.curriculum import Curriculum, by_difficulty, draw_problems
from threesil.problems.sets import sample_set
from threesil.theories import benchmark_of


@pytest.mark.parametrize(
    ("problems", "size", "pools"),
    [
        (1000, 400, [400, 800, 1000]),
        (800, 400, [400, 800]),
        (5, 2, [2, 4, 5]),
        (7, 7, [7]),
        (7, 400, [7]),
        (7, 0, [7]),  # no levels: all at once
        (3, 1, [1, 2, 3]),
    ],
)
def test_levels_open_one_after_the_other(problems: int, size: int, pools: list[int]) -> None:
    curriculum = Curriculum(problems, size, threshold=0.95)
    assert curriculum.levels == len(pools)
    for level, pool in enumerate(pools, 1):
        assert not curriculum.finished
        assert (curriculum.level, curriculum.pool) == (level, pool)
        curriculum.report(1.0)
    assert curriculum.finished
    assert (curriculum.level, curriculum.pool) == (len(pools), problems)
    curriculum.report(1.0)
    curriculum.report(0.0)
    assert curriculum.finished
    assert curriculum.level == len(pools)


def test_a_level_opens_above_the_threshold_only() -> None:
    curriculum = Curriculum(1000, 100, threshold=0.9)
    for success in (0.0, 0.5, 0.8999, 0.9):
        curriculum.report(success)
        assert curriculum.level == 1
    curriculum.report(0.9001)
    assert curriculum.level == 2
    curriculum.report(0.1)
    assert curriculum.level == 2  # nothing closes again


def test_problems_are_ordered_by_difficulty() -> None:
    chosen = [
        Problem(name, term("0 + 0", ROBINSON), None, ("0", lopl))
        for name, lopl in (("a", "30"), ("b", "?"), ("c", "7"), ("d", "30"), ("e", "500"))
    ]
    assert [p.name for p in by_difficulty(ROBINSON, chosen)] == ["c", "a", "d", "e", "b"]
    assert by_difficulty(AIM, easy_problems(AIM)) == easy_problems(AIM)
    polynomials = sample_set(POLYNOMIAL, 50, seed=1)
    difficulty = benchmark_of(POLYNOMIAL).difficulty
    assert difficulty is not None
    measures = [difficulty(p) for p in by_difficulty(POLYNOMIAL, polynomials)]
    assert measures == sorted(map(difficulty, polynomials))
    assert measures[0] < measures[-1]


@pytest.mark.parametrize("bias", [1.0, 5.0])
def test_unsolved_problems_are_drawn_more_often(bias: float) -> None:
    pool, count = 40, 60_000
    solved = np.zeros(100, dtype=np.bool_)
    solved[::4] = True  # 10 of the pool
    drawn = draw_problems(pool, count, solved, bias, np.random.default_rng(1))
    assert drawn.dtype == np.uint32
    assert drawn.shape == (count,)
    counts = np.bincount(drawn, minlength=100)
    assert not counts[pool:].any()
    weights = np.where(solved[:pool], 1.0, bias)
    expected = count * weights / weights.sum()
    statistic = ((counts[:pool] - expected) ** 2 / expected).sum()
    assert statistic < pool + 6 * np.sqrt(2 * pool)
    ratio = counts[:pool][~solved[:pool]].mean() / counts[:pool][solved[:pool]].mean()
    assert ratio == pytest.approx(bias, rel=0.08)


@pytest.mark.parametrize("all_solved", [False, True])
def test_a_bias_between_equals_changes_nothing(all_solved: bool) -> None:
    solved = np.full(10, all_solved)
    drawn = draw_problems(10, 20_000, solved, 5.0, np.random.default_rng(2))
    counts = np.bincount(drawn, minlength=10)
    assert np.abs(counts - 2000).max() < 6 * np.sqrt(2000)


def test_draws_depend_on_the_generator_alone() -> None:
    solved = np.arange(50) % 3 == 0
    for bias in (1.0, 5.0):
        first, second, other = (
            draw_problems(50, 100, solved, bias, np.random.default_rng(seed)) for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(first, second)
        assert not np.array_equal(first, other)
