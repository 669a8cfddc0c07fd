"""The command that proves: prove."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Timer
from typing import Annotated

import typer

from threesil.cli.answers import Printer
from threesil.cli.app import LEAN_TERM, bar, check_out, counted, err, reading, visible
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.outcome import Outcome, Turn
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Equation
from threesil.notations.document import Origin
from threesil.notations.writing.filling import filled
from threesil.problems.targets import DEFAULT_THEORY, Target, read_targets
from threesil.proofs.export import (
    FORMATS,
    MODEL_FORMATS,
    PROOF_FORMATS,
    export_certificates,
    format_of,
)
from threesil.proofs.hints import about, read_hints
from threesil.provers.prove import prove as prove_targets
from threesil.provers.registry import PROVERS, find, found
from threesil.provers.request import Request, refuting
from threesil.provers.solvers import takes_hints
from threesil.runs.weights import usual_theory
from threesil.search.solvers import SOLVERS, solver_named

SOLVER_HELP = "; ".join(f"{name}: {kind.about}" for name, kind in SOLVERS.items())
WEIGHTS_HELP = "A run's directory or a file of weights; default: the bundled ones."
_SEARCH = "How it searches"
_SHOWN = "What is shown"
_PATIENCE = 1.0  # seconds before a single problem shows progress
_POLISH = 0.1  # CPU seconds that a proof which people read is shortened for


def prove(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="EQUATION|FILE|-",
            help="Equations, files (TPTP, LADR, Lean, theory files, problem files), or - for "
            "standard input. A file with equations of its own is proved in these.",
        ),
    ],
    theory: Annotated[
        str | None,
        typer.Option(
            help="A theory's name or a file in any notation; default: what the file says, for a "
            f"typed equation that of the run in --weights, or {DEFAULT_THEORY}."
        ),
    ] = None,
    assume: Annotated[
        list[str] | None, typer.Option(metavar="EQ", help="A further equation of the theory.")
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=0.0,
            help="CPU time of our own search for each problem. The provers of --with begin after "
            "it.",
        ),
    ] = 60.0,
    provers: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="NAMES",
            help="Provers that continue, with lemmas, where our search ends; they take nothing "
            "of its time. All at once, each for the seconds that it left, or for half of --seconds "
            f"if that is more. Some of {', '.join(PROVERS)}, with commas; or none. Default with "
            "solver best, unless --expansions is given: all that `threesil provers` finds.",
        ),
    ] = None,
    refute: Annotated[
        bool | None,
        typer.Option(
            "--refute/--no-refute",
            help="Look for a counter-model only, or for none; default: for both in turn.",
        ),
    ] = None,
    notation: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"How a proof or a counter-model is written: {', '.join(FORMATS)}; mace4 with "
            "--refute alone, prover9 (the problem with lemmas and hints) for a proof. Default: as "
            "the name of --out ends (.lean, .v, .tex, .json, .tstp, .in), else text.",
        ),
    ] = None,
    lean_term: Annotated[bool, LEAN_TERM] = False,
    out_file: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Write the proofs and counter-models to this file; of a Lean file, the whole file "
            "with its proofs filled in.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a problem.")] = False,
    solver: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=_SEARCH,
            metavar="NAME",
            help=f"{SOLVER_HELP}. Default: best for equations, else ladder.",
        ),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(rich_help_panel=_SEARCH, metavar="RUN|FILE", help=WEIGHTS_HELP)
    ] = None,
    expansions: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=_SEARCH,
            help="Expansions of the search; makes it repeatable.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**63 - 1, rich_help_panel=_SEARCH, help="Decides everything random."
        ),
    ] = 0,
    size: Annotated[
        int | None,
        typer.Option(
            min=2, rich_help_panel=_SEARCH, help="Elements of the largest counter-models."
        ),
    ] = None,
    hints: Annotated[
        list[Path] | None,
        typer.Option(
            rich_help_panel=_SEARCH,
            metavar="FILE",
            help="Take critical pairs early that are equations or goals of this file (any "
            "notation) or lemmas of these proofs (JSON). Hints of the target itself are always "
            "used.",
        ),
    ] = None,
    trust: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            rich_help_panel=_SHOWN,
            help="Provers to believe without a certified proof, with commas; what the others "
            "say is a claim.",
        ),
    ] = None,
    axioms: Annotated[
        bool,
        typer.Option(
            "--from-axioms",
            rich_help_panel=_SHOWN,
            help="Replace the equations that a proof takes as known by their proofs.",
        ),
    ] = False,
    shorten: Annotated[
        float,
        typer.Option(
            min=0.0,
            rich_help_panel=_SHOWN,
            help="CPU seconds for making each proof shorter, beyond --seconds.",
        ),
    ] = 0.0,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", rich_help_panel=_SHOWN, help="Show where the time went, search by search."
        ),
    ] = False,
) -> None:
    r"""Prove equations or refute them, and show proofs and models that people can read.

    Exit code 0 if all is proved and certified, 1 if not; the SZS status says what is refuted.
    Results are printed as they come. What another prover says is a claim, unless --trust names it.
    In colour, what a step replaces is underlined and what it puts in is green.

      threesil prove 'x * T(y,x) = y * x'

      threesil prove my_problem.p --seconds 10

      threesil prove 'x * y = y * x' --refute --size 8

      threesil prove 'x * i(x) = e' --theory groups.thy --assume 'x * x = e'

      threesil prove theorems.tsv --seconds 2 --json

      threesil prove my_problem.p --explain

      threesil prove my_problem.p --hints easier_proof.json

      threesil prove '2 * S(1 + 0)' --theory robinson

      threesil prove 'x * T(y,x) = y * x' --out Proof.lean

    The theorems of a Lean file whose proof is sorry; the file with their proofs:

      threesil prove Goals.lean --out Proved.lean
    """
    check_out(out_file)
    form = format_of("lean-term" if lean_term else notation, out_file)
    export_certificates([], form)  # refuses a format that there is none of
    if form not in PROOF_FORMATS and not refute:
        raise InputError(f"--format {form} is for counter-models alone; add --refute")
    solver, options = refuting(solver, refute, size)
    typed = sys.stdin.read() if "-" in targets else ""
    with reading(" ".join(targets)):
        listed = read_targets(targets, theory, assume or (), typed, usual_theory(weights))
    _say_notes(listed)
    default = solver in (None, "best") and expansions is None
    request = Request(
        solver and solver_named(solver).name,
        seconds,
        expansions,
        weights,
        seed,
        tuple(_helpers(provers, default)),
        polish=0.0 if as_json else _POLISH,
        from_axioms=axioms,
        shorten=shorten,
        options=options,
        hints=_hints(hints or (), listed),
    )
    for target in listed if hints else ():
        if not takes_hints(request, target.theory):
            raise InputError(f"solver {solver or 'ladder'} takes no hints; leave --hints out")
    trusted = _trusted(trust)
    total = sum(1 if target.any_goal else len(target.problems) for target in listed)
    where = {id(one.theory): theory or one.file for one in listed}
    origins = {id(one.theory): one.origin for one in listed}
    shown = Printer(
        as_json, form if out_file is None else "", trusted, expansions, explain, where, origins
    )
    certificates: list[Proof | Countermodel] = []
    outcomes: list[Outcome] = []
    proved: dict[int, Origin] = {}
    with bar(printing=total > 1) as progress:
        task = progress.add_task("proving", total=total, visible=total > 1)
        later = Timer(_PATIENCE, lambda: progress.update(task, visible=True))
        later.daemon = True
        if err.is_terminal:
            later.start()

        def show_turn(turn: Turn) -> None:
            progress.update(task, description=_said(turn))

        for answer in prove_targets(listed, request, progress=show_turn):
            later.cancel()
            if total == 1:
                progress.stop()  # the answer stands for it
            shown.show(answer)
            proof = answer.outcome.proof
            proved[id(proof)] = origins[id(answer.theory)]
            if proof is not None:
                certificates.append(proof)
            elif form in MODEL_FORMATS:
                certificates += answer.outcome.models
            outcomes.append(answer.outcome)
            progress.advance(task)
    if out_file is not None:
        file = listed[0].lean if form == "lean" and len(targets) == 1 else None
        if file is None:
            _write(out_file, export_certificates(certificates, form, proved))
        else:
            _write(out_file, filled(file, outcomes))
    if total > 1 and not as_json:
        refuted = f", {shown.refuted} refuted" if shown.refuted else ""
        err.print(f"{shown.proved} of {total} proved{refuted}")
    if shown.done < total:
        raise typer.Exit(1)


def _said(turn: Turn) -> str:
    """What a search has just done."""
    return f"{turn.solver}: {turn.expansions:,} expansions"


def _say_notes(targets: list[Target]) -> None:
    for target in targets:
        for note in target.notes:
            err.print(f"threesil: {visible(note)}", style="yellow", markup=False)


def _hints(files: Sequence[Path], targets: list[Target]) -> tuple[Equation, ...]:
    """The hints of the files; says of how many a target has not got the symbols."""
    found: list[Equation] = []
    for file in files:
        hints = read_hints(file)
        found += hints
        for theory in {one.theory.digest: one.theory for one in targets}.values():
            if lost := len(hints) - len(about(theory, hints)):
                count = f"{lost:,} of {counted(len(hints), 'hint')}"
                message = f"{file}: {count} left out, with symbols that {theory.name} has not got"
                err.print(f"threesil: {visible(message)}", style="yellow", markup=False)
    return tuple(found)


def _helpers(names: str | None, default: bool) -> list[str]:
    """The provers that --with names; each has to be here."""
    if names is None:
        return found() if default else []
    if names.strip() in ("", "none"):
        return []
    return [find(name).name for name in _split(names)]


def _trusted(names: str | None) -> frozenset[str]:
    trusted = frozenset(_split(names or ""))
    for name in trusted:
        if name not in PROVERS:
            raise InputError(f"--trust {name}: expected {', '.join(PROVERS)}")
    return trusted


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise InputError(f"can't write {path}: {error.strerror}") from None


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(prove)
