"""The command that compares systems: compare."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Generator
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from threesil.cli.app import bar, err, out
from threesil.compare.imported import read_imported
from threesil.compare.results import Comparison, Row, make_setting, this_machine
from threesil.compare.runner import Limits, run
from threesil.compare.standing import Entrant, Standing
from threesil.compare.statistics import wilson
from threesil.compare.systems import OWN, make_system, read_specs
from threesil.errors import InputError, MissingTool
from threesil.problems import load_set
from threesil.provers import MEMORY, PROVERS
from threesil.theories import get_theory


class _Clock(Enum):
    CPU = "cpu"
    WALL = "wall"


def compare(
    problems: Annotated[
        str, typer.Argument(metavar="SET|FILE", help="A problem set (dev, test) or a file.")
    ],
    out_dir: Annotated[
        Path, typer.Option("--out", help="The directory of the comparison; made if needed.")
    ],
    systems: Annotated[
        str,
        typer.Option(
            help="Between commas: model (what threesil prove does); its other modes "
            f"{', '.join(list(OWN)[1:])}; external provers {', '.join(PROVERS)}; "
            "PROVER+lemmas or PROVER+hints: one that the model helps; portfolio: model and provers."
        ),
    ] = "model,plain",
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU time for each attempt.")] = 60.0,
    theory: Annotated[
        str, typer.Option(help="A theory's name, or the path of a theory file.")
    ] = "aim",
    model: Annotated[
        str | None,
        typer.Option(help="A run's directory or a model file; default: the bundled one."),
    ] = None,
    memory: Annotated[int, typer.Option(min=64, help="Megabytes for each attempt.")] = MEMORY,
    workers: Annotated[
        int, typer.Option(min=1, help="Attempts at a time; no more than there are free cores.")
    ] = 1,
    imports: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="[NAME=]FILE",
            help="Results that were measured elsewhere: name, status (proved, timeout), wall "
            "seconds and CPU seconds between tabs, or JSON lines of threesil.",
        ),
    ] = None,
    clock: Annotated[
        _Clock, typer.Option(help="The time that decides what is solved by when.")
    ] = _Clock.CPU,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Try several systems on the same problems under the same limits, and report.

    The directory gets report.html (one page that needs nothing else), report.md and figures:
    shares with confidence intervals, who solves what, a test for each pair of systems.

      threesil compare dev --systems model,plain,prover9 --seconds 10 --out c1

      threesil compare dev --systems model --import vampire=v.tsv --out c2

    Every result is written down at once. Ctrl-C stops; the same command goes on, and more systems
    can be added to a directory later.
    """
    try:
        import threesil.compare.plots  # noqa: F401  before hours are spent
    except ImportError as error:
        missing = f"{error.name} is not installed; try: pip install 'threesil[plots]'"
        raise MissingTool(missing) from None
    chosen = get_theory(theory)
    listed = load_set(chosen, problems)
    names = tuple(problem.name for problem in listed)
    setting = make_setting(chosen, listed, problems, seconds, memory)
    imported = [read_imported(argument, names) for argument in imports or ()]
    specs = read_specs(systems)
    labels = [*specs, *(one.name for one in imported)]
    if not labels:
        raise InputError("nothing to compare; name --systems or --import results")
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"two systems are called {label}; try --import NAME=FILE")
    try:
        comparison = Comparison(out_dir, setting)
        for spec in specs:
            comparison.enter(spec, make_system(spec, chosen, memory, model).describe(seconds))
        jobs = comparison.missing(listed, specs)
        comparison.begin(this_machine(workers) if jobs else None)
        attempts = run(jobs, theory, Limits(seconds, memory), workers=workers, model=model)
        _gather(comparison, attempts, len(jobs))
        entrants = [
            Entrant(spec, _only(comparison.rows(spec), names), comparison.systems[spec])
            for spec in specs
        ]
        entrants += [Entrant(one.name, one.rows, {}, one.file, one.others) for one in imported]
        standing = Standing(names, tuple(entrants), seconds, clock.value)
        from threesil.compare.report import write_report

        page = write_report(out_dir, setting, standing, comparison.runs)
    except OSError as error:
        raise InputError(f"can't write {error.filename}: {error.strerror}") from None
    if as_json:
        print(json.dumps(_summary(standing, page)))
    else:
        _show(standing, page)


def _only(rows: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: rows[name] for name in names if name in rows}


def _gather(comparison: Comparison, attempts: Generator[Row, None, None], total: int) -> None:
    """Writes the rows down as they come."""
    solved = done = 0
    try:
        with bar() as progress, closing(attempts) as rows:
            task = progress.add_task("comparing", total=total, visible=bool(total))
            for row in rows:
                comparison.add(row)
                done, solved = done + 1, solved + row.solved
                note = f"{row.system}, {row.name}: {row.status}"
                progress.update(task, advance=1, description=f"{solved} solved  {note}")
                if row.status == "Error":
                    err.print(f"threesil: {note}", style="yellow", markup=False)
    except KeyboardInterrupt:
        err.print(
            f"stopped; {total - done} of {total} attempts are left. Go on with the same command:\n"
            f"  threesil {shlex.join(sys.argv[1:])}",
            markup=False,
        )
        raise typer.Exit(1) from None


def _summary(standing: Standing, page: Path) -> dict[str, Any]:
    """The figures of the report, for programs."""
    figures: dict[str, Any] = {}
    for entrant in standing.entrants:
        total = len(entrant.rows)
        within = {}
        for t in standing.times:
            solved = len(entrant.solved(t, standing.clock))
            low, high = wilson(solved, total)
            share = {"solved": solved, "share": round(solved / total, 4)}
            within[f"{t:g}"] = {**share, "low": round(low, 4), "high": round(high, 4)}
        unique = len(standing.unique[entrant.name])
        facts = {"problems": total, "imported": entrant.imported, "unique": unique}
        figures[entrant.name] = {**facts, "within": within}
    pairs = [vars(pair) for pair in standing.pairs]
    counts = {"problems": len(standing.problems), "union": len(standing.union), "at": standing.at}
    clock = {"clock": standing.clock, "report": str(page)}
    return {**counts, **clock, "systems": figures, "pairs": pairs}


def _show(standing: Standing, page: Path) -> None:
    table = Table("system", *(f"{t:g} s" for t in standing.times), "unique", box=None)
    for entrant in standing.entrants:
        total = len(entrant.rows)
        shares = (len(entrant.solved(t, standing.clock)) / total for t in standing.times)
        name = f"{entrant.name} (imported)" if entrant.imported else entrant.name
        table.add_row(name, *(f"{s:.3f}" for s in shares), str(len(standing.unique[entrant.name])))
    out.print(table)
    solved = f"{len(standing.union)} of {len(standing.common)} problems"
    out.print(f"together {solved} within {standing.at:g} s", markup=False)
    for entrant in standing.entrants:
        lacking = len(standing.problems) - len(entrant.rows)
        if lacking:
            err.print(f"{entrant.name}: {lacking} problems have no result", style="yellow")
    out.print(str(page), markup=False)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(compare)
