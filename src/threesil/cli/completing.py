"""What `threesil theories --complete` prints."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from threesil.cli.app import bar, visible
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.kernel.outcome import Turn
from threesil.kernel.theory import Theory
from threesil.notations.proof_json import proof_to_json
from threesil.notations.system_json import shown_order, shown_rules, system_to_json
from threesil.notations.writing.text import format_proof
from threesil.search.completing import Completed, complete


def complete_theory(theory: Theory, seconds: float, out_file: Path | None, as_json: bool) -> None:
    """Completes a theory, prints or writes the result; exit code 1 without one."""
    with bar() as progress:
        task = progress.add_task("critical pairs", total=None)

        def advance(turn: Turn) -> None:
            progress.advance(task, turn.expansions)

        done = complete(theory, seconds, progress=advance)
    certificate = (
        system_to_json(done.system)
        if done.system
        else proof_to_json(done.trivial)
        if done.trivial
        else None
    )
    if certificate is not None and out_file is not None:
        try:
            write_atomically(out_file, (json.dumps(certificate) + "\n").encode())
        except OSError as error:
            raise InputError(f"can't write {out_file}: {error.strerror}") from None
    if as_json:
        print(json.dumps(certificate or {"theory": theory.name, "reason": done.reason}))
    else:
        print("\n".join(visible(line) for line in _lines(done)))
    if certificate is None:
        raise typer.Exit(1)


def _lines(done: Completed) -> list[str]:
    name = done.theory.name
    if done.trivial is not None:
        proof = format_proof(done.trivial).splitlines()
        return [f"{name}: all elements are equal, so every equation holds", *proof]
    if done.system is None:
        pairs = sum(turn.expansions for turn in done.turns)
        return [f"{name}: not decided: {done.reason} ({pairs} critical pairs)"]
    rules = shown_rules(done.system)
    return [
        f"{name}: {len(rules)} rules decide it, checked: they terminate, all overlaps join",
        *(f"  {rule}" for rule in rules),
        f"order: {shown_order(done.system)}",
    ]
