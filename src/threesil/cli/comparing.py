"""The command that compares solvers: compare."""

from __future__ import annotations

import json
import shlex
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from threesil.cli.app import ON, bar, err, not_written, out, plain, reading, say_refused, visible
from threesil.kernel.outcome import SZS
from threesil.measure.compare.contest import compare as run_comparison
from threesil.measure.compare.standing import Standing
from threesil.measure.compare.statistics import wilson
from threesil.measure.results import KINDS, Row, counts_of
from threesil.problems.sets import ProblemSet, UnknownTheory, open_set
from threesil.provers.registry import MEMORY, PROVERS
from threesil.provers.request import Request
from threesil.provers.solvers import read_names
from threesil.search.solvers import SOLVERS
from threesil.theories import get_theory


class _Clock(Enum):
    CPU = "cpu"
    WALL = "wall"


def compare(
    problems: Annotated[
        str,
        typer.Argument(
            metavar="SET|FILE|DIR|@LIST",
            help="A problem set (aim-dev, aim-lemmas), a file, a directory or a list of files.",
        ),
    ],
    out_dir: Annotated[
        Path, typer.Option("--out", help="The directory of the comparison; made if needed.")
    ],
    solvers: Annotated[
        str,
        typer.Option(
            help=f"Between commas: our own, {', '.join(SOLVERS)}; other provers, "
            f"{', '.join(PROVERS)}; PROVER+lemmas or PROVER+hints: one that our lemmas help; "
            "portfolio: best and all provers."
        ),
    ] = "best,plain",
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU time for each attempt.")] = 60.0,
    theory: Annotated[
        str | None,
        typer.Option(help="A theory's name, or the path of a theory file; default: the set's."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="A run's directory or a file of weights; default: the bundled ones."),
    ] = None,
    memory: Annotated[int, typer.Option(min=64, help="Megabytes for each attempt.")] = MEMORY,
    workers: Annotated[
        int, typer.Option(min=1, help="Attempts at a time; no more than there are free cores.")
    ] = 1,
    on: Annotated[str | None, ON] = None,
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
        _Clock, typer.Option(help="The time that counts: CPU time, or time by the wall clock.")
    ] = _Clock.CPU,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Try several solvers on the same problems under the same limits, and report.

    The directory gets report.html (one page that needs nothing else), report.md and figures:
    shares with confidence intervals, who solves what, a test for each pair of solvers.

      threesil compare aim-dev --solvers best,plain,prover9 --seconds 10 --out c1

      threesil compare aim-dev --solvers best --import vampire=v.tsv --out c2

    Every result is written down at once. Ctrl-C stops; the same command resumes, and more solvers
    can be added to a directory later. With more --seconds, what was not solved is tried again.
    """
    with reading(problems):
        given = _open(problems, theory)
    say_refused(given.refused.values())
    request = Request(None, seconds, weights=weights, memory=memory)
    done = total = 0
    try:
        with bar() as progress_bar:
            task = progress_bar.add_task("comparing", total=None, visible=False)
            solved = 0

            def progress(solver: str, row: Row, number: int, of: int) -> None:
                nonlocal done, total, solved
                done, total, solved = number, of, solved + row.solved
                note = f"{solver}, {row.name}: {row.status}"
                shown = f"{solved} solved  {plain(note)}"
                progress_bar.update(
                    task, completed=number, total=of, description=shown, visible=True
                )
                if row.status is SZS.ERROR:
                    words = visible(f"threesil: {note} ({row.reason})")
                    err.print(words, style="yellow", markup=False)

            compared = run_comparison(
                given,
                read_names(solvers),
                request,
                out_dir,
                imports=imports or (),
                clock=clock.value,
                workers=workers,
                on=on,
                name=problems,
                progress=progress,
            )
    except KeyboardInterrupt:
        left = f"{total - done} of {total} attempts are left. " if total else ""
        command = visible(shlex.join(sys.argv[1:]))
        words = f"stopped; {left}Resume with the same command:\n  threesil {command}"
        err.print(words, markup=False)
        raise typer.Exit(130) from None
    except OSError as error:
        raise not_written(error, out_dir) from None
    if as_json:
        print(json.dumps(_summary(compared.standing, compared.page)))
    else:
        _show(compared.standing, compared.page)


def _open(problems: str, theory: str | None) -> ProblemSet:
    """The set or files; where nothing says which theory they are about, it is aim."""
    if theory is not None:
        return open_set(problems, get_theory(theory))
    try:
        return open_set(problems, with_refused=True)
    except UnknownTheory:
        return open_set(problems, get_theory("aim"))


def _summary(standing: Standing, page: Path | None) -> dict[str, Any]:
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
        facts = {
            "problems": total,
            "imported": entrant.imported,
            "unique": len(standing.unique[entrant.name]),
            **counts_of(entrant.rows.values()),
            "certified": entrant.certified(),
            "claimed": entrant.claimed(),
        }
        figures[entrant.name] = {**facts, "within": within}
    pairs = [vars(pair) for pair in standing.pairs]
    counts = {"problems": len(standing.problems), "union": len(standing.union), "at": standing.at}
    clock = {"clock": standing.clock, "report": str(page)}
    return {**counts, **clock, "solvers": figures, "pairs": pairs}


def _show(standing: Standing, page: Path | None) -> None:
    times = (f"{t:g} s" for t in standing.times)
    columns = ("solver", *times, "unique", *KINDS, "certified", "claimed")
    table = Table(*columns, box=None)
    for entrant in standing.entrants:
        total = len(entrant.rows)
        shares = (len(entrant.solved(t, standing.clock)) / total for t in standing.times)
        name = f"{entrant.name} (imported)" if entrant.imported else entrant.name
        unique = len(standing.unique[entrant.name])
        kinds = counts_of(entrant.rows.values()).values()
        counts = (unique, *kinds, entrant.certified(), entrant.claimed())
        table.add_row(plain(name), *(f"{s:.3f}" for s in shares), *map(str, counts))
    out.print(table)
    solved = f"{len(standing.union)} of {len(standing.common)} problems"
    out.print(f"together {solved} within {standing.at:g} s", markup=False)
    for entrant in standing.entrants:
        lacking = len(standing.problems) - len(entrant.rows)
        if lacking:
            err.print(f"{plain(entrant.name)}: {lacking} problems have no result", style="yellow")
    out.print(visible(page), markup=False)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(compare)
