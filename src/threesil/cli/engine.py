"""Commands about theories and the engine: theories, conform, bench."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID
from rich.table import Table

from threesil.cli.app import err, out, plain, visible
from threesil.errors import InputError
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Move, Theory
from threesil.notations.infix import format_equation
from threesil.notations.names import label, title
from threesil.theories import all_theories, get_theory

_EXAMPLE = """\
# Groups: a theory file. Check it with: threesil theories groups.thy
Theory groups: Groups.
Goal equation.
Constants e.
Axiom unit: e * x = x.
Axiom inverse: i(x) * x = e.
Axiom assoc: (x * y) * z = x * (y * z).
Definition c(x,y) := i(y * x) * (x * y).
Theorem right_unit: x * e = x.
"""


def theories(
    theory: Annotated[
        str | None, typer.Argument(help="A theory's name, or the path of a theory file.")
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print an example of a theory file.")
    ] = False,
    complete: Annotated[
        bool,
        typer.Option("--complete", help="Look for rules that decide its equations."),
    ] = False,
    seconds: Annotated[float, typer.Option(min=0.0, help="CPU time for --complete.")] = 60.0,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write the rules, with their proofs, to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the theories, or the equations of one with their action numbers.

    threesil theories

    threesil theories aim

    threesil theories --example > groups.thy

    With --complete: rules under which two terms are equal exactly if their normal forms are, where
    completion comes to an end. Exit code 1 if it does not.

    threesil theories groups --complete --out groups.json

    threesil check groups.json
    """
    if example:
        print(_EXAMPLE, end="")
    elif complete:
        from threesil.cli.completing import complete_theory

        if theory is None:
            raise InputError("--complete needs a theory: threesil theories groups --complete")
        complete_theory(get_theory(theory), seconds, out_file, as_json)
    elif out_file is not None:
        raise InputError("--out goes with --complete")
    elif theory is not None:
        _show_theory(get_theory(theory), as_json)
    elif as_json:
        for known in all_theories():
            print(json.dumps(_summary(known)))
    else:
        table = Table("theory", "what it is", "equations", "actions", "goal", box=None)
        for known in all_theories():
            counts = str(len(known.equations)), str(len(known.actions))
            table.add_row(plain(known.name), plain(known.title), *counts, known.goal.value)
        out.print(table)


def _summary(theory: Theory) -> dict[str, object]:
    return {
        "theory": theory.name,
        "title": theory.title,
        "equations": len(theory.equations),
        "actions": len(theory.actions),
        "goal": theory.goal.value,
        "digest": theory.digest,
    }


def _show_theory(theory: Theory, as_json: bool) -> None:
    rows = [
        {
            "->": theory.number(equation.name, LEFT_TO_RIGHT),
            "<-": theory.number(equation.name, RIGHT_TO_LEFT),
            "kind": equation.kind,
            "name": equation.name,
            "equation": format_equation(equation, theory.signature),
        }
        for equation in theory.equations
    ]
    moves = [
        (number, action.argument + 1)
        for number, action in enumerate(theory.actions)
        if isinstance(action, Move)
    ]
    if as_json:
        moving = [{"action": number, "argument": argument} for number, argument in moves]
        print(json.dumps({**_summary(theory), "rules": rows, "moves": moving}))
        return
    out.print(
        f"[b]{plain(title(theory.name))}[/b]: {plain(theory.title)}", f"(goal: {theory.goal.value})"
    )
    for number, argument in moves:
        out.print(f"action {number}: move the cursor to argument {argument}")
    table = Table("->", "<-", "kind", "name", "equation", box=None)
    for row in rows:
        row["name"] = label(str(row["name"]))
        table.add_row(*("" if cell is None else plain(cell) for cell in row.values()))
    out.print(table)


def conform(
    files: Annotated[list[Path], typer.Argument(help="Trace files, .jsonl or .jsonl.gz.")],
    theory: Annotated[
        str | None, typer.Option(help="The theory; without it, recognised from each file.")
    ] = None,
) -> None:
    """Replay recorded episodes in the engine and report the first difference.

    Compares every state, cursor, mask or list of legal actions, done flag and outcome. Exit code
    0 if all agree, 1 at the first difference.

    threesil conform traces/robinson.jsonl.gz
    """
    from threesil.measure.conform import conform as replay

    known = all_theories() if theory is None else (get_theory(theory),)
    for file in files:
        with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
            bar = progress.add_task(f"{plain(file.name)}: episodes", total=None)
            report = replay(file, known, partial(_advance, progress, bar))
        if report.difference is not None:
            print(visible(report.difference, keep="\n"))
            raise typer.Exit(1)
        print(
            f"{visible(file)}: {visible(report.theory)}, {report.episodes} episodes, "
            f"{report.decisions} decisions, 0 differences"
        )


def _advance(progress: Progress, bar: TaskID, episodes: int) -> None:
    progress.update(bar, completed=episodes)


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="What to measure: replay, random, threads, guided, completion, train, envs; all."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU seconds for each figure.")] = 2.0,
) -> None:
    """Measure the engine: steps for each CPU second of one core, and where the time goes.

    The recorded streams are those of the directory that THREESIL_DATA names.

    threesil bench guided train

    threesil bench --json > bench.json
    """
    from threesil.learn.speed import MEASUREMENTS as OF_LEARNING
    from threesil.measure.bench import MEASUREMENTS
    from threesil.measure.bench import bench as measure

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


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (theories, conform, bench):
        app.command()(command)
