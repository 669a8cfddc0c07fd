"""The recorded problem sets of the theories, in the directory that THREESIL_DATA names."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from threesil.errors import InputError
from threesil.files import is_file
from threesil.problems.files import load_problems
from threesil.problems.generate import sample_problem
from threesil.theory import Problem, Theory

DATA = "THREESIL_DATA"


def data_directory() -> Path | None:
    """The directory with the recorded data, if the user has named one."""
    name = os.environ.get(DATA)
    return Path(name) if name else None


def load_set(theory: Theory, name: str) -> list[Problem]:
    """The problems of a set (`train`, `dev`, `test`), or of a file."""
    if is_file(name):
        return load_problems(name, theory)
    benchmark = theory.benchmark
    if benchmark is None or name not in benchmark.sets:
        known = ", ".join(benchmark.sets) if benchmark else "none"
        message = f"no file and no problem set {name!r}; sets of {theory.name}: {known}"
        raise InputError(message)
    data = data_directory()
    if data is None:
        message = f"set {DATA} to the directory of recorded problems, or name a problem file"
        raise InputError(f"the problem set {name} of {theory.name} does not come along: {message}")
    problems = [p for file in benchmark.sets[name] for p in load_problems(data / file, theory)]
    return list(benchmark.splits[name](problems))


def sample_set(theory: Theory, count: int, seed: int) -> list[Problem]:
    """Random problems, each of them once."""
    random = Random(seed)
    found: dict[tuple[object, object], Problem] = {}
    for _ in range(20 * count):
        problem = sample_problem(theory, random)
        key = problem.start, problem.target
        found.setdefault(key, Problem(f"sample-{len(found) + 1}", *key))
        if len(found) == count:
            break
    return list(found.values())
