"""Training: a new run or an old one, from a user's words to the finished directory.

The directory is locked meanwhile; a second training there is refused. `stop` may be set by a
signal or another thread: training ends at once, and the last finished epoch is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from threesil.engine import Stop, Stopped
from threesil.errors import InputError
from threesil.files import is_file, locked
from threesil.kernel.theory import Goal, Theory
from threesil.learn.before_after import before_after
from threesil.learn.conclude import conclude
from threesil.learn.config import Config, load_config
from threesil.learn.held_out import Shares
from threesil.learn.measured import Measured
from threesil.learn.preparing import Listen, prepare
from threesil.learn.run import Run, check_new
from threesil.learn.selection_run import METHOD, SelectionRun, selection_config
from threesil.learn.task import (
    GENERATED,
    MEASURED,
    SAMPLED,
    Task,
    forget_task,
    make_task,
    names_of,
    read_task,
    resumed_config,
    write_task,
)
from threesil.problems.files import load_problems
from threesil.runs.records import read_facts, read_metrics
from threesil.runs.weights import find_model
from threesil.search.learned import read_judgement
from threesil.theories import benchmark_of, get_theory
from threesil.work.places import check_place, place_for

AWAY = ("3sil", "bc", "expert")  # methods that others can play or search for

_GOALS = 50  # of a file, which are enough to train on
_MANY = 10_000  # epochs, where time decides
_A_MINUTE = 150  # theorems that are made for each minute of training
_MAKING = 0.35  # of the minutes, at most: making theorems
_EPOCHS = 0.8  # of the minutes: preparing and epochs
_LEAST = 0.2  # minutes of epochs
_PAIRS = 0.2  # of the minutes of epochs: the judge of critical pairs
_PAIR_SECONDS = 60.0  # for it, where no time was given

Begin = Callable[[Any], None]  # a run of either kind
Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Trained:
    """What came of a training: whether it reached its end, and how far the run is.

    `shares` are what is proved of the problems that were held back, before and after; `helps`:
    whether `best` uses what was learned. `theory` is its name or its file in the directory.
    """

    directory: Path
    finished: bool
    epochs: int
    level: int
    levels: int
    solved: int
    problems: int
    shares: tuple[Shares, ...] = ()
    helps: bool = True
    method: str = ""
    theory: str = ""


@dataclass(frozen=True)
class Watching:
    """Who hears of a training, and may stop it.

    `begin` is called before the first epoch, `progress` with the metrics of each, `listen` with
    what is done before and after them, `say` with what people should know. `table`: they wait for
    one where nothing but a policy is trained.
    """

    begin: Begin = lambda run: None
    progress: Progress = lambda metrics: None
    listen: Listen = lambda what, done, total: None
    say: Callable[[str], None] = lambda words: None
    stop: Stop | None = None
    table: bool = True


class Calls(TypedDict, total=False):
    """`Watching` as keywords."""

    begin: Begin
    progress: Progress
    listen: Listen
    say: Callable[[str], None]
    stop: Stop | None


def train(
    theory: str | None,
    *,
    method: str | None = None,
    config: str = "best",
    problems: str | None = None,
    seed: int = 0,
    start: str | None = None,
    minutes: float | None = None,
    out: Path | None = None,
    changes: dict[str, Any] | None = None,
    on: str | None = None,
    table: bool = True,
    **calls: Unpack[Calls],
) -> Trained:
    """Trains a network on a theory, in a directory of its own (default: runs/THEORY-METHOD-SEED).

    `start` is a model of the theory whose weights it begins with: a run, a file, or `best`.
    `config` is `best`, `paper` or a file, of which `changes` overrule keys. Without a method,
    `best` searches where there are equations to prove, all else is 3SIL. Without problems, the set
    `train` is used if the theory has one; else its goals, if there are many; else problems are
    made. With `minutes` the whole training takes about that long. `calls`: see `Watching`.
    `on` is `ray`, or `ray://HOST:PORT`: episodes and searches are done on a Ray cluster. Unless
    `table` is false, before and after are compared where problems are recorded or sampled, too.
    """
    watching = Watching(**calls, table=table)
    if method == METHOD or theory is None:
        _can_go_away(METHOD, on)
        return _train_selection(theory, method, problems, seed, out, changes, watching)
    chosen = get_theory(theory)
    if method is None:
        method = "expert" if chosen.goal is Goal.EQUATION and config == "best" else "3sil"
    _can_go_away(method, on)
    if problems is None:
        problems = _default_problems(theory, chosen, method)
    first = None if start is None else find_model(start, chosen)
    if first is not None:
        sizes = {"size": first.shape.size, "hidden": first.shape.hidden}
        changes = {**sizes, **(changes or {})}
    if minutes is not None:
        scaled = {"minutes": minutes, "ME": _MANY, "generated": round(minutes * _A_MINUTE)}
        changes = {**scaled, **(changes or {})}
    settings = load_config(config, chosen, changes, method)
    directory = out or Path("runs") / f"{chosen.name}-{method}-{seed}"
    check_new(directory)
    if _needs_preparing(chosen, method, problems):
        task = make_task(theory, method, seed, problems, first, prepared=False)
        return _begin_preparing(directory, task, settings, watching, on)
    run = Run(directory, make_task(theory, method, seed, problems, first), settings)
    _make(directory)
    with locked(directory):
        run.begin()
        return _train(run, watching, on)


def _default_problems(given: str, theory: Theory, method: str) -> str:
    """What is trained on where nobody says: see `train`."""
    if "train" in benchmark_of(theory).sets:
        return "train"
    if method != "expert":
        return SAMPLED
    goals = len(benchmark_of(theory).goals)
    if is_file(given):
        try:
            goals = len(load_problems(given, theory))
        except InputError:
            goals = 0
    return given if goals >= _GOALS and is_file(given) else GENERATED


def _needs_preparing(theory: Theory, method: str, problems: str) -> bool:
    """Whether the problems are no recorded set, which has parts of its own."""
    names = names_of(problems)
    if GENERATED in names:
        return True
    recorded = benchmark_of(theory).sets
    return method == "expert" and not recorded and SAMPLED not in names


def _begin_preparing(
    directory: Path, task: Task, config: Config, watching: Watching, on: str | None
) -> Trained:
    """A new run whose problems are still to be made; nothing stays of one that can't have any."""
    is_new = not directory.exists()
    _make(directory)
    try:
        with locked(directory):
            check_new(directory)
            write_task(directory, task, config)
            try:
                ready = _prepare(directory, None, watching)
            except InputError:
                forget_task(directory)
                raise
            return _train(Run.resume(directory), watching, on) if ready else _unready(directory)
    except InputError:
        with suppress(OSError):  # somebody has put something there
            if is_new:
                directory.rmdir()
        raise


def _unready(directory: Path) -> Trained:
    return Trained(directory, False, 0, 0, 0, 0, 0)


def _prepare(directory: Path, changes: dict[str, Any] | None, watching: Watching) -> bool:
    """Makes the problems of a run, and what it is to know besides its equations.

    False if it was stopped; what was measured until then is kept.
    """
    task, config = read_task(directory), resumed_config(directory, changes or {})
    known = Measured(directory / MEASURED)
    limit = 60 * config.minutes or math.inf
    try:
        prepared = prepare(
            task.theory,
            task.problems,
            config.generated if task.making else 0,
            task.seed,
            threads=config.threads,
            seconds=_MAKING * limit - known.before,
            known=known,
            listen=watching.listen,
            stop=watching.stop,
        )
    except Stopped:
        return False
    for words in prepared.words:
        watching.say(words)
    prepared.write(directory, task.theory)
    if config.minutes:
        left = max(_LEAST, _EPOCHS * config.minutes - known.seconds / 60)
        config = replace(config, minutes=round(left, 2))
    lemmas = prepared.lemmas if task.start is None else None
    ready = replace(task, problems=prepared.parts.train, lemmas=lemmas, making=None)
    write_task(directory, ready, config)
    return watching.stop is None or not watching.stop.is_set()


def _train_selection(
    theory: str | None,
    method: str | None,
    problems: str | None,
    seed: int,
    out: Path | None,
    changes: dict[str, Any] | None,
    watching: Watching,
) -> Trained:
    """Trains the selection of critical pairs, which is for all theories."""
    example = f"for example: threesil train --method {METHOD} --problems @problems.list"
    if method != METHOD:
        raise InputError(f"which theory? Only method {METHOD} is for all of them; {example}")
    if theory is not None:
        raise InputError(f"method {METHOD} learns for all theories: leave {theory} out; {example}")
    if problems is None:
        raise InputError(f"method {METHOD} needs problems with equations of their own; {example}")
    directory = out or Path("runs") / f"{METHOD}-{seed}"
    check_new(directory)
    run = SelectionRun.of(directory, problems, seed, selection_config(changes or {}))
    _make(directory)
    with locked(directory):
        run.begin()
        return _train(run, watching)


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{directory} can't be a run's directory: {error.strerror}"
        raise InputError(message) from None


def resume(
    directory: Path,
    *,
    minutes: float | None = None,
    changes: dict[str, Any] | None = None,
    on: str | None = None,
    table: bool = True,
    **calls: Unpack[Calls],
) -> Trained:
    """Goes on with the run of a directory; `changes` may give it a larger ME.

    With `minutes`, its epochs go on for about so long, besides what they have taken.
    """
    method = read_facts(directory)["method"]  # no lock is put where there is no run
    _can_go_away(method, on)
    watching = Watching(**calls, table=table)
    if minutes is not None and method == METHOD:
        raise InputError(f"method {METHOD} counts rounds: go on for longer with --set ME=N")
    with locked(directory):
        if minutes is not None:
            changes = {**(changes or {}), **_longer(directory, minutes)}
        if method == METHOD:
            return _train(SelectionRun.resume(directory, changes), watching)
        if "making" in read_facts(directory):
            if not _prepare(directory, changes, watching):
                return _unready(directory)
            changes = None
        run = Run.resume(directory, changes)
        before, done = run.epoch, _train(run, watching, on)
        if "ME" in (changes or {}) and done.finished and run.epoch == before < run.config.ME:
            watching.say(f"no epoch was added to {directory}: {_why_over(run)}")
        return done


def _longer(directory: Path, minutes: float) -> dict[str, Any]:
    """What to change for so many minutes more; time alone is to end the run then."""
    facts = read_facts(directory)
    if "making" in facts:
        return {"minutes": minutes}
    spent = sum(metrics["seconds"] for metrics in read_metrics(directory)) / 60
    most = max(_MANY, int(facts.get("config", {}).get("ME", 0)))
    return {"minutes": round(spent + minutes, 4), "ME": most}


def _why_over(run: Run) -> str:
    """What has ended a run before its last epoch, and what to do."""
    config = run.config
    if config.ended(0, False, run.spent, 0.0):
        more = "--minutes N gives it more, --set minutes=0 lets ME alone decide"
        return f"its {config.minutes:g} minutes are over; {more}"
    if config.ended(0, False, 0.0, run.cpu):
        over = f"its {config.cpu_seconds:g} seconds of CPU time are over"
        return f"{over}, which can't be changed; start another run"
    return "its last level is finished, with which it was to end; start another run"


def _can_go_away(method: str, on: str | None) -> None:
    if on is not None and method not in AWAY:
        raise InputError(f"--on is for the methods {', '.join(AWAY)}: leave it out")
    check_place(on)


def _train(run: Run | SelectionRun, watching: Watching, on: str | None = None) -> Trained:
    watching.begin(run)
    stop = watching.stop or Stop()
    with ExitStack() as stack:
        if on is not None and isinstance(run, Run):
            run.agent.elsewhere = stack.enter_context(place_for(on, run.config.threads))
        finished = run.train(watching.progress, stop)
    if isinstance(run, SelectionRun):
        figures = run.epoch, run.config.ME, run.solved, run.problems
        return Trained(run.directory, finished, run.epoch, *figures, method=METHOD)
    shares: list[Shares] = []
    if finished:
        try:
            shares = _concluded(run, watching)
        except Stopped:
            finished = False
    level, levels = run.curriculum.level, run.curriculum.levels
    figures = level, levels, run.method.solved, len(run.task.problems)
    helps = read_judgement(run.directory).get("helps") is not False
    source = run.task.source
    theory = str(run.directory / source) if "/" in source else source
    about = tuple(shares), helps, run.task.method, theory
    return Trained(run.directory, finished, run.epoch, *figures, *about)


def _concluded(run: Run, watching: Watching) -> list[Shares]:
    """What comes after the epochs; the rows of the table."""
    listen, stop = watching.listen, watching.stop
    if run.task.lemmas is not None:
        seconds = _PAIRS * 60 * run.config.minutes or _PAIR_SECONDS
        return conclude(run.directory, run.task, seconds, listen, stop)
    if not watching.table:
        return []
    return before_after(run.directory, run.task, listen, watching.say, stop)
