"""Training: a new run or an old one, from a user's words to the finished directory.

The directory is locked meanwhile; a second training there is refused. `stop` may be set by a
signal or another thread: training ends at once, and the last finished epoch is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threesil.engine import Stop
from threesil.errors import InputError
from threesil.files import locked
from threesil.learn.config import load_config
from threesil.learn.records import read_facts
from threesil.learn.run import Run, check_new
from threesil.learn.selection_run import METHOD, SelectionRun, selection_config
from threesil.learn.task import SAMPLED, make_task
from threesil.theories import benchmark_of, get_theory
from threesil.theory import Goal
from threesil.workflows.on_ray import Cluster

AWAY = ("3sil", "bc", "expert")  # methods that others can play or search for

Begin = Callable[[Any], None]  # a run of either kind
Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Trained:
    """What came of a training: whether it reached its end, and how far the run is."""

    directory: Path
    finished: bool
    epochs: int
    level: int
    levels: int
    solved: int
    problems: int


def train(
    theory: str | None,
    *,
    method: str | None = None,
    config: str = "best",
    problems: str | None = None,
    seed: int = 0,
    out: Path | None = None,
    changes: dict[str, Any] | None = None,
    on: str | None = None,
    begin: Begin = lambda run: None,
    progress: Progress = lambda metrics: None,
    stop: Stop | None = None,
) -> Trained:
    """Trains a network on a theory, in a directory of its own (default: runs/THEORY-METHOD-SEED).

    `config` is `best`, `paper` or a file, of which `changes` overrule keys. Without a method,
    `best` searches where there are equations to prove, all else is 3SIL. Without problems, the set
    `train` is used if the theory has one, else random problems. `begin` is called before the first
    epoch, `progress` with the metrics of each. `on` is `ray`, or `ray://HOST:PORT`: episodes and
    searches are done on a Ray cluster; what comes of them is the same.
    """
    if method == METHOD or theory is None:
        if on is not None:
            raise InputError(f"method {METHOD} trains on this machine alone: leave out --on")
        return _train_selection(
            theory, method, problems, seed, out, changes, (begin, progress, stop)
        )
    chosen = get_theory(theory)
    if method is None:
        method = "expert" if chosen.goal is Goal.EQUATION and config == "best" else "3sil"
    if problems is None:
        problems = "train" if "train" in benchmark_of(chosen).sets else SAMPLED
    settings = load_config(config, chosen, changes, method)
    task = make_task(theory, method, seed, problems)
    directory = out or Path("runs") / f"{chosen.name}-{method}-{seed}"
    check_new(directory)
    run = Run(directory, task, settings)
    _make(directory)
    with locked(directory):
        run.begin()
        return _train(run, begin, progress, stop, on)


def _train_selection(
    theory: str | None,
    method: str | None,
    problems: str | None,
    seed: int,
    out: Path | None,
    changes: dict[str, Any] | None,
    watching: tuple[Begin, Progress, Stop | None],
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
        return _train(run, *watching)


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
    begin: Begin = lambda run: None,
    progress: Progress = lambda metrics: None,
    stop: Stop | None = None,
) -> Trained:
    """Goes on with the run of a directory; `changes` may give it a larger ME."""
    method = read_facts(directory)["method"]  # no lock is put where there is no run
    kind = SelectionRun if method == METHOD else Run
    with locked(directory):
        return _train(kind.resume(directory, changes), begin, progress, stop, on)


def _train(
    run: Run | SelectionRun,
    begin: Begin,
    progress: Progress,
    stop: Stop | None,
    on: str | None = None,
) -> Trained:
    begin(run)
    with ExitStack() as stack:
        if on is not None:
            stop = stop or Stop()
            _go_away(run, stack.enter_context(Cluster(on, _threads(run))), stop)
        finished = run.train(progress, stop)
    if isinstance(run, SelectionRun):
        level, levels, solved, problems = run.epoch, run.config.ME, run.solved, run.problems
    else:
        level, levels = run.curriculum.level, run.curriculum.levels
        solved, problems = run.method.solved, len(run.task.problems)
    return Trained(run.directory, finished, run.epoch, level, levels, solved, problems)


def _threads(run: Run | SelectionRun) -> int:
    """Cores of a cluster that is this machine alone."""
    if isinstance(run, SelectionRun) or run.task.method not in AWAY:
        raise InputError(f"--on is for the methods {', '.join(AWAY)}: leave it out")
    return run.config.threads


def _go_away(run: Run | SelectionRun, cluster: Cluster, stop: Stop) -> None:
    """Lets a cluster play and search."""
    assert isinstance(run, Run)
    run.agent.elsewhere = lambda do, jobs: cluster.ordered(jobs, do, stop)
