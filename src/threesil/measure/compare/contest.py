"""Systems side by side: every one on every problem under the same limits, then a report."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import Outcome
from threesil.measure.compare.directory import Comparison, this_machine
from threesil.measure.compare.imported import Imported, read_imported
from threesil.measure.compare.runner import Job, Lane, Stop, row_for, run
from threesil.measure.compare.standing import Clock, Entrant, Standing
from threesil.measure.compare.systems import make_system, uses_model
from threesil.measure.compare.worker import Conditions
from threesil.measure.results import Results, Row
from threesil.measure.setting import Setting, make_setting
from threesil.problems import ProblemSet
from threesil.provers import MEMORY
from threesil.work.on_ray import on_ray

Progress = Callable[[str, Row, int, int], None]
"""system, row, attempts done, attempts in all"""


@dataclass(frozen=True)
class Question:
    """What is compared: the systems by their names, the limits of each attempt, other results.

    `seconds` are of CPU time, `memory` is in megabytes. `model` is for those systems that use one.
    `imports` are `[NAME=]FILE`. `workers` attempts run at a time; or, with
    `on` = `ray` or `ray://HOST:PORT`, one for each core of a Ray cluster.
    """

    systems: Sequence[str] = ("best", "plain")
    seconds: float = 60.0
    memory: int = MEMORY
    model: str | None = None
    imports: Sequence[str] = field(default=())
    workers: int = 1
    clock: Clock = "cpu"
    on: str | None = None


@dataclass(frozen=True)
class Compared:
    """Who solved what by when, and the page that says so. `left`: attempts that are not done."""

    standing: Standing
    page: Path | None
    left: int = 0


def compare(
    given: ProblemSet,
    question: Question,
    directory: Path,
    *,
    name: str = "the set",
    progress: Progress = lambda *_: None,
    stop: Stop | None = None,
) -> Compared:
    """Tries what is missing in the directory, then writes the report there.

    Systems that the directory holds from earlier on are part of the report. If `stop` is set there
    is none. `name` is what people call the set.
    """
    try:
        from threesil.measure.compare.report import write_report  # before hours are spent
    except ImportError as error:
        missing = f"{error.name} is not installed; try: pip install 'threesil[plots]'"
        raise MissingTool(missing) from None
    settings = _settings(given, question, name)
    names = tuple(problem.name for problem in given.problems)
    imported = [read_imported(argument, names) for argument in question.imports]
    labels = [*question.systems, *(one.name for one in imported)]
    if not labels:
        raise InputError("nothing to compare; name --systems or --import results")
    _check_labels(labels)
    with Comparison(directory) as comparison:
        for setting in settings:
            comparison.check(setting)
        _check_labels([*comparison.settings, *(one.name for one in imported)])
        files = {setting.system: comparison.enter(setting, names) for setting in settings}
        jobs = _missing(given, files)
        comparison.begin(this_machine(question.workers) if jobs else None)
        done = _gather(jobs, files, _conditions(given, question), question, progress, stop)
        standing = _standing(comparison, imported, names, question, settings)
        if done < len(jobs):
            return Compared(standing, None, len(jobs) - done)
        some = next(iter(comparison.settings.values()), None) or _setting(given, question, name)
        page = write_report(directory, replace(some, problems=name), standing, comparison.runs)
        return Compared(standing, page)


def _conditions(given: ProblemSet, question: Question) -> Conditions:
    return Conditions(given.theory, question.seconds, question.memory, question.model)


def _setting(given: ProblemSet, question: Question, name: str) -> Setting:
    """What the settings of all systems have in common."""
    return make_setting(
        given.problems,
        given.theory_of,
        given.theory,
        name,
        "",
        seconds=question.seconds,
        memory=question.memory,
    )


def _settings(given: ProblemSet, question: Question, name: str) -> list[Setting]:
    common = _setting(given, question, name)
    settings = []
    if question.model is not None and not any(map(uses_model, question.systems)):
        raise InputError("none of the systems uses a model; leave --model out")
    for spec in question.systems:
        system = make_system(spec, given.theory, question.memory, question.model)
        facts = system.facts(question.seconds)
        made = replace(common, system=spec, options=facts.options, model=facts.model)
        settings.append(replace(made, shown=facts.shown))
    return settings


def _check_labels(labels: Sequence[str]) -> None:
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"two systems are called {label}; try --import NAME=FILE")


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
    jobs: Sequence[Job],
    files: dict[str, Results],
    conditions: Conditions,
    question: Question,
    progress: Progress,
    stop: Stop | None,
) -> int:
    """Writes the rows down as they come; how many there were."""
    done = 0
    if question.on is not None:
        rows = _away(question.on, jobs, conditions, question.workers, stop or Event())
    else:
        rows = run(jobs, conditions, workers=question.workers, stop=stop)
    with closing(rows) as found:
        for system, row in found:
            files[system].add(row)
            done += 1
            progress(system, row, done, len(jobs))
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


def _standing(
    comparison: Comparison,
    imported: Sequence[Imported],
    names: tuple[str, ...],
    question: Question,
    settings: Sequence[Setting],
) -> Standing:
    entrants = []
    for system, setting in comparison.settings.items():
        rows = comparison.rows(system)
        ordered = {name: rows[name] for name in names if name in rows}
        entrants.append(Entrant(system, ordered, setting.shown, limit=setting.seconds or 0))
    digests = {setting.digest for setting in settings}
    for one in imported:
        other = one.digest is not None and bool(digests) and one.digest not in digests
        entrants.append(Entrant(one.name, one.rows, {}, one.file, one.others, other_problems=other))
    limit = max([question.seconds, *(s.seconds or 0 for s in comparison.settings.values())])
    return Standing(names, tuple(entrants), limit, question.clock)
