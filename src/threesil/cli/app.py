"""The command line's frame: the application, its help, and the two consoles."""

from __future__ import annotations

import os
import shlex
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Annotated, Any, TypeVar

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

import threesil
from threesil.cli.help import Command, Group
from threesil.errors import InputError

ON = typer.Option(
    metavar="ray[://HOST:PORT]",
    help="On a Ray cluster: one of this machine alone, or the one whose head is there.",
)
LEAN_TERM = typer.Option(
    "--lean-term", help="Write proofs for Lean as terms: smaller files than with calc blocks."
)

_F = TypeVar("_F", bound=Callable[..., Any])


class Typer(typer.Typer):
    """Commands with the help of this package, and `-h`."""

    def __init__(self, **given: Any) -> None:
        super().__init__(
            cls=Group,
            no_args_is_help=True,
            pretty_exceptions_enable=False,
            rich_markup_mode=None,
            context_settings={"help_option_names": ["-h", "--help"]},
            **given,
        )

    def command(self, name: str | None = None, **given: Any) -> Callable[[_F], _F]:
        settings = {"help_option_names": ["-h", "--help"]}
        return super().command(name, cls=Command, context_settings=settings, **given)


app = Typer(
    name="threesil",
    help="""A learning prover for equations: it proves or refutes them, in whatever notation you
have them, and shows nothing as proved that its kernel has not checked.

Prove something, in the theory of AIM loops or in a file's own equations:

threesil prove 'x * T(y,x) = y * x'

threesil prove problem.p

The bundled theories, the equations of one, a file to start your own from:

threesil theories

threesil theories aim

threesil theories --example

It learns from the shortest proofs that it finds itself:

threesil train robinson --out runs/r1

threesil evaluate dev --theory robinson

Completion in your shell: threesil --install-completion.""",
)
_WIDE = 10_000  # columns for a program that reads tables: no cell is cut or wrapped
_width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE
_height = _width and 25  # without it, Rich takes 80 columns where TERM is dumb
out = Console(highlight=False, soft_wrap=True, emoji=False, width=_width, height=_height)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)

# Control and format characters, halves of surrogate pairs, separators of lines and paragraphs.
_PATIENCE = 2.0  # seconds, after which it is said what takes so long
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def plain(text: object) -> str:
    """A text from outside, as `out.print` and `err.print` show it letter by letter.

    What looks like markup is escaped. Characters that steer a terminal are made `visible`.
    """
    return escape(visible(text))


def counted(count: int, thing: str) -> str:
    """`1 rewrite`, `2 rewrites`."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


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


def not_written(error: OSError, path: Path | None = None) -> InputError:
    """The error for what could not be written: the file that the system names, else the one that
    was to be written, else what is printed."""
    where = error.filename or path or "the output"
    return InputError(f"can't write {where}: {error.strerror or error}")


def check_out(path: Path | None) -> None:
    """Refuses a file that could not be written, before there is anything to write."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"can't write {path}: this is a directory; name a file in it")
    if not path.parent.is_dir():
        make = f"make it first: mkdir -p {shlex.quote(str(path.parent))}"
        raise InputError(f"can't write {path}: there is no directory {path.parent}; {make}")


@contextmanager
def reading(what: object) -> Iterator[None]:
    """Says on a terminal what is being read, if that takes long."""
    if not err.is_terminal:
        yield
        return
    words = f"reading {visible(what)} ..."
    later = Timer(_PATIENCE, lambda: err.print(words, markup=False))
    later.daemon = True
    later.start()
    try:
        yield
    finally:
        later.cancel()


def say_refused(files: Iterable[str]) -> None:
    """Says which files could not be read, where others are."""
    for why in files:
        err.print(f"not read: {visible(why)}", style="yellow", markup=False)


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
        print(f"threesil {threesil.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass
