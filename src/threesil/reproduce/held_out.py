"""Theorems to test on, for theories that have no recorded set.

They are the ends of random walks of 3, 5 and 7 rewrites; those of `sampled`, which is trained on,
have at most 4. None is an instance of one of these, in either direction of reading.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from threesil.files import is_file, write_atomically
from threesil.kernel.theory import Problem, Theory
from threesil.problems.files import format_problem, load_problems
from threesil.problems.sets import ProblemSet, novel, sample_set
from threesil.problems.theorems import random_theorems
from threesil.reproduce.jobs import HELD_OUT, LISTED

_STEPS: Final = (3, 5, 7)
_EACH: Final = 100
_SAMPLED: Final = 2000  # problems that `sampled` has


def held_out(theory: Theory, directory: Path) -> ProblemSet:
    """The theorems of a theory; they are kept in a file, where they are read from again."""
    path = directory / f"{theory.name}-{HELD_OUT}.tsv"
    if not is_file(path):
        walks = [
            proof.problem
            for steps in _STEPS
            for proof in random_theorems(theory, steps=steps, count=_EACH, seed=7)
        ]
        _write(path, theory, novel(walks, sample_set(theory, _SAMPLED, seed=0)))
    return ProblemSet(theory, tuple(load_problems(path, theory)))


def listed(theory: Theory, directory: Path) -> Path:
    """A file with the problems of `sampled`."""
    path = directory / f"{theory.name}-{LISTED}.tsv"
    if not is_file(path):
        _write(path, theory, sample_set(theory, _SAMPLED, seed=0))
    return path


def _write(path: Path, theory: Theory, problems: list[Problem]) -> None:
    lines = "".join(f"{format_problem(problem, theory)}\n" for problem in problems)
    write_atomically(path, lines.encode())
