"""The curriculum: problems by difficulty, in levels that open one after the other (section 6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from threesil.kernel.theory import Problem, Theory
from threesil.theories import benchmark_of


def by_difficulty(theory: Theory, problems: Sequence[Problem]) -> list[Problem]:
    """The problems from the easiest to the hardest; as they stand if there is no measure."""
    difficulty = benchmark_of(theory).difficulty
    return list(problems) if difficulty is None else sorted(problems, key=difficulty)


class Curriculum:
    """`level` (from 1) of `levels`; the pool is the problems of all levels up to this one."""

    def __init__(self, problems: int, level_size: int, threshold: float) -> None:
        self._problems = problems
        self._size = level_size or problems
        self.threshold = threshold
        self.level = 1
        self.finished = False  # the last level has been passed

    @property
    def levels(self) -> int:
        return -(-self._problems // self._size)

    @property
    def pool(self) -> int:
        """How many problems are open: those with a smaller index."""
        return min(self.level * self._size, self._problems)

    def report(self, success: float) -> None:
        """Takes in the success rate of an evaluation; opens at most one level."""
        if success <= self.threshold:
            return
        if self.level < self.levels:
            self.level += 1
        else:
            self.finished = True


def draw_problems(
    pool: int, count: int, solved: NDArray[np.bool_], bias: float, random: np.random.Generator
) -> NDArray[np.uint32]:
    """Problems of the pool, drawn with replacement; an unsolved one is `bias` times likelier."""
    if bias == 1.0:
        return random.integers(pool, size=count).astype(np.uint32)
    weights = np.where(solved[:pool], 1.0, bias)
    return random.choice(pool, size=count, p=weights / weights.sum()).astype(np.uint32)
