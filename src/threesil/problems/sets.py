"""Problem sets: recorded ones, in the directory that THREESIL_DATA names; lemmas; random ones.

The lemmas of a theory are its known equations, each to be proved from the axioms, the definitions
and the lemmas before it. They come along with the theory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from threesil.errors import InputError
from threesil.files import is_file
from threesil.problems.files import load_problems
from threesil.problems.generate import sample_problem
from threesil.problems.rows import count_open, is_solved, read_rows
from threesil.theories import all_theories, benchmark_of
from threesil.theory import Goal, Problem, Theory

DATA = "THREESIL_DATA"
LEMMAS = "lemmas"


@dataclass(frozen=True)
class ProblemSet:
    """Problems, and the theory of each."""

    theory: Theory
    problems: tuple[Problem, ...]
    are_lemmas: bool = False

    def theory_of(self, problem: Problem) -> Theory:
        """The theory that the problem is to be solved in."""
        return self.theory.before(problem.name) if self.are_lemmas else self.theory


def data_directory() -> Path | None:
    """The directory with the recorded data, if the user has named one."""
    name = os.environ.get(DATA)
    return Path(name) if name else None


def load_set(theory: Theory, name: str) -> list[Problem]:
    """The problems of a set (`train`, `dev`, `test`), or of a file."""
    if is_file(name):
        return load_problems(name, theory)
    benchmark = benchmark_of(theory)
    if name not in benchmark.sets:
        known = ", ".join(benchmark.sets) or "none"
        message = f"no file and no problem set {name!r}; sets of {theory.name}: {known}"
        raise InputError(message)
    data = data_directory()
    if data is None:
        message = f"set {DATA} to the directory of recorded problems, or name a problem file"
        raise InputError(f"the problem set {name} of {theory.name} does not come along: {message}")
    files = [data / file for file in benchmark.sets[name]]
    rows = benchmark.splits[name]([row for file in files for row in read_rows(file, theory)])
    loaded = {(str(file), p.line): p for file in files for p in load_problems(file, theory)}
    problems = (loaded[row.source, row.line] for row in rows)
    return [problem for problem in problems if not is_solved(theory, problem)]


def set_sizes(theory: Theory) -> dict[str, int | None]:
    """How many problems the sets of a theory have, None where a file of the set is missing."""
    sizes: dict[str, int | None] = dict.fromkeys(set_names(theory))
    if LEMMAS in sizes:
        sizes[LEMMAS] = len(theory.lemmas)
    data, benchmark = data_directory(), benchmark_of(theory)
    if data is not None:
        files = {data / file for listed in benchmark.sets.values() for file in listed}
        found = {file: read_rows(file, theory) for file in files if is_file(file)}
        for name, listed in benchmark.sets.items():
            if all(data / file in found for file in listed):
                rows = [row for file in listed for row in found[data / file]]
                sizes[name] = count_open(theory, benchmark.splits[name](rows))
    return sizes


def set_names(theory: Theory) -> list[str]:
    """The sets of a theory."""
    names = list(benchmark_of(theory).sets)
    if theory.goal is Goal.EQUATION and theory.lemmas:
        names.append(LEMMAS)
    return names


def open_set(name: str, theory: Theory | None = None) -> ProblemSet:
    """A problem file, a set of the theory (`lemmas`), or one that names its theory too
    (`THEORY-lemmas`)."""
    if theory is None:
        named = [known for known in all_theories() if name.startswith(f"{known.name}-")]
        if is_file(name) or not named:
            known = ", ".join(f"{t.name}-{s}" for t in all_theories() for s in set_names(t))
            raise InputError(f"which theory has the problems {name!r}? Add --theory, or: {known}")
        theory = named[0]
    if is_file(name):
        return ProblemSet(theory, tuple(load_problems(name, theory)))
    which = name.removeprefix(f"{theory.name}-")
    if which == LEMMAS and LEMMAS in set_names(theory):
        lemmas = (Problem(lemma.name, lemma.lhs, lemma.rhs) for lemma in theory.lemmas)
        return ProblemSet(theory, tuple(lemmas), are_lemmas=True)
    if which not in set_names(theory):
        known = ", ".join(set_names(theory)) or "none"
        raise InputError(f"no file and no problem set {name!r}; sets of {theory.name}: {known}")
    return ProblemSet(theory, tuple(load_set(theory, which)))


def check_unique(problems: Iterable[Problem], source: str | Path) -> None:
    """`InputError` if two problems have the same name, where results are kept by name."""
    seen: dict[str, Problem] = {}
    for problem in problems:
        first = seen.setdefault(problem.name, problem)
        if first is not problem:
            where = f", in lines {first.line} and {problem.line}" if problem.line else ""
            message = f"problem {problem.name!r} occurs twice{where}"
            raise InputError(f"{message}; give each problem a name of its own", source=str(source))


def sample_set(
    theory: Theory,
    count: int,
    seed: int,
    progress: Callable[[int], None] = lambda found: None,
) -> list[Problem]:
    """Random problems, each of them once; `progress` is told how many there are so far."""
    random = Random(seed)
    found: dict[tuple[object, object], Problem] = {}
    for _ in range(20 * count):
        problem = sample_problem(theory, random)
        key = problem.start, problem.target
        found.setdefault(key, Problem(f"sample-{len(found) + 1}", *key))
        progress(len(found))
        if len(found) == count:
            break
    return list(found.values())
