"""Solvers side by side: every one on every problem under the same limits, then a report."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.measure.compare.attempts import Attempt, Conditions, run
from threesil.measure.compare.directory import Comparison, this_machine
from threesil.measure.compare.imported import Imported, read_imported
from threesil.measure.compare.standing import Clock, Entrant, Standing
from threesil.measure.results import Results, Row
from threesil.measure.setting import Setting, make_setting
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request
from threesil.provers.solvers import request_of, solver_for, uses_weights

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
        attempts = _missing(given, files)
        comparison.begin(this_machine(workers) if attempts else None)
        conditions = Conditions(given.theory, request)
        found = run(attempts, conditions, workers=workers, on=on, stop=stop)
        done = _gather(found, files, len(attempts), progress)
        limits = [request.seconds, *(s.seconds or 0 for s in comparison.settings.values())]
        entrants = _entrants(comparison, imported, names, settings)
        standing = Standing(names, tuple(entrants), max(limits), clock)
        if done < len(attempts):
            return Compared(standing, None, len(attempts) - done)
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
