"""Training: a new run or an old one, from a user's words to the finished directory.

The directory is locked meanwhile; a second training there is refused. `stop` may be set by a
signal or another thread: training ends at once, and the last finished epoch is kept.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from threesil.engine import Stop, Stopped
from threesil.errors import InputError
from threesil.files import is_file, locked
from threesil.learn.config import Config, load_config
from threesil.learn.preparing import GENERATED, Listen, Prepared, prepare
from threesil.learn.records import read_facts
from threesil.learn.run import Run, check_new
from threesil.learn.selection_run import METHOD, SelectionRun, selection_config
from threesil.learn.task import SAMPLED, Made, make_task
from threesil.nets.find import find_model
from threesil.problems.files import load_problems
from threesil.theories import benchmark_of, get_theory
from threesil.theory import Goal, Theory
from threesil.workflows.conclude import conclude
from threesil.workflows.held_out import Shares
from threesil.workflows.on_ray import Cluster

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

    `shares` are what is proved of the problems that were held back, before and after.
    """

    directory: Path
    finished: bool
    epochs: int
    level: int
    levels: int
    solved: int
    problems: int
    shares: tuple[Shares, ...] = ()


@dataclass(frozen=True)
class Watching:
    """Who hears of a training, and may stop it.

    `begin` is called before the first epoch, `progress` with the metrics of each, `listen` with
    what is done before and after them, `say` with what people should know.
    """

    begin: Begin = lambda run: None
    progress: Progress = lambda metrics: None
    listen: Listen = lambda what, done, total: None
    say: Callable[[str], None] = lambda words: None
    stop: Stop | None = None


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
    **calls: Unpack[Calls],
) -> Trained:
    """Trains a network on a theory, in a directory of its own (default: runs/THEORY-METHOD-SEED).

    `start` is a model of the theory whose weights it begins with: a run, a file, or `best`.
    `config` is `best`, `paper` or a file, of which `changes` overrule keys. Without a method,
    `best` searches where there are equations to prove, all else is 3SIL. Without problems, the set
    `train` is used if the theory has one; else its goals, if there are many; else problems are
    made. With `minutes` the whole training takes about that long. `calls`: see `Watching`.
    `on` is `ray`, or `ray://HOST:PORT`: episodes and searches are done on a Ray cluster.
    """
    begun = time.perf_counter()
    watching = Watching(**calls)
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
    prepared = None
    wanted: str | Made = problems
    if _needs_preparing(chosen, method, problems):
        prepared = _prepare(chosen, problems, settings, seed, watching)
        lemmas = prepared.lemmas if first is None else None
        wanted = Made(problems, prepared.parts.train, lemmas)
        spent = (time.perf_counter() - begun) / 60
        if settings.minutes:
            left = max(_LEAST, _EPOCHS * settings.minutes - spent)
            settings = replace(settings, minutes=round(left, 2))
    task = make_task(theory, method, seed, wanted, first)
    run = Run(directory, task, settings)
    _make(directory)
    with locked(directory):
        if prepared is not None:
            prepared.write(directory, chosen)
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


def _names(problems: str) -> list[str]:
    return [problems] if is_file(problems) else problems.split("+")


def _needs_preparing(theory: Theory, method: str, problems: str) -> bool:
    """Whether the problems are no recorded set, which has parts of its own."""
    names = _names(problems)
    if GENERATED in names:
        return True
    recorded = benchmark_of(theory).sets
    return method == "expert" and not recorded and SAMPLED not in names


def _prepare(
    theory: Theory, problems: str, config: Config, seed: int, watching: Watching
) -> Prepared:
    prepared = prepare(
        theory,
        _names(problems),
        config.generated,
        seed,
        threads=config.threads,
        seconds=_MAKING * 60 * config.minutes or math.inf,
        listen=watching.listen,
        stop=watching.stop,
    )
    for words in prepared.words:
        watching.say(words)
    return prepared


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
    run = SelectionRun(directory, problems, seed, selection_config(changes or {}))
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
    changes: dict[str, Any] | None = None,
    on: str | None = None,
    **calls: Unpack[Calls],
) -> Trained:
    """Goes on with the run of a directory; `changes` may give it a larger ME, or more minutes."""
    method = read_facts(directory)["method"]  # no lock is put where there is no run
    _can_go_away(method, on)
    kind = SelectionRun if method == METHOD else Run
    with locked(directory):
        return _train(kind.resume(directory, changes), Watching(**calls), on)


def _can_go_away(method: str, on: str | None) -> None:
    if on is not None and method not in AWAY:
        raise InputError(f"--on is for the methods {', '.join(AWAY)}: leave it out")


@dataclass(frozen=True)
class _Elsewhere:
    """A cluster that plays and searches for an agent."""

    cluster: Cluster
    stop: Stop

    def each(self, do: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[Any]:
        return self.cluster.ordered(jobs, do, self.stop)

    def keep(self, value: Any) -> Callable[[], Any]:
        return self.cluster.keep(value)


def _train(run: Run | SelectionRun, watching: Watching, on: str | None = None) -> Trained:
    watching.begin(run)
    stop = watching.stop or Stop()
    with ExitStack() as stack:
        if on is not None and isinstance(run, Run):
            cluster = stack.enter_context(Cluster(on, run.config.threads))
            run.agent.elsewhere = _Elsewhere(cluster, stop)
        finished = run.train(watching.progress, stop)
    if isinstance(run, SelectionRun):
        figures = run.epoch, run.config.ME, run.solved, run.problems
        return Trained(run.directory, finished, run.epoch, *figures)
    shares: list[Shares] = []
    if finished and run.task.lemmas is not None:
        seconds = _PAIRS * 60 * run.config.minutes or _PAIR_SECONDS
        try:
            shares = conclude(run.directory, run.task, seconds, watching.listen, watching.stop)
        except Stopped:
            finished = False
    level, levels = run.curriculum.level, run.curriculum.levels
    figures = level, levels, run.method.solved, len(run.task.problems)
    return Trained(run.directory, finished, run.epoch, *figures, shares=tuple(shares))
