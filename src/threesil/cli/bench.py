"""The command that measures the engine, and holds it against recorded episodes: bench."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from threesil.cli.app import err, plain, visible
from threesil.errors import InputError
from threesil.theories import all_theories


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="What to measure: replay, random, threads, guided, completion, train, envs; all."
        ),
    ] = None,
    conform: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Replay the recorded episodes of a trace file (.jsonl or .jsonl.gz) instead, and "
            "report the first difference.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU seconds for each figure.")] = 2.0,
) -> None:
    """Measure the engine: steps for each CPU second of one core, and where the time goes.

    The recorded streams are those of the directory that THREESIL_DATA names.

    threesil bench guided train

    threesil bench --json > bench.json

    With --conform every state, cursor, mask or list of legal actions, done flag and outcome of the
    recorded episodes is compared. Exit code 1 at the first difference.

    threesil bench --conform traces/robinson.jsonl.gz
    """
    if conform:
        _replay(conform)
        return
    from threesil.learn.speed import MEASUREMENTS as OF_LEARNING
    from threesil.measure.speed import MEASUREMENTS
    from threesil.measure.speed import bench as measure

    known = {**MEASUREMENTS, **OF_LEARNING}
    for name in names or ():
        if name not in known:
            raise InputError(f"unknown measurement {name!r}: expected {', '.join(known)}")

    def progress(what: str) -> None:
        if err.is_terminal or ":" in what:
            err.print(plain(what))

    chosen = {name: known[name] for name in known if not names or name in names}
    figures = measure(all_theories(), seconds, progress, chosen)
    if as_json:
        print(json.dumps(figures))
        return
    profile = figures.pop("profile")
    for key, value in figures.items():
        print(f"{key:24} {'not measured' if value is None else f'{value:,} {_unit(key)}'}")
    for key, shares in profile.items():
        spent = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
        print(f"time in {key}: {spent}")


def _unit(key: str) -> str:
    units = {
        "threads.speedup": "times one thread",
        "completion.pairs": "critical pairs/s",
        "completion.rewrites": "rewrites/s",
        "train.transitions": "transitions/s",
        "envs.ratio": "of the core's speed",
    }
    first, *_, last = key.split(".")
    return units.get(f"{first}.{last}", "steps/s")


def _replay(files: list[Path]) -> None:
    """Replays recorded episodes until there is a difference."""
    from threesil.measure.conform import conform

    for file in files:
        with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
            bar = progress.add_task(f"{plain(file.name)}: episodes", total=None)
            report = conform(file, all_theories(), partial(_advance, progress, bar))
        if report.difference is not None:
            print(visible(report.difference, keep="\n"))
            raise typer.Exit(1)
        print(
            f"{visible(file)}: {visible(report.theory)}, {report.episodes} episodes, "
            f"{report.decisions} decisions, 0 differences"
        )


def _advance(progress: Progress, bar: TaskID, episodes: int) -> None:
    progress.update(bar, completed=episodes)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(bench)
