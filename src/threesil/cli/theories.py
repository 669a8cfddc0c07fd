"""The command about theories: theories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from threesil.cli.app import check_out, out, plain
from threesil.errors import InputError
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Move, Theory
from threesil.notations.infix import format_equation
from threesil.notations.names import label, title
from threesil.theories import all_theories, get_theory

_EXAMPLE = """\
# Groups: a theory file. Check it with: threesil theories groups.thy
Theory mine: Groups.
Goal equation.
Constants e.
Axiom unit: e * x = x.
Axiom inverse: i(x) * x = e.
Axiom assoc: (x * y) * z = x * (y * z).
Definition c(x,y) := i(y * x) * (x * y).
Theorem right_unit: x * e = x.
"""


def theories(
    theory: Annotated[
        str | None, typer.Argument(help="A theory's name, or the path of a theory file.")
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print an example of a theory file.")
    ] = False,
    complete: Annotated[
        bool,
        typer.Option("--complete", help="Look for rules that decide its equations."),
    ] = False,
    seconds: Annotated[float, typer.Option(min=0.0, help="CPU time for --complete.")] = 60.0,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write the rules, with their proofs, to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the theories, or the equations of one with their action numbers.

    threesil theories

    threesil theories aim

    threesil theories --example > groups.thy

    With --complete: rules under which two terms are equal exactly if their normal forms are, where
    completion comes to an end. Exit code 1 if it does not.

    threesil theories groups --complete --out groups.json

    threesil check groups.json
    """
    check_out(out_file)
    if example:
        print(_EXAMPLE, end="")
    elif complete:
        from threesil.cli.completing import complete_theory

        if theory is None:
            raise InputError("--complete needs a theory: threesil theories groups --complete")
        complete_theory(get_theory(theory), seconds, out_file, as_json)
    elif out_file is not None:
        raise InputError("--out goes with --complete")
    elif theory is not None:
        _show_theory(get_theory(theory), as_json)
    elif as_json:
        for known in all_theories():
            print(json.dumps(_summary(known)))
    else:
        table = Table("theory", "what it is", "equations", "actions", "goal", box=None)
        for known in all_theories():
            counts = str(len(known.equations)), str(len(known.actions))
            table.add_row(plain(known.name), plain(known.title), *counts, known.goal.value)
        out.print(table)


def _summary(theory: Theory) -> dict[str, object]:
    return {
        "theory": theory.name,
        "title": theory.title,
        "equations": len(theory.equations),
        "actions": len(theory.actions),
        "goal": theory.goal.value,
        "digest": theory.digest,
    }


def _show_theory(theory: Theory, as_json: bool) -> None:
    rows = [
        {
            "->": theory.number(equation.name, LEFT_TO_RIGHT),
            "<-": theory.number(equation.name, RIGHT_TO_LEFT),
            "kind": equation.kind,
            "name": equation.name,
            "equation": format_equation(equation, theory.signature),
        }
        for equation in theory.equations
    ]
    moves = [
        (number, action.argument + 1)
        for number, action in enumerate(theory.actions)
        if isinstance(action, Move)
    ]
    if as_json:
        moving = [{"action": number, "argument": argument} for number, argument in moves]
        print(json.dumps({**_summary(theory), "rules": rows, "moves": moving}))
        return
    out.print(
        f"[b]{plain(title(theory.name))}[/b]: {plain(theory.title)}", f"(goal: {theory.goal.value})"
    )
    for number, argument in moves:
        out.print(f"action {number}: move the cursor to argument {argument}")
    table = Table("->", "<-", "kind", "name", "equation", box=None)
    for row in rows:
        row["name"] = label(str(row["name"]))
        table.add_row(*("" if cell is None else plain(cell) for cell in row.values()))
    out.print(table)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(theories)
