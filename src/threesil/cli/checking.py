"""Commands about proofs and counter-models that are there: check, export."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from threesil.cli.app import LEAN_TERM, check_out, visible
from threesil.cli.certified import described
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.kernel.confluence import Convergent
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.proof import NotAProof, Proof
from threesil.kernel.theory import Theory
from threesil.notations.proof_json import StoredJson, StoredProof
from threesil.notations.reading.certificates import Stored, read_certificates, read_proofs
from threesil.notations.reading.models import StoredTables
from threesil.notations.system_json import StoredSystem
from threesil.problems.targets import read_targets
from threesil.proofs.export import FORMATS, format_of
from threesil.proofs.export import export_certificates as written
from threesil.proofs.stored import (
    BUNDLED,
    REFUSED,
    Checked,
    Theories,
    checked,
    facts_of,
    theory_row,
)
from threesil.provers.printed import followed

FILES = typer.Argument(
    metavar="FILE...",
    help="Proofs, models or decisions as threesil writes them; what Mace4 prints; - for stdin.",
)
THEORIES = typer.Option(
    "--theory",
    metavar="NAME|FILE",
    help="The theory that proofs must be of, if it is not bundled; may be given several times. "
    "Default: the equations that they hold.",
)


def check(
    files: Annotated[list[str], FILES],
    theory: Annotated[list[str] | None, THEORIES] = None,
    problem: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|EQUATION",
            help="The files are outputs of Twee, Prover9, E, Vampire or Mace4, for this problem.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a proof.")] = False,
) -> None:
    """Certify proofs, counter-models and decisions again; say what they show and rest on.

    Exit code 1 if one is refused: a step is wrong, an equation fails, or it was made in another
    theory of this name. A certificate in a theory that is not bundled holds
    the equations that it is about.

      threesil check proofs.jsonl

    What another prover printed is turned into a proof of ours, step by step:

      threesil check prover9.out --problem problem.in

    So is a model of Mace4, or a finite interpretation of TPTP; with a theory, it is one of its
    models, with a problem, its goals fail too:

      threesil check mace4.out --problem problem.in
    """
    if problem is not None:
        _check_outputs(files, problem, theory, as_json)
        return
    theories = Theories.named(theory)
    refused = 0
    for stored in (stored for file in files for stored in read_certificates(file)):
        origin, chosen = theories.of(stored)
        found = checked(stored, chosen)
        refused += isinstance(found, REFUSED)
        if as_json:
            print(json.dumps(_row(stored, chosen, found)), flush=True)
        else:
            print("\n".join(_lines(stored, chosen, origin, found)), flush=True)
    if refused:
        raise typer.Exit(1)


def _check_outputs(
    files: Sequence[str], problem: str, theory: Sequence[str] | None, as_json: bool
) -> None:
    """The same for what other provers printed about a problem."""
    if theory is not None and len(theory) > 1:
        raise InputError("--problem has one theory; give --theory once at the most")
    (target,) = read_targets([problem], theory[0] if theory else None)
    refused = 0
    origin = f"as {problem} says"
    for source, found in (one for file in files for one in followed(file, target)):
        refused += isinstance(found, InputError)
        if as_json:
            if isinstance(found, InputError):
                row: dict[str, Any] = {"certified": False, "reason": found.message}
            else:
                row = theory_row(found.theory) | facts_of(found)
            print(json.dumps({"source": source, **row}), flush=True)
        elif isinstance(found, InputError):
            print(visible(f"{source}: refused, it stays a claim: {found.message}"), flush=True)
        else:
            print("\n".join(described(source, found, origin)), flush=True)
    if refused:
        raise typer.Exit(1)


def _lines(stored: Stored, theory: Theory | None, origin: str, found: Checked) -> list[str]:
    """What people read about a certificate; whatever a file says stays harmless."""
    if isinstance(found, REFUSED):
        lines = [visible(f"{stored.source}: refused: {found}")]
        if origin == BUNDLED and _is_of_another(stored, theory):
            lines.append("  if it was made in a theory of your own, add --theory FILE")
        return lines
    if isinstance(stored, StoredProof | StoredSystem):
        return described(stored.source, found, origin, "as in the file" if theory else "")
    return described(stored.source, found, origin)


def _is_of_another(stored: Stored, theory: Theory | None) -> bool:
    made = stored.digest if isinstance(stored, StoredJson) else None
    return made is not None and theory is not None and made != theory.digest


def _row(stored: Stored, theory: Theory | None, found: Checked) -> dict[str, Any]:
    row: dict[str, Any] = {"source": stored.source}
    if isinstance(found, REFUSED):
        named: dict[str, Any] = {}
        if theory is not None:
            named = {"theory": theory.name, "digest": theory.digest}
        facts: dict[str, Any] = {"certified": False, "reason": str(found)}
    else:
        theory, named, facts = found.theory, theory_row(found.theory), facts_of(found)
    if isinstance(stored, StoredTables):
        return row | named | facts
    row["name"] = stored.name
    if theory is not None:
        named["same_digest"] = theory.digest == stored.digest
    return row | named | facts


def certified_proofs(files: Sequence[str], theories: Sequence[str] | None) -> list[Proof]:
    """The proofs of files, all of them certified; `InputError` if one is refused."""
    known = Theories.named(theories)
    proofs = []
    for stored in (stored for file in files for stored in read_proofs(file)):
        try:
            proofs.append(stored.certified(known.of_proof(stored)[1]))
        except NotAProof as error:
            raise InputError(f"refused: {error}", source=stored.source) from None
    return proofs


def _certificates(
    files: Sequence[str], theories: Sequence[str] | None
) -> list[Proof | Countermodel]:
    """The proofs and counter-models of files; `InputError` if one is refused."""
    known = Theories.named(theories)
    found: list[Proof | Countermodel] = []
    for stored in (stored for file in files for stored in read_certificates(file)):
        one = checked(stored, known.of(stored)[1])
        if isinstance(one, REFUSED):
            raise InputError(f"refused: {one}", source=stored.source)
        if isinstance(one, Convergent):
            raise InputError("a convergent system has no other notation", source=stored.source)
        found.append(one)
    return found


def export(
    files: Annotated[list[str], FILES],
    notation: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"One of {', '.join(FORMATS)}. Default: as the name of --out ends, else text.",
        ),
    ] = None,
    lean_term: Annotated[bool, LEAN_TERM] = False,
    theory: Annotated[list[str] | None, THEORIES] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="The file to write; default: standard output.")
    ] = None,
) -> None:
    """Certify proofs and counter-models again and write them to one file, for another checker.

    threesil export proofs.jsonl --out Proofs.lean
    """
    check_out(out_file)
    form = format_of("lean-term" if lean_term else notation, out_file)
    written([], form)  # refuses a format that there is none of
    text = written(_certificates(files, theory), form)
    if out_file is None:
        print(visible(text, keep="\n") if form == "text" else text, end="")
        return
    try:
        write_atomically(out_file, text.encode())
    except OSError as error:
        raise InputError(f"can't write {out_file}: {error.strerror}") from None


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (check, export):
        app.command()(command)
