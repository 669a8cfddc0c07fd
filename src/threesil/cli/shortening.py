"""The command about shorter proofs: shorten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from threesil.cli.app import bar, check_out, counted, err, plain
from threesil.cli.checking import FILES, THEORIES, certified_proofs
from threesil.engine import Budget
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.kernel.lemmas import in_order, length
from threesil.kernel.proof import Proof
from threesil.notations.names import title
from threesil.notations.proof_json import proof_to_json
from threesil.proofs.shorten import shortened


def shorten(
    files: Annotated[list[str], FILES],
    seconds: Annotated[float, typer.Option(min=0.0, help="CPU seconds for each proof.")] = 10.0,
    theory: Annotated[list[str] | None, THEORIES] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="The file to write; default: standard output.")
    ] = None,
) -> None:
    """Look for shorter proofs of what the files prove; write them as JSON, a line for each.

    All rewrites count, those of lemmas included. No proof becomes longer, all are certified.

    threesil shorten proofs.jsonl --seconds 30 --out shorter.jsonl
    """
    check_out(out_file)
    proofs = certified_proofs(files, theory)
    rows = []
    with bar(printing=out_file is None) as progress:
        for proof in progress.track(proofs, description="shorten"):
            short = shortened(proof, Budget(None, seconds))
            row = json.dumps(proof_to_json(short))
            err.print(plain(f"{title(proof.problem.name)}: {_size(proof)} -> {_size(short)}"))
            if out_file is None:
                print(row, flush=True)
            rows.append(row + "\n")
    if out_file is not None:
        try:
            write_atomically(out_file, "".join(rows).encode())
        except OSError as error:
            raise InputError(f"can't write {out_file}: {error.strerror}") from None


def _size(proof: Proof) -> str:
    lemmas = len(in_order(proof)) - 1
    return counted(length(proof), "rewrite") + (f", {counted(lemmas, 'lemma')}" if lemmas else "")


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(shorten)
