"""Problem sets: recorded ones, lemmas, files, samples.

Recorded ones are in the directory that THREESIL_DATA names, else in a cache directory of the
user's, where `threesil data fetch` puts them.

The lemmas of a theory are its known equations, each to be proved from the axioms, the definitions
and the lemmas before it. They are bundled with the theory, as are the goals of a theory file. A
file that has equations of its own is a set by itself, its goals in its own theory; so is a
directory of such files, or a list of them, `@LIST`: a text file with a path a line, relative to it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from random import Random

from threesil.errors import InputError
from threesil.files import is_directory, is_file, other_than_file, read_lines
from threesil.kernel.naming import equation_key, is_instance
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.notations.document import Document
from threesil.notations.reading import looks_like_path, missing, notation_of_file, read
from threesil.problems.files import is_solved, is_too_large, load_problems, parse_problem
from threesil.problems.generate import sample_problem
from threesil.theories import all_theories, benchmark_of
from threesil.theories.benchmark import Row

_PUNCTUATION = " (),0123456789"
DATA = "THREESIL_DATA"
LEMMAS = "lemmas"


class UnknownTheory(InputError):
    """Problems that don't say what theory they are about."""


@dataclass(frozen=True)
class ProblemSet:
    """Problems, and the theory of each."""

    theory: Theory
    problems: tuple[Problem, ...]
    are_lemmas: bool = False
    own: Mapping[str, Theory] = field(default_factory=dict)
    """by the name of a problem: its theory, where each file has one of its own"""
    refused: Mapping[str, str] = field(default_factory=dict)
    """by the name of a file that could not be read, where there are others: why"""

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the problems and of the files that could not be read."""
        return (*(problem.name for problem in self.problems), *self.refused)

    @property
    def theories(self) -> list[Theory]:
        """The theories of the problems, each of them once."""
        found: dict[int, Theory] = {}
        for theory in map(self.theory_of, self.problems):
            found.setdefault(id(theory), theory)
        return list(found.values())

    def theory_of(self, problem: Problem) -> Theory:
        """The theory that the problem is to be solved in."""
        if self.are_lemmas:
            return self.theory.before(problem.name)
        return self.own.get(problem.name, self.theory)


def name_of_all(theories: Iterable[Theory]) -> str:
    """The name of a theory, or how many there are; one without some lemmas is the same."""
    found = {(theory.base or theory).digest: theory.base or theory for theory in theories}
    return f"{len(found)} theories" if len(found) != 1 else next(iter(found.values())).name


def data_home() -> Path:
    """The directory for recorded data: the one that is named, else one of the user's caches."""
    name = os.environ.get(DATA)
    if name:
        return Path(name)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(cache) if os.path.isabs(cache) else Path("~/.cache").expanduser()
    return root / "threesil" / "data"


def data_directory() -> Path | None:
    """The directory with the recorded data, if it is there or the user has named one."""
    home = data_home()
    return home if os.environ.get(DATA) or is_directory(home) else None


def set_files(theory: Theory, name: str) -> list[Path]:
    """The files of a recorded set; `InputError` if it is none, or if one is not here."""
    benchmark = benchmark_of(theory)
    if name not in benchmark.sets:
        known = ", ".join(set_names(theory)) or "none"
        message = f"no file and no problem set {name!r}; sets of {theory.name}: {known}"
        raise InputError(message)
    data = data_directory()
    files = [data / file for file in benchmark.sets[name]] if data is not None else []
    if data is None or not all(map(is_file, files)):
        lacks = "" if data is None else f" (not in {data})"
        raise InputError(
            f"the problem set {name} of {theory.name} is not bundled{lacks}: fetch it with "
            f"`threesil data fetch {theory.name}`, set {DATA} to a directory that has it, or name "
            "a problem file"
        )
    return files


def load_set(theory: Theory, name: str) -> list[Problem]:
    """The problems of a set (`train`, `dev`, `test`), or of a file."""
    if is_file(name):
        return load_problems(name, theory)
    benchmark = benchmark_of(theory)
    if name in benchmark.bundled:
        return list(benchmark.bundled[name])
    files = set_files(theory, name)
    rows = benchmark.splits[name]([row for file in files for row in read_rows(file, theory)])
    wanted: dict[str, set[int]] = {str(file): set() for file in files}
    for row in rows:
        wanted[row.source].add(row.line)
    loaded = {
        (file, problem.line): problem
        for file, lines in wanted.items()
        if lines
        for problem in load_problems(file, theory, lines)
    }
    problems = (loaded[row.source, row.line] for row in rows)
    return [problem for problem in problems if not is_solved(theory, problem)]


def set_sizes(theory: Theory) -> dict[str, int | None]:
    """How many problems the sets of a theory have, None where a file of the set is missing."""
    sizes: dict[str, int | None] = dict.fromkeys(set_names(theory))
    if LEMMAS in sizes:
        sizes[LEMMAS] = len(theory.lemmas)
    data, benchmark = data_directory(), benchmark_of(theory)
    sizes |= {name: len(problems) for name, problems in benchmark.bundled.items()}
    if data is not None:
        files = {data / file for listed in benchmark.sets.values() for file in listed}
        found = {file: read_rows(file, theory) for file in files if is_file(file)}
        for name, listed in benchmark.sets.items():
            if all(data / file in found for file in listed):
                rows = [row for file in listed for row in found[data / file]]
                sizes[name] = count_open(theory, benchmark.splits[name](rows))
    return sizes


def read_rows(path: Path, theory: Theory) -> list[Row]:
    """The lines of a file that `load_problems` makes problems of, split at their tabs."""
    source, largest = str(path), benchmark_of(theory).largest_number
    rows = (
        Row(source, number, line.split("\t"))
        for number, line in read_lines(path)
        if line and line[0] not in "#%" and not line.isspace()
    )
    return [row for row in rows if not is_too_large(row.columns, largest)]


def count_open(theory: Theory, rows: Iterable[Row]) -> int:
    """How many of the rows' problems are not solved at the start.

    Equal terms, however they are written, have the same letters, but for numerals and brackets:
    where the letters differ, no term needs to be read.
    """
    numerals = theory.signature.numerals or ()
    ignored = str.maketrans("", "", _PUNCTUATION + "".join(numerals))
    if theory.goal is Goal.NORMAL_FORM and theory.constructors <= set(numerals):
        return sum(bool(row.columns[0].translate(ignored)) for row in rows)
    count = 0
    for row in rows:
        letters = [side.translate(ignored) for side in _sides(theory, row)]
        differ = len(letters) == 2 and (
            len(letters[0]) != len(letters[1]) or sorted(letters[0]) != sorted(letters[1])
        )
        count += differ or not is_solved(theory, _read(theory, row))
    return count


def _sides(theory: Theory, row: Row) -> list[str]:
    """What the row says about the start, and about the target if there is one."""
    if theory.goal is Goal.EQUATION:
        return list(row.columns[:2][-1].partition("=")[::2])
    return list(row.columns[: 1 if theory.goal is Goal.NORMAL_FORM else 2])


def _read(theory: Theory, row: Row) -> Problem:
    """The problem of the row; all of its file is read if it is not in infix notation."""
    try:
        return parse_problem(" = ".join(_sides(theory, row)), theory)
    except InputError:
        return next(p for p in load_problems(row.source, theory) if p.line == row.line)


def set_names(theory: Theory) -> list[str]:
    """The sets of a theory."""
    benchmark = benchmark_of(theory)
    names = [*benchmark.sets, *benchmark.bundled]
    if theory.goal is Goal.EQUATION and theory.lemmas:
        names.append(LEMMAS)
    return names


def open_set(name: str, theory: Theory | None = None, *, with_refused: bool = False) -> ProblemSet:
    """A set of the theory (`lemmas`), one that names its theory too (`THEORY-lemmas`), a problem
    file, or files with equations of their own: one, a directory of them, a list `@LIST`.

    A file that can't be read is an error, or, `with_refused`, said in the set if it has others.
    """
    if theory is None:
        if name.startswith("@") or is_directory(name) or (is_file(name) and _stands_alone(name)):
            return _gathered(name, with_refused)
        named = [known for known in all_theories() if name.startswith(f"{known.name}-")]
        if is_file(name) or not named:
            if other_than_file(name) or (looks_like_path(name) and not is_file(name)):
                raise missing(name)
            known = ", ".join(f"{t.name}-{s}" for t in all_theories() for s in set_names(t))
            raise UnknownTheory(
                f"which theory has the problems {name!r}? Add --theory, or: {known}"
            )
        theory = named[0]
    if is_file(name):
        return ProblemSet(theory, tuple(load_problems(name, theory)))
    which = name.removeprefix(f"{theory.name}-")
    if which == LEMMAS and LEMMAS in set_names(theory):
        lemmas = (Problem(lemma.name, lemma.lhs, lemma.rhs) for lemma in theory.lemmas)
        return ProblemSet(theory, tuple(lemmas), are_lemmas=True)
    if which not in set_names(theory):
        if other_than_file(name):
            raise missing(name)
        known = ", ".join(set_names(theory)) or "none"
        raise InputError(f"no file and no problem set {name!r}; sets of {theory.name}: {known}")
    return ProblemSet(theory, tuple(load_set(theory, which)))


def _stands_alone(name: str) -> bool:
    """Whether a file is written in a notation that brings its equations along."""
    return notation_of_file(Path(name)) is not None


def _gathered(name: str, with_refused: bool) -> ProblemSet:
    """The goals of files with equations of their own, named after their files."""
    documents: dict[Path, Document] = {}
    refused: dict[str, InputError] = {}
    for path in _listed(name):
        if path in documents:
            raise InputError(f"{path} is listed twice", source=name.removeprefix("@"))
        try:
            documents[path] = read(path)
        except InputError as error:
            if not with_refused:
                raise
            refused[str(path)] = error
    problems: list[Problem] = []
    own: dict[str, Theory] = {}
    called = _called(documents)
    for path, document in documents.items():
        for problem in document.problems:
            single = len(document.problems) == 1
            goal = called[path] if single else f"{called[path]}:{problem.name}"
            if goal in own:
                raise InputError(f"two goals are called {goal}; see {path}")
            problems.append(replace(problem, name=goal))
            own[goal] = document.theory
    if not problems:
        raise next(iter(refused.values()), InputError(f"{name} has no goal to prove"))
    why = {file: error.in_a_line for file, error in refused.items()}
    return ProblemSet(own[problems[0].name], tuple(problems), own=own, refused=why)


def _called(documents: Mapping[Path, Document]) -> dict[Path, str]:
    """What files are called: with the ending, or the whole path, where two share a name."""
    called = {path: document.name for path, document in documents.items()}
    for longer in (attrgetter("name"), str):
        count = Counter(called.values())
        called = {path: n if count[n] == 1 else longer(path) for path, n in called.items()}
    return called


def _listed(name: str) -> list[Path]:
    """The files that a name stands for, in their order."""
    path = Path(name.removeprefix("@"))
    if name.startswith("@"):
        if not is_file(path):
            raise InputError(f"there is no list {path} of files")
        lines = (line.strip() for _, line in read_lines(path))
        return [path.parent / line for line in lines if line and not line.startswith("#")]
    if path.is_dir():
        suffixes = (".p", ".tptp", ".in", ".ladr", ".thy")
        return sorted(file for file in path.rglob("*") if file.suffix in suffixes)
    return [path]


def novel(problems: Sequence[Problem], known: Sequence[Problem]) -> list[Problem]:
    """The equations among the problems that are no instance of a known one."""
    general = [(p.start, p.target) for p in known if p.target is not None]
    return [
        problem
        for problem in problems
        if problem.target is not None
        and not any(is_instance((problem.start, problem.target), sides) for sides in general)
    ]


def different(theory: Theory, problems: Sequence[Problem]) -> list[Problem]:
    """The problems without those that say the same as an earlier one."""
    found: dict[object, Problem] = {}
    for problem in problems:
        key: object = problem.start, problem.target, problem.exists
        if theory.goal is Goal.EQUATION and problem.target is not None and not problem.exists:
            key = equation_key(problem.start, problem.target)
        found.setdefault(key, problem)
    return list(found.values())


def sample_set(
    theory: Theory,
    count: int,
    seed: int,
    progress: Callable[[int], None] = lambda found: None,
) -> list[Problem]:
    """Random problems, each of them once; `progress` hears how many there are so far."""
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
