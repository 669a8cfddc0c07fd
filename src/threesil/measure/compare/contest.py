"""Systems side by side: every one on every problem under the same limits, then a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.measure.compare.attempts import Attempt, Conditions, run
from threesil.measure.compare.directory import Comparison, this_machine
from threesil.measure.compare.imported import Imported, read_imported
from threesil.measure.compare.standing import Clock, Entrant, Standing
from threesil.measure.compare.systems import make_system, uses_model
from threesil.measure.results import Results, Row
from threesil.measure.setting import Setting, make_setting
from threesil.problems import ProblemSet
from threesil.provers import MEMORY

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
        attempts = _missing(given, files)
        comparison.begin(this_machine(question.workers) if attempts else None)
        done = _gather(attempts, files, _conditions(given, question), question, progress, stop)
        standing = _standing(comparison, imported, names, question, settings)
        if done < len(attempts):
            return Compared(standing, None, len(attempts) - done)
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


def _missing(given: ProblemSet, files: dict[str, Results]) -> list[Attempt]:
    """What is still to be tried: all systems on the first problem, then on the second, …

    In this order a change of the machine's load falls on all systems alike.
    """
    missing = []
    for problem in given.problems:
        theory = given.theory_of(problem)
        own = None if theory is given.theory else theory
        systems = [name for name, file in files.items() if problem.name not in file.rows]
        missing += [Attempt(system, problem, own) for system in systems]
    return missing


def _gather(
    attempts: Sequence[Attempt],
    files: dict[str, Results],
    conditions: Conditions,
    question: Question,
    progress: Progress,
    stop: Stop | None,
) -> int:
    """Writes the rows down as they come; how many there were."""
    done = 0
    rows = run(attempts, conditions, workers=question.workers, on=question.on, stop=stop)
    with closing(rows) as found:
        for system, row in found:
            files[system].add(row)
            done += 1
            progress(system, row, done, len(attempts))
    return done


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
