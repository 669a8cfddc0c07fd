"""Training: a new run or an old one, from a user's words to the finished directory.

The directory is locked meanwhile; a second training there is refused. `stop` may be set by a
signal or another thread: training ends at once, and the last finished epoch is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from threesil.engine import Stopped
from threesil.errors import InputError
from threesil.files import is_file
from threesil.kernel.theory import Goal, Theory
from threesil.learn.config import SelectionConfig, load_config, make_config
from threesil.learn.selection import METHOD, SelectionTraining
from threesil.learn.stages import Session, go, is_prepared, stages_of
from threesil.learn.task import (
    GENERATED,
    SAMPLED,
    make_task,
    names_of,
    resumed_config,
    write_config,
    write_task,
)
from threesil.learn.training import STAGE as POLICY
from threesil.learn.training import Training
from threesil.learn.watching import Calls, Trained, Watching
from threesil.problems.files import load_problems
from threesil.runs.metrics import total
from threesil.runs.run import Run
from threesil.runs.weights import find_policy
from threesil.theories import benchmark_of, get_theory
from threesil.work.places import check_place

AWAY = ("3sil", "bc", "expert")  # methods that others can play or search for

_GOALS = 50  # of a file, which are enough to train on
_MANY = 10_000  # epochs, where time decides
_A_MINUTE = 150  # theorems that are made for each minute of training


def train(
    theory: str | None,
    *,
    method: str | None = None,
    config: str = "ours",
    problems: str | None = None,
    seed: int = 0,
    start: str | None = None,
    minutes: float | None = None,
    out: Path | None = None,
    changes: Mapping[str, Any] | None = None,
    on: str | None = None,
    table: bool = True,
    **calls: Unpack[Calls],
) -> Trained:
    """Trains a network on a theory, in a directory of its own (default: runs/THEORY-METHOD-SEED).

    `start` are weights for the theory to begin with: a run, a file, or `best`, the bundled ones.
    `config` is `ours`, `paper` or a file, of which `changes` overrule keys. Without a method,
    `ours` searches where there are equations to prove, all else is 3SIL. Without problems, the set
    `train` is used if the theory has one; else its goals, if there are many; else problems are
    made. With `minutes` the whole training takes about that long. `calls`: see `Watching`.
    `on` is `ray`, or `ray://HOST:PORT`: episodes and searches are done on a Ray cluster. Unless
    `table` is false, before and after are compared where problems are recorded or sampled, too.
    """
    watching, changes = Watching(**calls), dict(changes or {})
    if method == METHOD or theory is None:
        _can_go_away(METHOD, on)
        return _train_selection(theory, method, problems, seed, out, changes, watching)
    chosen = get_theory(theory)
    if method is None:
        method = "expert" if chosen.goal is Goal.EQUATION and config == "ours" else "3sil"
    _can_go_away(method, on)
    if problems is None:
        problems = _default_problems(theory, chosen, method)
    first = None if start is None else find_policy(start, chosen)
    if first is not None:
        changes = {"size": first.shape.size, "hidden": first.shape.hidden, **changes}
    if minutes is not None:
        scaled = {"minutes": minutes, "ME": _MANY, "generated": round(minutes * _A_MINUTE)}
        changes = {**scaled, **changes}
    settings = load_config(config, chosen, changes, method)
    run = Run(out or Path("runs") / f"{chosen.name}-{method}-{seed}")
    run.check_new()
    preparing = _needs_preparing(chosen, method, problems)
    task = make_task(theory, method, seed, problems, first, listed=preparing)
    stages = stages_of(preparing=preparing, informed=first is not None, table=table)
    session = Session(run, watching, on)
    if not preparing:
        session.training = Training(run, task, settings)
    is_new = not run.directory.exists()
    run.make()
    try:
        with run.locked():
            run.check_new()
            write_task(run, task, settings, stages, settings.minutes)
            try:
                return _train(session)
            except InputError:
                if not is_prepared(run):
                    run.forget()
                raise
    except InputError:
        with suppress(OSError):  # it is a run, or somebody has put something there
            if is_new:
                run.directory.rmdir()
        raise


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


def _train_selection(
    theory: str | None,
    method: str | None,
    problems: str | None,
    seed: int,
    out: Path | None,
    changes: Mapping[str, Any],
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
    run = Run(out or Path("runs") / f"{METHOD}-{seed}")
    run.check_new()
    config = make_config(SelectionConfig, changes, "--set")
    training = SelectionTraining.of(run, problems, seed, config)
    run.make()
    with run.locked():
        training.begin()
        return _selected(training, watching)


def _selected(training: SelectionTraining, watching: Watching) -> Trained:
    finished = training.train(watching)
    epochs, ME, directory = training.epoch, training.config.ME, training.run.directory
    figures = epochs, epochs, ME, training.solved, training.problems
    return Trained(directory, finished, *figures, method=METHOD)


def resume(
    directory: Path,
    *,
    minutes: float | None = None,
    changes: Mapping[str, Any] | None = None,
    on: str | None = None,
    table: bool = True,
    **calls: Unpack[Calls],
) -> Trained:
    """Resumes the run of a directory; `changes` may give it a larger ME.

    With `minutes`, its epochs take about so long, besides what they have taken.
    """
    run, watching = Run(directory), Watching(**calls)
    method = run.facts.method  # no lock is put where there is no run
    _can_go_away(method, on)
    if minutes is not None and method == METHOD:
        raise InputError(f"method {METHOD} counts rounds: make it longer with --set ME=N")
    with run.locked():
        if method == METHOD:
            return _selected(SelectionTraining.resume(run, changes), watching)
        if minutes is not None:
            changes = {**(changes or {}), **_longer(run, minutes)}
        session = Session(run, watching, on)
        if not is_prepared(run):
            config = resumed_config(run, changes or {})
            write_config(run, config)
            run.write_facts(replace(run.facts, minutes=config.minutes))
            return _train(session)
        training = session.training = Training.resume(run, changes)
        if not (training.done and run.has_weights):
            run.mark({POLICY: False})
        if table and "table" not in run.facts.stages:
            run.mark({"table": False})
        before, done = training.epoch, _train(session)
        if (
            "ME" in (changes or {})
            and done.finished
            and before == training.epoch < training.config.ME
        ):
            watching.say(f"no epoch was added to {directory}: {training.why_over()}")
        return done


def _longer(run: Run, minutes: float) -> dict[str, Any]:
    """What to change for so many minutes more; time alone is to end the run then."""
    if not is_prepared(run):
        return {"minutes": minutes}
    spent = total(run.metrics(), "seconds") / 60
    most = max(_MANY, int(run.facts.config.get("ME", 0)))
    return {"minutes": round(spent + minutes, 4), "ME": most}


def _can_go_away(method: str, on: str | None) -> None:
    if on is not None and method not in AWAY:
        raise InputError(f"--on is for the methods {', '.join(AWAY)}: leave it out")
    check_place(on)


def _train(session: Session) -> Trained:
    """Goes through the stages; what came of it."""
    try:
        go(session)
        finished = True
    except Stopped:
        finished = False
    run, training, facts = session.run, session.training, session.run.facts
    if training is None:
        return Trained(run.directory, False, method=facts.method)
    return Trained(
        run.directory,
        finished,
        training.epoch,
        training.curriculum.level,
        training.curriculum.levels,
        training.method.solved,
        len(training.task.problems),
        tuple(run.shares()) if finished else (),
        run.judgement().helps,
        facts.method,
        run.source or "",
    )
