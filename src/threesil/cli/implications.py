"""The command about lists of equations: problems implications."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from threesil.cli.app import ON, bar, counted, err, not_written, out, visible
from threesil.errors import InputError
from threesil.kernel.outcome import SZS
from threesil.measure.results import Row

if TYPE_CHECKING:
    from threesil.implications.equations import EquationList
    from threesil.implications.explore import Standing
    from threesil.implications.graph import Graph


def implications(
    equations: Annotated[
        Path,
        typer.Argument(
            metavar="EQUATIONS",
            help="A file with one equation a line, or a TPTP, LADR or theory file.",
        ),
    ],
    pairs: Annotated[
        Path | None,
        typer.Option(help="Decide these pairs only: two columns, i and j, a pair a line."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.001, help="CPU time for a pair; 1 with --pairs, else 10.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Pairs at a time.")] = 1,
    on: Annotated[str | None, ON] = None,
    out_path: Annotated[
        Path | None,
        typer.Option(
            "--out", help="With --pairs a results file, else a directory for the certificates."
        ),
    ] = None,
    proofs: Annotated[
        Path | None, typer.Option(help="With --pairs: write the certificates to this directory.")
    ] = None,
    hours: Annotated[
        float | None, typer.Option(min=0.0, help="Without --pairs: end after so many hours.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check what --out holds, from the certificates alone.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Decide which equations of a list imply which.

    Equation n is called En, and "does E12 imply E345" E12_E345. A proof, a finite counter-model or
    different normal forms decide a pair; all are certified. Without --pairs all ordered pairs are
    decided: a model decides many at once, a proof all that follows by transitivity and mirror
    images. Ctrl-C stops; the same command resumes.

    threesil problems implications equations.txt --pairs pairs.tsv --workers 2 --out r.jsonl

    threesil problems implications equations.txt --workers 2 --hours 1 --out graph

    threesil problems implications equations.txt --out graph --verify
    """
    from threesil.implications.equations import read_equations, read_pairs

    given = read_equations(equations)
    if pairs is not None:
        if hours is not None or verify:
            raise InputError("--hours and --verify are for all pairs: leave out --pairs")
        listed = read_pairs(pairs, given)
        names = (str(pairs), out_path, proofs)
        _pairs(given, listed, names, seconds or 1.0, (workers, on), as_json)
        return
    if out_path is None:
        raise InputError("--out names the directory for the certificates of all pairs")
    if proofs is not None:
        raise InputError("--proofs goes with --pairs; the certificates of all pairs are in --out")
    if verify:
        _verify(given, out_path, as_json)
    else:
        _explore(given, out_path, (workers, on), seconds or 10.0, hours, as_json)


def _explore(
    given: EquationList,
    path: Path,
    where: tuple[int, str | None],
    seconds: float,
    hours: float | None,
    as_json: bool,
) -> None:
    from threesil.implications.graph import explore, write

    total = len(given) * (len(given) - 1)
    with bar() as progress_bar:
        task = progress_bar.add_task("pairs", total=total)

        def progress(standing: Standing) -> None:
            progress_bar.update(
                task,
                description=f"pairs ({standing.doing}; {standing.open:,} open)",
                completed=standing.proved + standing.refuted,
            )

        stopped = False
        try:
            graph = explore(
                given,
                path,
                workers=where[0],
                on=where[1],
                seconds=seconds,
                hours=math.inf if hours is None else hours,
                progress=progress,
            )
        except KeyboardInterrupt:
            stopped = True
        except OSError as error:
            raise not_written(error, path) from None
    if stopped:
        err.print("threesil: interrupted; what is known is written down", style="red")
        graph = write(given, path)
    _show(graph, as_json)
    for note in graph.notes:
        err.print(visible(note), markup=False)
    if stopped:
        raise typer.Exit(130)


def _verify(given: EquationList, path: Path, as_json: bool) -> None:
    from threesil.implications.graph import check

    with bar() as progress_bar:
        task = progress_bar.add_task("certificates", total=None)

        def progress(what: str, number: int) -> None:
            progress_bar.update(task, description=what, completed=number)

        graph = check(given, path, progress)
    _show(graph, as_json, "verified: ")


def _show(graph: Graph, as_json: bool, word: str = "") -> None:
    share = (graph.proved + graph.refuted) / graph.pairs
    if as_json:
        names = ("pairs", "proved", "refuted", "open", "proofs", "models", "systems")
        print(json.dumps({name: getattr(graph, name) for name in names} | {"share": share}))
        return
    print(
        f"{word}{graph.pairs:,} pairs: {graph.proved:,} proved, {graph.refuted:,} refuted, "
        f"{graph.open:,} open; {100 * share:.4f} % decided by {graph.proofs:,} proofs and "
        f"{graph.models:,} models" + (f", {graph.systems} systems" if graph.systems else "")
    )


def _pairs(
    given: EquationList,
    listed: list[tuple[int, int]],
    names: tuple[str, Path | None, Path | None],
    seconds: float,
    where: tuple[int, str | None],
    as_json: bool,
) -> None:
    name, out_path, proofs = names
    from threesil.implications.pairs import decide_pairs

    rows: list[Row] = []
    stopped = False
    begin = time.perf_counter()
    with bar() as progress_bar:
        task = progress_bar.add_task("pairs", total=len(listed))

        def progress(row: Row) -> None:
            rows.append(row)
            progress_bar.advance(task)

        try:
            decide_pairs(
                given,
                listed,
                name=name,
                seconds=seconds,
                workers=where[0],
                on=where[1],
                out=out_path,
                proofs=proofs,
                progress=progress,
            )
        except KeyboardInterrupt:
            stopped = True
        except OSError as error:
            raise not_written(error, out_path) from None
    _summary(rows, len(listed), time.perf_counter() - begin, as_json)
    if stopped:
        again = "; the same command resumes" if out_path else ""
        err.print(f"threesil: interrupted after {len(rows)} of {len(listed)}{again}", style="red")
        raise typer.Exit(130)


def _summary(rows: list[Row], pairs: int, took: float, as_json: bool) -> None:
    statuses = Counter(row.status for row in rows)
    decided = [row.cpu_seconds for row in rows if row.status.decides]
    figures = {
        "pairs": pairs,
        "proved": statuses[SZS.THEOREM],
        "refuted": statuses[SZS.COUNTER_SATISFIABLE],
        "open": pairs - len(decided),
        "median_cpu_seconds": round(median(decided), 6) if decided else None,
        "seconds": round(took, 2),
    }
    if as_json:
        print(json.dumps(figures))
        return
    shown = f"{figures['proved']} proved, {figures['refuted']} refuted, {figures['open']} open"
    if decided:
        shown += f"; median {1000 * median(decided):.2g} ms of CPU time"
    out.print(visible(f"{counted(pairs, 'pair')}: {shown}"))
