"""The command line's frame: the application, its help, and the two consoles."""

from __future__ import annotations

import unicodedata
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
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
out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)

# Control and format characters, halves of surrogate pairs, separators of lines and paragraphs.
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def plain(text: object) -> str:
    """A text from outside, as `out.print` and `err.print` show it letter by letter.

    What looks like markup is escaped. Characters that steer a terminal are made `visible`.
    """
    return escape(visible(text))


def visible(text: object, keep: str = "") -> str:
    r"""A text from outside, for `print`: what steers a terminal is written as `\x1b`.

    `keep`: characters that stay, such as the tabs between columns.
    """
    return "".join(
        character
        if character in keep or unicodedata.category(character) not in _UNSEEN
        else character.encode("unicode_escape").decode()
        for character in str(text)
    )


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
