"""Where the problems of an environment come from: a list, a file, or random ones.

The problems of a supply are numbered from 0. There are `RANDOM` random ones for each theory; the
number alone decides which problem it is, whatever the environment and its seed. They are made one
by one, when they are first drawn: what takes time is to make a problem, not to play it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from threesil.engine import Batch, End, Limits
from threesil.problems import load_problems, parse_problem, sample_problem
from threesil.theory import Problem, Theory

Choice = Problem | str | int
"""A problem, its text, or its index in the list."""

RANDOM = 2048
_TRIES = 1000


class Supply:
    """The problems of an environment.

    `problems` is a list, the path of a file, or None for random problems of the theory. A listed
    problem that is solved at its start is never drawn; one that does not fit is refused.
    """

    def __init__(
        self,
        theory: Theory,
        problems: Sequence[Problem] | str | Path | None,
        limits: Limits,
        max_constants: int,
    ) -> None:
        self.theory = theory
        self._max_constants = max_constants
        self._probe = Batch(theory, [], limits=limits)
        if isinstance(problems, str | Path):
            problems = load_problems(problems, theory)
        self.listed = None if problems is None else tuple(problems)
        self._made: dict[int, Problem] = {}
        if self.listed is not None:
            for problem in self.listed:
                if not isinstance(problem, Problem):
                    raise TypeError(f"problems is a list of Problem; it has {problem!r}")
            self._made = dict(enumerate(self.listed))
            self._open = [k for k, p in self._made.items() if self._check(p) is End.RUNNING]
            if not self._open:
                raise ValueError(f"none of the {len(self.listed)} problems is left to solve")

    def __len__(self) -> int:
        return RANDOM if self.listed is None else len(self.listed)

    def __getitem__(self, number: int) -> Problem:
        """The problem with this number."""
        if number not in self._made:
            self._made[number] = self._random(number)
        return self._made[number]

    def draw(self, generator: np.random.Generator) -> int:
        """The number of a problem that fits and is not solved; one draw decides it."""
        drawn = int(generator.integers(2**63))
        return drawn % RANDOM if self.listed is None else self._open[drawn % len(self._open)]

    def _random(self, number: int) -> Problem:
        random = Random(number)
        for _ in range(_TRIES):
            problem = sample_problem(self.theory, random)
            try:
                if self._check(problem) is End.RUNNING:
                    return problem
            except ValueError:
                continue
        raise ValueError(f"no random problem of {self.theory.name} fits the limits")

    def choose(self, choice: Choice) -> Problem:
        """The problem that the user asks for; `ValueError` if it does not fit or is solved."""
        if isinstance(choice, str):
            problem = parse_problem(choice, self.theory)
        elif isinstance(choice, Problem):
            problem = choice
        elif isinstance(choice, bool) or not isinstance(choice, int | np.integer):
            raise ValueError(f"a problem is a Problem, its text or its index, not {choice!r}")
        elif self.listed is None:
            raise ValueError(f"problem {choice}: there is no list of problems; pass problems=...")
        elif not 0 <= choice < len(self.listed):
            raise ValueError(f"problem {choice}: the list has problems 0 to {len(self.listed) - 1}")
        else:
            problem = self.listed[choice]
        end = self._check(problem)
        if end is not End.RUNNING:
            raise ValueError(f"problem {problem.name} can't be played: {end.reason}")
        return problem

    def first_mask(self, problem: Problem) -> NDArray[np.bool_]:
        """Legal actions at the start of a problem, (A,)."""
        self._probe.load([problem])
        self._probe.reset(0, 0)
        mask: NDArray[np.bool_] = self._probe.masks()[0]
        return mask

    def _check(self, problem: Problem) -> End:
        """`RUNNING` if an episode on the problem can begin; `ValueError` if it does not fit."""
        constants = len(self._probe.codec.constants(problem))
        if constants > self._max_constants:
            raise ValueError(
                f"problem {problem.name} has {constants} variables; "
                f"pass max_constants={constants} (it is {self._max_constants})"
            )
        possible = self.first_mask(problem).any()
        end = self._probe.end(0)
        if end is End.SIZE:
            size = len(self._probe.codes(0))
            raise ValueError(
                f"problem {problem.name} has {size} tokens; "
                f"pass max_tokens={size} or more (it is {self._probe.limits.size})"
            )
        return End.DEAD_END if end is End.RUNNING and not possible else end
