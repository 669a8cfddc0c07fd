"""The command show: how a file was read, and the same in another notation."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from threesil.cli.app import counted, err, reading
from threesil.errors import InputError
from threesil.files import is_file
from threesil.kernel.theory import Signature
from threesil.notations.document import NOTATIONS, Document
from threesil.notations.infix import format_equation
from threesil.notations.names import label, title
from threesil.notations.reading import missing, read
from threesil.notations.reading.typed import understood
from threesil.notations.tokens import shown_symbol
from threesil.notations.writing import write


def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="TPTP, LADR, Lean or a theory file.")],
    form: Annotated[
        str | None, typer.Option("--format", help=f"Write it as {', '.join(NOTATIONS)}.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Print what was understood of a file: signature, equations and goals.

    With --format the file is written in another notation; notes then go to standard error.

      threesil show GRP001-2.p

      threesil show GRP001-2.p --format ladr
    """
    if as_json and form:
        raise InputError("--json and --format are two ways to print a file: give one of them")
    if not is_file(file):
        raise missing(file)
    with reading(file):
        document = read(file)
    if as_json:
        print(json.dumps(_json(document)))
    elif form is None:
        print("\n".join(_lines(document)))
    else:
        text = write(document, form)
        for note in document.notes:
            err.print(f"note: {note}", markup=False)
        print(text, end="")


def _lines(document: Document) -> list[str]:
    theory = document.theory
    signature = theory.signature
    lines = [
        f"{title(theory.name)}: {document.notation}, {counted(len(theory.equations), 'equation')}"
    ]
    lines.append(f"symbols: {_symbols(signature)}")
    for equation in theory.equations:
        lines.append(
            f"  {equation.kind:<10}  {label(equation.name)}: {format_equation(equation, signature)}"
        )
    for hint in document.hints:
        lines.append(f"  {'hint':<10}  {label(hint.name)}: {format_equation(hint, signature)}")
    if not document.problems:
        lines.append("no goal")
    for problem in document.problems:
        lines.append(f"goal {title(problem.name)}: {understood(problem, theory)}")
    lines += [f"note: {note}" for note in document.notes]
    return lines


def _symbols(signature: Signature) -> str:
    """Each symbol with its number of arguments, infix ones marked."""
    return ", ".join(
        f"{shown_symbol(symbol)}/{arity}" for symbol, arity in signature.symbols.items()
    )


def _json(document: Document) -> dict[str, Any]:
    theory = document.theory
    return {
        "name": theory.name,
        "notation": document.notation,
        "symbols": dict(theory.signature.symbols),
        "infix": dict(theory.signature.infix),
        "equations": [
            {"name": e.name, "kind": e.kind, "equation": format_equation(e, theory.signature)}
            for e in theory.equations
        ],
        "hints": [
            {"name": e.name, "equation": format_equation(e, theory.signature)}
            for e in document.hints
        ],
        "goals": [
            {"name": p.name, "goal": understood(p, theory), "exists": list(p.exists)}
            for p in document.problems
        ],
        "any_goal": document.any_goal,
        "notes": list(document.notes),
    }


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(show)
