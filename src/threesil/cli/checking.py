"""Commands about proofs and counter-models that are there: check, export."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from threesil.cli.app import LEAN_TERM, check_out, visible
from threesil.cli.certified import BUNDLED, described, facts_of, theory_row
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.kernel.certificate import Certificate
from threesil.kernel.confluence import Convergent, NotConvergent
from threesil.kernel.countermodel import Countermodel, NotAModel
from threesil.kernel.proof import NotAProof, Proof
from threesil.kernel.theory import Theory
from threesil.notations.model_json import StoredModel
from threesil.notations.proof_json import StoredJson, StoredProof
from threesil.notations.reading.certificates import Stored, read_certificates, read_proofs
from threesil.notations.reading.models import StoredTables
from threesil.notations.system_json import StoredSystem
from threesil.problems.targets import read_targets
from threesil.proofs.export import FORMATS, format_of
from threesil.proofs.export import export_certificates as written
from threesil.provers.printed import followed
from threesil.theories import all_theories, get_theory

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


_CARRIED = "as the file says"


@dataclass(frozen=True)
class _Theories:
    """The theories that proofs may be made in: the bundled ones, and those the user names.

    A file beside a proof is not opened because the proof says so.
    """

    given: Sequence[tuple[str, Theory]]

    @classmethod
    def named(cls, names: Sequence[str] | None) -> _Theories:
        return cls([(name, get_theory(name)) for name in names or ()])

    def of(self, stored: Stored) -> tuple[str, Theory | None]:
        """The theory that it is about, and what to call it; None where a model brings its own."""
        if isinstance(stored, StoredTables):
            if len(self.given) == 1:
                return self.given[0]
            message = "a model in this notation does not say of which equations: add "
            raise InputError(f"{message}--problem FILE or --theory FILE", source=stored.source)
        if not isinstance(stored, StoredModel):
            return self.of_proof(stored)
        for theory in all_theories():
            if theory.digest == stored.digest:
                return BUNDLED, theory
        return self.given[0] if len(self.given) == 1 else (_CARRIED, None)

    def of_proof(self, proof: StoredProof | StoredSystem) -> tuple[str, Theory | None]:
        """The theory that a certificate is about, and what to call it; None for the file's own."""
        same = [one for one in self.given if one[1].digest == proof.digest]
        called = [one for one in self.given if one[1].name == proof.theory]
        if same or called:
            return (*same, *called)[0]
        base, _, lemma = proof.theory.partition(":")
        for theory in all_theories():
            if theory.name == base:
                return BUNDLED, _before(theory, lemma, proof)
        if len(self.given) == 1:
            return self.given[0]
        if proof.carries_theory:
            return _CARRIED, None
        message = f"its theory {proof.theory} is not bundled"
        raise InputError(f"{message}: add --theory FILE", source=proof.source)


def _before(theory: Theory, lemma: str, proof: StoredProof | StoredSystem) -> Theory:
    try:
        return theory.before(lemma) if lemma else theory
    except ValueError as error:
        raise InputError(str(error), source=proof.source) from None


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
    theories = _Theories.named(theory)
    refused = 0
    for stored in (stored for file in files for stored in read_certificates(file)):
        origin, chosen = theories.of(stored)
        found = _checked(stored, chosen)
        refused += isinstance(found, _REFUSED)
        if as_json:
            print(json.dumps(_row(stored, chosen, found)), flush=True)
        else:
            print("\n".join(_lines(stored, chosen, origin, found)), flush=True)
    if refused:
        raise typer.Exit(1)


_Checked = Certificate | NotAProof | NotAModel | NotConvergent
_REFUSED = NotAProof, NotAModel, NotConvergent


def _checked(stored: Stored, theory: Theory | None) -> _Checked:
    try:
        if isinstance(stored, StoredModel):
            return stored.checked(theory)
        if isinstance(stored, StoredTables):
            assert theory is not None
            return stored.checked(theory)
        return stored.certified(theory)
    except _REFUSED as error:
        return error


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


def _lines(stored: Stored, theory: Theory | None, origin: str, found: _Checked) -> list[str]:
    """What people read about a certificate; whatever a file says stays harmless."""
    if isinstance(found, _REFUSED):
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


def _row(stored: Stored, theory: Theory | None, found: _Checked) -> dict[str, Any]:
    row: dict[str, Any] = {"source": stored.source}
    if isinstance(found, _REFUSED):
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
    known = _Theories.named(theories)
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
    known = _Theories.named(theories)
    found: list[Proof | Countermodel] = []
    for stored in (stored for file in files for stored in read_certificates(file)):
        one = _checked(stored, known.of(stored)[1])
        if isinstance(one, _REFUSED):
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
