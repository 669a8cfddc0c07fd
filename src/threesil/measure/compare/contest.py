"""Solvers side by side: every one on every problem under the same limits, then a report."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import Outcome
from threesil.measure.compare.directory import Comparison, this_machine
from threesil.measure.compare.imported import Imported, read_imported
from threesil.measure.compare.runner import Job, Lane, Stop, row_for, run
from threesil.measure.compare.standing import Clock, Entrant, Standing
from threesil.measure.compare.worker import Conditions
from threesil.measure.results import Results, Row
from threesil.measure.setting import Setting, make_setting
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request
from threesil.provers.solvers import request_of, solver_for, uses_weights
from threesil.work.on_ray import on_ray

Progress = Callable[[str, Row, int, int], None]
"""solver, row, attempts done, attempts in all"""


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
    settings = [_setting(given, common, one) for one in _requests(solvers, request)]
    names = tuple(problem.name for problem in given.problems)
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
        jobs = _missing(given, files)
        comparison.begin(this_machine(workers) if jobs else None)
        conditions = Conditions(given.theory, request)
        if on is not None:
            found = _away(on, jobs, conditions, workers, stop or Event())
        else:
            found = run(jobs, conditions, workers=workers, stop=stop)
        done = _gather(found, files, len(jobs), progress)
        limits = [request.seconds, *(s.seconds or 0 for s in comparison.settings.values())]
        entrants = _entrants(comparison, imported, names, settings)
        standing = Standing(names, tuple(entrants), max(limits), clock)
        if done < len(jobs):
            return Compared(standing, None, len(jobs) - done)
        some = next(iter(comparison.settings.values()), None) or common
        page = write_report(directory, replace(some, problems=name), standing, comparison.runs)
        return Compared(standing, page)


def _requests(solvers: Sequence[str], request: Request) -> list[Request]:
    if request.weights is not None and not any(map(uses_weights, solvers)):
        raise InputError("none of the solvers uses weights; leave --weights out")
    return [request_of(name, request) for name in solvers]


def _setting(given: ProblemSet, common: Setting, request: Request) -> Setting:
    """How the rows of one solver are made."""
    facts = solver_for(request, given.theory).facts(request.seconds)
    assert request.solver is not None
    made = replace(common, system=request.solver, options=facts.options, model=facts.weights)
    return replace(made, shown=facts.about)


def _check_labels(labels: Sequence[str]) -> None:
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"two solvers are called {label}; try --import NAME=FILE")


def _missing(given: ProblemSet, files: dict[str, Results]) -> list[Job]:
    """What is still to be tried: all systems on the first problem, then on the second, …

    In this order a change of the machine's load falls on all systems alike.
    """
    jobs = []
    for problem in given.problems:
        theory = given.theory_of(problem)
        own = None if theory is given.theory else theory
        jobs += [Job(s, problem, own) for s, file in files.items() if problem.name not in file.rows]
    return jobs


def _gather(
    found: Generator[tuple[str, Row], None, None],
    files: dict[str, Results],
    total: int,
    progress: Progress,
) -> int:
    """Writes the rows down as they come; how many there were."""
    done = 0
    with closing(found):
        for name, row in found:
            files[name].add(row)
            done += 1
            progress(name, row, done, total)
    return done


def _away(
    place: str, jobs: Sequence[Job], conditions: Conditions, workers: int, stop: Stop
) -> Generator[tuple[str, Row], None, None]:
    """The same on a cluster: what comes back is made a row here, with its certificate at hand."""
    asked = {(job.system, job.problem.name): job for job in jobs}
    with closing(on_ray(place, iter(jobs), _Attempts(conditions), workers, stop)) as found:
        for system, outcome in found:
            job = asked[system, outcome.problem.name]
            yield system, row_for(job, outcome, conditions)


class _Attempts:
    """Attempts on a node, each in a process of its own there."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._lane: Lane | None = None

    def __call__(self, job: Job) -> list[tuple[str, Outcome]]:
        if self._lane is None:
            self._lane = Lane(self._conditions)
        outcome = self._lane.solve(job)
        return [] if outcome is None else [(job.system, outcome)]


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
