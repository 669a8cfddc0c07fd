"""Commands about the recorded problem sets: data fetch, data list."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from threesil.cli.app import Typer, err, not_written, out, plain
from threesil.errors import InputError
from threesil.files import is_file
from threesil.problems.fetch import SOURCES, Source, is_there
from threesil.problems.fetch import fetch as fetch_source
from threesil.problems.fetch.download import is_address
from threesil.problems.fetch.ueq import ABOUT, LICENCE, NAME, fetch_ueq
from threesil.problems.sets import DATA, data_home

commands = Typer(help="Get the public problem sets, and see which are here.")

_OTHER = "other"  # the state of a set that is there, but not as it is fetched

_TO = typer.Option(
    "--to", help=f"The directory for them; default: that of {DATA}, else a cache directory."
)


@commands.command()
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help=f"Problem sets: {', '.join(SOURCES)}, {NAME}; default: all but {NAME}.",
        ),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="DIR|URL",
            help="A mirror: an address with GitHub's paths below it, or a directory with clones "
            f"of the repositories. For {NAME}: your TPTP, a directory or an archive.",
        ),
    ] = None,
    to: Annotated[Path | None, _TO] = None,
) -> None:
    """Fetch public problem sets from where they are published.

    Each comes from a fixed commit of its repository, and each file that is made of it is checked
    against its SHA-256. If it is stopped, the same command resumes.

    threesil data fetch

    threesil data fetch aim robinson --from mirror/

    threesil data fetch ueq --from TPTP-v9.2.1.tgz
    """
    chosen = list(dict.fromkeys(names or SOURCES))
    for name in chosen:
        if name not in SOURCES and name != NAME:
            raise InputError(f"no problem set {name!r}; there are: {', '.join((*SOURCES, NAME))}")
    directory = to or data_home()
    try:
        for name in chosen:
            if name == NAME:
                _fetch_ueq(directory, origin)
            else:
                _fetch(SOURCES[name], directory, origin)
    except KeyboardInterrupt:
        err.print("stopped; the same command resumes", markup=False)
        raise typer.Exit(130) from None
    except OSError as error:
        raise not_written(error, directory) from None
    if directory != data_home():
        err.print(f"to use them: export {DATA}={plain(directory.resolve())}")


def _fetch(source: Source, directory: Path, origin: str | None) -> None:
    where = f"{source.repository} at {source.commit[:12]}"
    with _bar() as shown:
        task = shown.add_task(source.name, total=None)

        def progress(what: str, done: int, total: int | None) -> None:
            label = f"{source.name}: {plain(what.rsplit('/', 1)[-1][:20])}"
            shown.update(task, description=label, completed=done, total=total)

        new = fetch_source(source, directory, origin, progress=progress)
    state = "made" if new else "already there"
    out.print(f"{source.name}: {state}, {len(source.made)} files in {plain(directory)}")
    out.print(f"  from {where}; licence: {source.licence}")


def _fetch_ueq(directory: Path, origin: str | None) -> None:
    place = origin or os.environ.get("TPTP")
    if not place:
        raise InputError(
            "threesil may not distribute TPTP: get it from https://tptp.org, then name it with "
            f"`threesil data fetch {NAME} --from DIRECTORY-OR-ARCHIVE`, or set TPTP to it"
        )
    if is_address(place):
        file = place.rsplit("/", 1)[-1] or "FILE"
        raise InputError(f"TPTP is read from a file or directory: get it first, then --from {file}")
    with _bar() as shown:
        task = shown.add_task(f"{NAME}: files read", total=None)
        sizes = fetch_ueq(
            directory,
            Path(place),
            progress=lambda looked_at: shown.update(task, completed=looked_at),
        )
    counts = ", ".join(f"{split} {size}" for split, size in sorted(sizes.items()))
    out.print(f"{NAME}: made in {plain(directory / NAME)}: {counts}")
    out.print(f"  from {plain(place)}; licence: {LICENCE}")


def _bar() -> Progress:
    """Bytes on their way, on a terminal only."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    return Progress(
        *columns,
        TransferSpeedColumn(),
        console=err,
        disable=not err.is_terminal,
        redirect_stdout=False,
        transient=True,
    )


@commands.command("list")
def list_(
    to: Annotated[Path | None, _TO] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a set.")] = False,
) -> None:
    """List the public problem sets, where they come from, and which are here.

    threesil data list
    """
    directory = to or data_home()
    rows = [_row(source, directory) for source in SOURCES.values()]
    lists = is_file(directory / NAME / "train.txt")
    facts = {"name": NAME, "about": ABOUT, "from": "your TPTP", "licence": LICENCE}
    rows.append(facts | {"state": "here" if lists else "-"})
    if as_json:
        for row in rows:
            print(json.dumps(row))
        return
    table = Table("set", "here", "what", "from", "licence", box=None)
    for row in rows:
        cells = (row["name"], row["state"], row["about"], row["from"], row["licence"])
        table.add_row(*map(plain, cells))
    out.print(table)
    out.print(f"in {plain(directory)}")
    if any(row["state"] == _OTHER for row in rows):
        out.print(f"{_OTHER}: files with other content: an older layout, a part, or your own")


def _row(source: Source, directory: Path) -> dict[str, Any]:
    if is_there(source, directory):
        state = "here"
    elif any(is_file(directory / file) for file in source.made):
        state = _OTHER
    else:
        state = "-"
    return {
        "name": source.name,
        "about": source.about,
        "from": f"github.com/{source.repository}",
        "licence": source.licence,
        "state": state,
    }


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.add_typer(commands, name="data")
