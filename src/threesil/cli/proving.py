"""Commands about proofs: prove, check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from threesil.cli.app import bar, err, out
from threesil.files import is_file
from threesil.formats.proof_json import proof_from_json, proof_to_json, read_proof_file
from threesil.formats.proof_text import format_proof
from threesil.problems import load_problems, parse_problem
from threesil.proof import NotAProof, certify
from threesil.search.evaluation import result_row
from threesil.search.prover import MODES, Prover, Result
from threesil.theories import get_theory


def prove(
    equation: Annotated[
        str, typer.Argument(metavar="EQUATION|FILE", help="An equation, or a file of problems.")
    ],
    theory: Annotated[
        str, typer.Option(help="A theory's name, or the path of a theory file.")
    ] = "aim",
    mode: Annotated[str, typer.Option(help=f"{', '.join(MODES)}.")] = "best",
    seconds: Annotated[float, typer.Option(min=0.0, help="Time for each problem.")] = 60.0,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Expansions of the search; makes it repeatable.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a problem.")] = False,
) -> None:
    r"""Prove an equation, and show a proof that people can read.

    Exit code 0 if all is proved, 1 if not within the budget.

      threesil prove 'x * T(y,x) = y * x'

      threesil prove theorems.tsv --seconds 2 --json
    """
    prover = Prover(theory, mode=mode)
    if is_file(equation):
        problems = load_problems(equation, prover.theory)
    else:
        problems = [parse_problem(equation, prover.theory)]
    proved = 0
    with bar() as progress:
        task = progress.add_task("proving", total=len(problems), visible=len(problems) > 1)
        for problem in problems:
            result = prover.prove(problem, seconds=seconds, expansions=steps)
            proved += result.proved
            _show(result, as_json)
            progress.advance(task)
    if len(problems) > 1 and not as_json:
        err.print(f"{proved} of {len(problems)} proved")
    if proved < len(problems):
        raise typer.Exit(1)


def _show(result: Result, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_row(result)))
        return
    print(f"% SZS status {result.status} for {result.problem.name}")
    if result.proof is None:
        print(f"% {result.expansions} expansions in {result.seconds:.3f} s, no proof")
        return
    print(f"% {result.rewrites} rewrites, found in {result.seconds:.3f} s")
    out.print(format_proof(result.proof), markup=False)


def _row(result: Result) -> dict[str, Any]:
    row = result_row(result)
    if result.proof is not None:
        row["proof"] = proof_to_json(result.proof)
    return row


def check(
    files: Annotated[list[Path], typer.Argument(help="Proofs as JSON.")],
    theory: Annotated[
        str | None, typer.Option(help="A theory's name or file; default: what the proof names.")
    ] = None,
) -> None:
    """Certify proofs again with the kernel. Exit code 1 if one is refused."""
    refused = 0
    for file in files:
        value = read_proof_file(file)
        chosen = get_theory(theory or str(value.get("theory")))
        problem, derivation = proof_from_json(value, chosen, str(file))
        try:
            proof = certify(chosen, problem, derivation)
            print(f"{file}: certified, {len(proof.derivation.steps)} rewrites")
        except NotAProof as error:
            refused += 1
            print(f"{file}: refused: {error}")
    if refused:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (prove, check):
        app.command()(command)
