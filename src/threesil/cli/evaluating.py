"""The command that counts what is solved: evaluate."""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median_low
from typing import Annotated, Any

import typer
from rich.table import Table

from threesil.cli.app import (
    ON,
    bar,
    counted,
    err,
    not_written,
    out,
    plain,
    reading,
    say_refused,
    visible,
)
from threesil.measure.evaluate import evaluate as run_evaluation
from threesil.measure.results import KINDS, Row, counts_of
from threesil.problems.sets import ProblemSet, name_of_all, open_set
from threesil.provers.request import Request
from threesil.search.solvers import SOLVERS, default_solver
from threesil.theories import benchmark_of, get_theory

TIMES = (0.001, 0.01, 0.1, 1.0, 2.0, 10.0, 60.0)
_SOLVERS = "; ".join(f"{name}: {kind.about}" for name, kind in SOLVERS.items())


def evaluate(
    problems: Annotated[
        str,
        typer.Argument(
            metavar="SET|FILE|DIR|@LIST",
            help="A problem set: `threesil problems list` names them, such as aim-lemmas. Or a "
            "file, a directory or a list of files with equations of their own (TPTP, LADR, theory "
            "files). For a set without its theory's name, or a file of problems, add --theory.",
        ),
    ],
    theory: Annotated[
        str | None,
        typer.Option(help="A theory's name, or the path of a theory file; default: the set's."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="A run's directory or a file of weights; default: the bundled ones."),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"{_SOLVERS}. Default: best for equations, else ladder."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.0, help="CPU time for each problem.")] = 60.0,
    expansions: Annotated[
        int | None, typer.Option(min=1, help="Expansions for each problem; makes it repeatable.")
    ] = None,
    attempts: Annotated[
        int | None,
        typer.Option(min=1, help="Sampled episodes for each problem, with sample and ladder."),
    ] = None,
    sampled_only: Annotated[
        bool,
        typer.Option(
            "--sampled-only", help="Leave out the greedy episode, with sample and ladder."
        ),
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option(min=1, help="Step limit of an episode; default: that of the stratum."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Decides everything random.")] = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Take so many problems, the first ones.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Problems at a time, in threads.")] = 1,
    on: Annotated[str | None, ON] = None,
    out_file: Annotated[
        Path | None,
        typer.Option("--out", help="Keep the results here, a JSON line for each problem."),
    ] = None,
    proofs: Annotated[Path | None, typer.Option(help="Write the proofs to this directory.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Count the problems that a solver solves. Every solution is certified.

    With --out, every result is written down at once: Ctrl-C stops, the same command resumes, and
    with more --seconds what was not solved is tried again.

    threesil evaluate test --theory robinson --out results.jsonl

    threesil evaluate my-terms.txt --theory robinson --solver sample --attempts 100

    threesil evaluate dev --theory robinson --solver sample --sampled-only --attempts 1

    threesil evaluate aim-lemmas --seconds 2

    threesil evaluate @problems.list --seconds 10 --workers 2 --out results.jsonl

    threesil evaluate my-equations.tsv --theory aim --seconds 2 --workers 2 --out results.jsonl
    """
    with reading(problems):
        given = open_set(problems, get_theory(theory) if theory else None, with_refused=True)
    say_refused(given.refused.values())
    given = replace(given, problems=given.problems[:limit])
    options = {"attempts": attempts, "steps": steps, "greedy": False if sampled_only else None}
    chosen = solver or default_solver(given.theory)
    request = Request(chosen, seconds, expansions, weights, seed, options=options)
    rows: list[Row] = []
    printing = given.are_lemmas and not as_json
    begin = time.perf_counter()
    stopped = False
    with bar(printing=given.are_lemmas) as progress_bar:
        task = progress_bar.add_task(
            f"{chosen}, {plain(name_of_all(given.theories))}", total=len(given.names)
        )

        def progress(row: Row) -> None:
            rows.append(row)
            if printing:
                _show_row(row)
            progress_bar.advance(task)

        try:
            run_evaluation(
                given,
                request,
                workers=workers,
                on=on,
                name=problems,
                out=out_file,
                proofs=proofs,
                progress=progress,
            )
        except KeyboardInterrupt:
            stopped = True
        except OSError as error:
            raise not_written(error, out_file or proofs) from None
    figures = _figures(rows, given, chosen, seconds, time.perf_counter() - begin)
    if as_json:
        print(json.dumps(figures))
    elif rows:
        _show(figures)
    if stopped:
        _say_stopped(len(rows), len(given.names), out_file)
        raise typer.Exit(130)


def _figures(
    rows: list[Row], given: ProblemSet, solver: str, seconds: float, took: float
) -> dict[str, Any]:
    """The summary, for programs."""
    strata: dict[str, list[Row]] = {}
    for row in rows:
        strata.setdefault(row.stratum or "all", []).append(row)
    order = list(benchmark_of(given.theory).steps)
    names = sorted(strata, key=lambda name: (order.index(name) if name in order else -1, name))
    parts = [_part(name, strata[name]) for name in names]
    times = sorted({t for t in TIMES if t < seconds} | {seconds})
    solved = [row.cpu_seconds for row in rows if row.solved]
    within = {f"{t:g}": round(_share(sum(s <= t for s in solved), len(rows)), 4) for t in times}
    whole = _part("all", rows)
    name = name_of_all(given.theories)
    figures = {"theory": name, "solver": solver, "problems": len(rows)}
    counts = {key: whole[key] for key in (*KINDS, "median_rewrites")}
    return {**figures, **counts, "within": within, "strata": parts, "seconds": round(took, 2)}


def _part(name: str, rows: list[Row]) -> dict[str, Any]:
    solved = [row for row in rows if row.solved]
    return {
        "stratum": name,
        "problems": len(rows),
        **counts_of(rows),
        "share": round(_share(len(solved), len(rows)), 4),
        "median_rewrites": _median([row.rewrites for row in solved]),
        "median_steps": _median([row.steps for row in solved]),
    }


def _share(count: int, of: int) -> float:
    return count / of if of else 0.0


def _median(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return median_low(known) if known else None


def _show(figures: dict[str, Any]) -> None:
    """The summary, for people."""
    if [part["stratum"] for part in figures["strata"]] != ["all"]:
        table = Table("stratum", "problems", "decided", "share", "median steps", box=None)
        for part in figures["strata"]:
            share, steps = f"{part['share']:.3f}", str(part["median_steps"] or "-")
            decided = str(part["proved"] + part["refuted"])
            table.add_row(part["stratum"], str(part["problems"]), decided, share, steps)
        out.print(table)
    table = Table("CPU time", *(f"{t} s" for t in figures["within"]), box=None)
    table.add_row("decided", *(f"{share:.3f}" for share in figures["within"].values()))
    out.print(table)
    rewrites = figures["median_rewrites"]
    length = "" if rewrites is None else f"; median length {rewrites} rewrites"
    others = "".join(f", {figures[kind]} {kind}" for kind in KINDS[1:])
    out.print(f"{figures['proved']} of {figures['problems']} proved{others}{length}")


def _show_row(row: Row) -> None:
    """The result of one problem as a line."""
    length = "-" if row.rewrites is None else counted(row.rewrites, "rewrite")
    print(f"{visible(row.name):24} {row.status:12} {row.cpu_seconds:8.3f} s  {length}", flush=True)


def _say_stopped(done: int, total: int, out_file: Path | None) -> None:
    err.print(f"stopped; {total - done} of {total} problems are left", markup=False)
    command = f"threesil {shlex.join(sys.argv[1:])}"
    if out_file is None:
        err.print("nothing was kept; with --out FILE the same command resumes", markup=False)
    else:
        err.print(f"resume with the same command:\n  {visible(command)}", markup=False)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(evaluate)
