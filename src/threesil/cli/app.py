"""The command line's frame: the application, its help, and the two consoles."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from threesil import __version__

app = typer.Typer(
    name="threesil",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="""A learning prover for equations.

An agent rewrites a term, or both sides of an equation, with the equations of a [b]theory[/b]: it
moves a cursor through the term and applies an equation, in one direction, to the subterm under
it. [b]Prove[/b] something:

  threesil prove 'x * T(y,x) = y * x'

Or start with the theories:

  threesil theories            the theories that come along

  threesil theories aim        the equations of one, with their action numbers

An agent [b]learns[/b] from the shortest solutions that it finds itself:

  threesil train robinson --out runs/r1      a training run, in a directory

  threesil evaluate dev --theory robinson    how many problems a model solves

A theory of your own is a text file; `threesil theories --example` prints one to start from.""",
)
out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def bar(*, printing: bool = False) -> Progress:
    """A progress bar on standard error, shown on a terminal only.

    `printing`: results are printed meanwhile; where people see them, they stand for the bar.
    Standard output is left alone, so that it can be sent to a file.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    hidden = not err.is_terminal or (printing and out.is_terminal)
    clocks = (TimeElapsedColumn(), TimeRemainingColumn())
    return Progress(*columns, *clocks, console=err, disable=hidden, redirect_stdout=False)


def _version(show: bool) -> None:
    if show:
        print(f"threesil {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass
