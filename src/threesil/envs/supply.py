"""Where the problems of an environment come from: a list, a set, a file, or random ones.

The problems of a supply are numbered from 0. There are `RANDOM` random ones for each theory; the
number alone decides which problem it is, whatever the environment and its seed. They are made one
by one, when they are first drawn: what takes time is to make a problem, not to play it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from threesil.engine import Batch, End, Limits
from threesil.errors import InputError
from threesil.files import is_file
from threesil.kernel.theory import Problem, Theory
from threesil.problems.files import parse_problem
from threesil.problems.generate import sample_problem
from threesil.problems.sets import open_set

Choice = Problem | str | int
"""A problem, its text, or its number."""
Source = Sequence[Problem | str] | str | Path | None
"""Problems or their texts, the name of a set, the path of a file, or None for random problems."""

RANDOM = 2048
_TRIES = 1000


class Supply:
    """The problems of an environment.

    A listed problem that is solved at its start is never drawn; one that does not fit is refused
    (`InputError`). Of sets and files, goals that look for values are left out. A random
    one is called `random-` and its number.
    """

    def __init__(
        self,
        theory: Theory,
        problems: Source,
        limits: Limits,
        max_constants: int,
    ) -> None:
        self.theory = theory
        self._max_constants = max_constants
        self._limits = limits
        self._own_probe: Batch | None = None
        self.listed = None if problems is None else _read(problems, theory)
        self._made: dict[int, Problem] = {}
        if self.listed is not None:
            self._made = dict(enumerate(self.listed))
            self._open = [k for k, p in self._made.items() if self._check(p) is End.RUNNING]
            if not self._open:
                raise InputError(f"none of the {len(self.listed)} problems is left to solve")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_own_probe": None}

    @property
    def _probe(self) -> Batch:
        """A batch to try problems in; copies make their own."""
        if self._own_probe is None:
            self._own_probe = Batch(self.theory, [], limits=self._limits)
        return self._own_probe

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
                    return replace(problem, name=f"random-{number}")
            except InputError:
                continue
        raise InputError(
            f"no random problem of {self.theory.name} fits the limits; raise max_tokens "
            f"(it is {self._limits.size}), or pass problems=..."
        )

    def choose(self, choice: Choice) -> Problem:
        """The problem that the user asks for; `InputError` if it does not fit or is solved."""
        if isinstance(choice, str):
            problem = parse_problem(choice, self.theory)
        elif isinstance(choice, Problem):
            problem = choice
        elif isinstance(choice, bool) or not isinstance(choice, int | np.integer):
            raise InputError(f"a problem is a Problem, its text or its number, not {choice!r}")
        elif not 0 <= choice < len(self):
            raise InputError(f"problem {choice}: there are the problems 0 to {len(self) - 1}")
        else:
            problem = self[int(choice)]
        end = self._check(problem)
        if end is not End.RUNNING:
            raise InputError(f"problem {problem.name} can't be played: {end.reason}")
        return problem

    def first_mask(self, problem: Problem) -> NDArray[np.bool_]:
        """Legal actions at the start of a problem, (A,)."""
        self._probe.load([problem])
        self._probe.reset(0, 0)
        mask: NDArray[np.bool_] = self._probe.masks()[0]
        return mask

    def _check(self, problem: Problem) -> End:
        """`RUNNING` if an episode on the problem can begin; `InputError` if it does not fit."""
        if problem.exists:
            raise InputError(
                f"problem {problem.name}: an episode can't look for values; take an equation "
                "without exists"
            )
        constants = len(self._probe.codec.constants(problem))
        if constants > self._max_constants:
            raise InputError(
                f"problem {problem.name} has {constants} variables; "
                f"pass max_constants={constants} (it is {self._max_constants})"
            )
        possible = self.first_mask(problem).any()
        end = self._probe.end(0)
        if end is End.SIZE:
            size = len(self._probe.codes(0))
            raise InputError(
                f"problem {problem.name} has {size} tokens; "
                f"pass max_tokens={size} or more (it is {self._probe.limits.size})"
            )
        return End.DEAD_END if end is End.RUNNING and not possible else end


def _read(problems: Source, theory: Theory) -> tuple[Problem, ...]:
    """The problems that a user names."""
    if isinstance(problems, str) and "=" in problems and not is_file(problems):
        raise InputError(f"a problem goes into a list: problems=[{problems!r}]")
    if isinstance(problems, str | Path):
        found = open_set(str(problems), theory)
        if found.are_lemmas:
            raise InputError(
                f"each of the {theory.name} lemmas is proved in a theory of its own: pass "
                f'theory="{theory.name}:NAME" and the lemma as the problem'
            )
        equations = tuple(problem for problem in found.problems if not problem.exists)
        if not equations:
            raise InputError(f"{problems}: all goals look for values, which an episode can't do")
        return equations
    if not isinstance(problems, Sequence):
        raise InputError(f"problems are a list, the name of a set or a file, not {problems!r}")
    if not problems:
        raise InputError("the list of problems is empty; leave it out for random ones")
    return tuple(_one(problem, theory) for problem in problems)


def _one(problem: object, theory: Theory) -> Problem:
    if isinstance(problem, str):
        return parse_problem(problem, theory)
    if not isinstance(problem, Problem):
        raise InputError(f"problems are a list of Problem or text; it has {problem!r}")
    return problem
