"""Solvers side by side: every one on every problem under the same limits, then a report.

Each worker has a process for each solver, and makes one attempt at a time, so that with a worker
for each core an attempt has a core to itself. A process keeps what is slow to make.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import SZS, Outcome, failure
from threesil.kernel.theory import Problem, Theory
from threesil.measure.compare.directory import Comparison, this_machine
from threesil.measure.compare.imported import Imported, read_imported
from threesil.measure.compare.standing import Clock, Entrant, Standing
from threesil.measure.results import Results, Row, refused_rows, row_of
from threesil.measure.setting import Setting, make_setting
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request
from threesil.provers.solvers import Warm, check_solver, request_of, uses_weights
from threesil.work.machine import limit_memory
from threesil.work.places import place_for
from threesil.work.processes import Child, Died

Progress = Callable[[str, Row, int, int], None]
"""solver, row, attempts done, attempts in all"""
_KILLED: Final = -9  # how a process ended that the system has killed, to have its memory
_Asked = tuple[Problem, Theory | None]
_Give = Callable[[Outcome], None]


@dataclass(frozen=True)
class Compared:
    """Who solved what by when, and the page that says so. `left`: attempts that are not done."""

    standing: Standing
    page: Path | None
    left: int = 0


def compare(
    given: ProblemSet,
    solvers: Sequence[str],
    request: Request,
    directory: Path,
    *,
    imports: Sequence[str] = (),
    clock: Clock = "cpu",
    workers: int = 1,
    on: str | None = None,
    name: str = "the set",
    progress: Progress = lambda *_: None,
    stop: Stop | None = None,
) -> Compared:
    """Tries what is missing in the directory, then writes the report there.

    Each of the `solvers` has the request, its own name in it. Solvers that the directory holds from
    earlier on are part of the report. If `stop` is set there is none. `imports` are `[NAME=]FILE`.
    `workers` attempts run at a time; or, with `on` = `ray` or `ray://HOST:PORT`, one for each core
    of a Ray cluster. `name` is what people call the set.
    """
    try:
        from threesil.measure.compare.report import write_report  # before hours are spent
    except ImportError as error:
        missing = f"{error.name} is not installed; try: pip install 'threesil[plots]'"
        raise MissingTool(missing) from None
    common = make_setting(
        given.problems,
        given.theory_of,
        given.theory,
        name,
        "",
        seconds=request.seconds,
        memory=request.memory,
    )
    if request.weights is not None and not any(map(uses_weights, solvers)):
        raise InputError("none of the solvers uses weights; leave --weights out")
    settings = [_setting(given, common, request_of(one, request)) for one in solvers]
    names = given.names
    imported = [read_imported(argument, names) for argument in imports]
    labels = [*solvers, *(one.name for one in imported)]
    if not labels:
        raise InputError("nothing to compare; name --solvers or --import results")
    _check_labels(labels)
    with Comparison(directory) as comparison:
        for setting in settings:
            comparison.check(setting)
        _check_labels([*comparison.settings, *(one.name for one in imported)])
        files = {setting.system: comparison.enter(setting, names) for setting in settings}
        for system, file in files.items():
            for row in refused_rows(given, system):
                if row.name not in file.rows:
                    file.add(row)
        attempts = _missing(given, files)
        comparison.begin(this_machine(workers) if attempts else None)
        conditions = Conditions(given.theory, request)
        done = 0
        with closing(run(attempts, conditions, workers=workers, on=on, stop=stop)) as found:
            for done, (solver, row) in enumerate(found, 1):
                files[solver].add(row)
                progress(solver, row, done, len(attempts))
        limits = [request.seconds, *(s.seconds or 0 for s in comparison.settings.values())]
        entrants = _entrants(comparison, imported, names, settings)
        standing = Standing(names, tuple(entrants), max(limits), clock)
        if done < len(attempts):
            return Compared(standing, None, len(attempts) - done)
        some = next(iter(comparison.settings.values()), None) or common
        page = write_report(directory, replace(some, problems=name), standing, comparison.runs)
        return Compared(standing, page)


def _setting(given: ProblemSet, common: Setting, request: Request) -> Setting:
    """How the rows of one solver are made."""
    facts = check_solver(request, given.theories).facts(request.seconds)
    assert request.solver is not None
    made = replace(common, system=request.solver, options=facts.options, model=facts.weights)
    return replace(made, shown=facts.about)


def _check_labels(labels: Sequence[str]) -> None:
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"two solvers are called {label}; try --import NAME=FILE")


def _missing(given: ProblemSet, files: dict[str, Results]) -> list[Attempt]:
    """What is still to be tried: all solvers on the first problem, then on the second, …

    In this order a change of the machine's load falls on all solvers alike.
    """
    missing = []
    for problem in given.problems:
        theory = given.theory_of(problem)
        own = None if theory is given.theory else theory
        names = [name for name, file in files.items() if problem.name not in file.rows]
        missing += [Attempt(name, problem, own) for name in names]
    return missing


def _entrants(
    comparison: Comparison,
    imported: Sequence[Imported],
    names: tuple[str, ...],
    settings: Sequence[Setting],
) -> list[Entrant]:
    entrants = []
    for system, setting in comparison.settings.items():
        rows = comparison.rows(system)
        ordered = {name: rows[name] for name in names if name in rows}
        entrants.append(Entrant(system, ordered, setting.shown, limit=setting.seconds or 0))
    digests = {setting.digest for setting in settings}
    for one in imported:
        other = one.digest is not None and bool(digests) and one.digest not in digests
        entrants.append(Entrant(one.name, one.rows, {}, one.file, one.others, other_problems=other))
    return entrants


@dataclass(frozen=True)
class Conditions:
    """What holds for every attempt: the theory, and the request but for its solver."""

    theory: Theory
    request: Request

    @property
    def most_cpu(self) -> float:
        """CPU seconds after which a process that has not answered is killed.

        No solver should come to that: each keeps its limit itself.
        """
        return 2 * self.request.seconds + 30

    @property
    def most_wall(self) -> float:
        """The same by the wall clock, for one that waits for something that never comes."""
        return 60 * self.request.seconds + 300


@dataclass(frozen=True)
class Attempt:
    """A problem for a solver; `theory` is that of the problem, where it is not everyone's."""

    solver: str
    problem: Problem
    theory: Theory | None = None


def run(
    attempts: Sequence[Attempt],
    conditions: Conditions,
    *,
    workers: int = 1,
    on: str | None = None,
    stop: Stop | None = None,
) -> Generator[tuple[str, Row], None, None]:
    """(solver, row) as they come; an outcome that shows something else than was asked is refused.

    Closing the generator stops everything, and so does `stop`.
    """
    with place_for(on, max(1, min(workers, len(attempts)))) as place:
        for done in place.map(partial(_Lane, conditions), attempts, stop):
            one = attempts[done.index]
            theory = one.theory or conditions.theory
            yield one.solver, row_of(done.get(), theory, one.problem)


class _Lane:
    """A worker: makes one attempt at a time, in a process for each solver."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._children: dict[str, Child] = {}

    def __call__(self, attempt: Attempt, give: _Give, stop: Stop) -> None:
        name, problem, conditions = attempt.solver, attempt.problem, self._conditions
        if name not in self._children:
            cpu, wall = conditions.most_cpu, conditions.most_wall
            self._children[name] = Child(partial(_Solver, name, conditions), cpu=cpu, wall=wall)
        found: list[Outcome] = []
        try:
            self._children[name]((problem, attempt.theory), found.append, stop)
        except Died as died:
            found = [_died(died, problem, name)]
        if found[0].status is SZS.RESOURCE_OUT:
            self._children[name].close()  # it may be too full to go on
        give(found[0])

    def close(self) -> None:
        for child in self._children.values():
            child.close()


def _died(died: Died, problem: Problem, by: str) -> Outcome:
    """What a process makes of the problem with which it ended."""
    status, reason = SZS.ERROR, str(died)
    if died.code is None:
        status, reason = SZS.TIMEOUT, "it ran much longer than its limit"
    elif died.code == _KILLED:
        status, reason = SZS.RESOURCE_OUT, "its process was killed"
    took = round(died.seconds, 6)
    return Outcome(problem, status, took, took, by=by, reason=reason)


class _Solver:
    """A solver in its process; a failure is an outcome too."""

    def __init__(self, name: str, conditions: Conditions) -> None:
        self._name, self._theory = name, conditions.theory
        self._warm = Warm(request_of(name, conditions.request))
        solver = self._warm.take(conditions.theory)
        if solver.in_process:
            limit_memory(conditions.request.memory)
        self._warm.keep(solver)

    def __call__(self, asked: _Asked, give: _Give, stop: Stop) -> None:
        problem, theory = asked
        begin = time.thread_time()
        try:
            solver = self._warm.take(theory or self._theory)
            outcome = solver.solve(problem, self._warm.request.budget(stop))
            self._warm.give(solver, outcome)
        except InputError as error:  # larger than what it takes
            outcome = Outcome(problem, SZS.INPUT_ERROR, reason=str(error))
        except Exception as error:
            outcome = failure(problem, error, seconds=time.thread_time() - begin)
        give(replace(outcome, parts=(), turns=(), words=None, by=self._name))
