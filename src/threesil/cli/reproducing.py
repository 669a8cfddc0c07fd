"""The command that reproduces the paper: reproduce."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from threesil.cli.app import err, out, plain
from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.work.machine import ENDINGS

if TYPE_CHECKING:
    from threesil.reproduce.jobs import Job


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Tables and figures, see --list; default: all."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Everything small, in minutes; the default.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="As in the paper: three seeds, whole sets; half a day.")
    ] = False,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="The directory; resumed if there is one.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Problems at a time.")] = 2,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="ray[://HOST:PORT]", help="Train, evaluate and compare on a Ray cluster."
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Run nothing; report what is there, complete or not.")
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="Say what there is, and how long it takes.")
    ] = False,
) -> None:
    """Reproduce the tables and figures of the paper, and ours, and write one report.

    Trainings, evaluations and other provers' attempts are kept in the directory: Ctrl-C stops, the
    same command resumes. The report has the paper's numbers beside ours, with the commands, seeds,
    commit and machine.

    threesil reproduce --list

    threesil reproduce --quick --out reproduced

    threesil reproduce robinson-levels robinson-test --full --out reproduced
    """
    if quick and full:
        raise InputError("--quick or --full, not both")
    try:
        from threesil.reproduce import experiments
        from threesil.reproduce.run import Interrupted, Session, check_data, plan
    except ImportError as error:
        raise _need(error) from None
    small = not full
    chosen = experiments(tuple(names or ()), quick=small)
    if list_:
        table = Table("name", "what it shows", "quick", "full", box=None)
        for one, other in zip(
            experiments(tuple(names or ()), quick=True),
            experiments(tuple(names or ()), quick=False),
            strict=True,
        ):
            times = (_time(sum(job.estimate for job in plan([e]))) for e in (one, other))
            table.add_row(one.name, plain(one.shows), *times)
        out.print(table)
        out.print("what several of them need is run once", markup=False)
        return
    if out_dir is None:
        raise InputError("where to? Add --out DIR")
    jobs = plan(chosen)
    check_data(jobs)
    try:
        from threesil.reproduce.report import write_report  # before hours are spent
    except ImportError as error:
        raise _need(error) from None
    if report:
        if not out_dir.is_dir():
            raise InputError(f"there is no directory {out_dir}; leave --report out to make it")
        session = Session(out_dir)
        session.take_stock(jobs)
        _show(partial(write_report, session, chosen, quick=small))
        return
    stop, caught = Stop(), [signal.SIGINT]
    with _shown(stop, caught) as shown:
        session = Session(out_dir, workers, on, stop=stop)
        left = session.left(jobs)
        total = sum(job.estimate for job in left)
        err.print(
            f"{len(left)} of {len(jobs)} jobs are left, about {_time(total)} on two cores",
            markup=False,
        )
        task = shown.add_task("", total=total or 1)
        before = 0.0

        def progress(job: Job, part: float) -> None:
            nonlocal before
            completed = before + part * job.estimate
            shown.update(task, description=job.slug[:48], completed=completed)
            if part == 0.0 and not err.is_terminal:
                err.print(job.command, markup=False)
            if part == 1.0:
                before += job.estimate

        session.progress = progress
        try:
            session.run(jobs)
        except (Interrupted, KeyboardInterrupt):
            err.print("stopped; the same command resumes", markup=False)
            raise typer.Exit(128 + caught[-1]) from None
        except OSError as error:
            raise _cannot_write(error) from None
    try:
        _show(partial(write_report, session, chosen, quick=small))
    except KeyboardInterrupt:
        err.print("stopped; the same command with --report makes the report", markup=False)
        raise


def _show(write: Callable[[], list[Path]]) -> None:
    """Writes the report, and says where."""
    try:
        for path in write():
            out.print(plain(path))
    except OSError as error:
        raise _cannot_write(error) from None


def _cannot_write(error: OSError) -> InputError:
    return InputError(f"can't write {error.filename}: {error.strerror}")


def _need(error: ImportError) -> MissingTool:
    return MissingTool(f"{error.name} is not installed; try: pip install 'threesil[plots,train]'")


@contextmanager
def _shown(stop: Stop, caught: list[signal.Signals]) -> Iterator[Progress]:
    """A bar on a terminal; signals set the flag, and are noted."""

    def note(number: int, _: object) -> None:
        caught.append(signal.Signals(number))
        stop.set()

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    before = {number: signal.getsignal(number) for number in ENDINGS}
    for number in ENDINGS:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, note)
    try:
        with Progress(*columns, console=err, disable=not err.is_terminal) as shown:
            yield shown
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(reproduce)
