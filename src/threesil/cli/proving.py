"""Commands about proofs: prove, lemmas, check."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from threesil.cli.app import bar, err, out
from threesil.cooperate import COUNT, Answer, Lemma, find_lemmas, portfolio
from threesil.errors import InputError
from threesil.files import is_file
from threesil.formats import ladr, tptp
from threesil.formats.infix import format_equation
from threesil.formats.proof_json import proof_from_json, proof_to_json, read_proof_file
from threesil.formats.proof_text import Reason, format_proof, proof_lines
from threesil.problems import load_problems, parse_problem
from threesil.proof import NotAProof, Proof, certify
from threesil.provers import PROVERS, ExternalProver, find, found
from threesil.search.prover import LARGEST, MODES, Prover
from threesil.theories import get_theory
from threesil.theory import Problem, Theory

_MODES = "; ".join(f"{mode}: {what}" for mode, what in MODES.items()) + "."


def prove(
    equation: Annotated[
        str, typer.Argument(metavar="EQUATION|FILE", help="An equation, or a file of problems.")
    ],
    theory: Annotated[
        str, typer.Option(help="A theory's name, or the path of a theory file.")
    ] = "aim",
    mode: Annotated[str, typer.Option(help=_MODES)] = "best",
    model: Annotated[
        str | None,
        typer.Option(help="A run's directory or a model file; default: the bundled one."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.0, help="Time for each problem.")] = 60.0,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Expansions of the search; makes it repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Decides everything random.")] = 0,
    provers: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="NAMES",
            help="Provers that go on, with lemmas, where the model ends: some of "
            f"{', '.join(PROVERS)}, with commas; or none. Default in mode best, unless --steps "
            "is given: all that `threesil provers` finds.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a problem.")] = False,
) -> None:
    r"""Prove an equation, and show a proof that people can read.

    Exit code 0 if all is proved, 1 if not within the budget. Results are printed as they come.
    In colour, what a step replaces is underlined and what it puts in is green. Our own proofs
    are certified; a proof of another prover is shown as that prover gives it, and said to be so.

      threesil prove 'x * T(y,x) = y * x'

      threesil prove theorems.tsv --seconds 2 --json

      threesil prove 'x * T(y,x) = y * x' --with prover9,e
    """
    prover = Prover(theory, mode=mode, model=model, seed=seed)
    problems = _problems(equation, prover.theory)
    helpers = _helpers(provers, default=mode == "best" and steps is None)
    proved = 0
    with bar(printing=True) as progress:
        task = progress.add_task("proving", total=len(problems), visible=len(problems) > 1)
        for problem in problems:
            answer = portfolio(prover, helpers, problem, seconds=seconds, expansions=steps)
            proved += answer.proved
            _show(answer, as_json, steps)
            progress.advance(task)
    if len(problems) > 1 and not as_json:
        err.print(f"{proved} of {len(problems)} proved")
    if proved < len(problems):
        raise typer.Exit(1)


def _problems(text: str, theory: Theory) -> list[Problem]:
    """The problems of a file, or the one that was typed; none is too large to be searched."""
    if is_file(text):
        problems = load_problems(text, theory)
        for problem in problems:
            size = _size(problem)
            if size > LARGEST:
                message = f"{problem.name} has {size} nodes; leave out what has more than {LARGEST}"
                raise InputError(message, source=text, line=problem.line or None)
        return problems
    try:
        problem = parse_problem(text, theory)
    except InputError as error:
        if "=" not in text:
            error.message += "; there is no file of this name either"
        raise
    if _size(problem) > LARGEST:
        message = f"the equation has {_size(problem)} nodes; at most {LARGEST} can be searched"
        raise InputError(f"{message}; prove its parts one by one")
    return [problem]


def _size(problem: Problem) -> int:
    return problem.start.size + (problem.target.size if problem.target else 0)


def _helpers(names: str | None, default: bool) -> list[ExternalProver]:
    """The provers that --with names."""
    if names is None:
        return found() if default else []
    if names.strip() in ("", "none"):
        return []
    return [find(name.strip()) for name in names.split(",") if name.strip()]


def _show(answer: Answer, as_json: bool, steps: int | None) -> None:
    result = answer.result
    if as_json:
        print(json.dumps(_row(answer)), flush=True)
        return
    print(f"% SZS status {answer.status} for {' '.join(result.problem.name.split())}")
    if answer.verdict is not None:
        verdict = answer.verdict
        print(
            f"% proved by {verdict.prover} in {verdict.seconds:.3f} s with {len(answer.lemmas)} "
            f"lemmas of the model, {answer.seconds:.3f} s in all; its own proof, not certified here"
        )
        print(verdict.proof or verdict.output)
    elif result.proof is None:
        more = "--seconds" if result.status == "Timeout" else "--steps"
        spent = result.status == "Timeout" or (steps is not None and result.expansions >= steps)
        advice = f"; a larger {more} goes on" if spent else ""
        print(f"% no proof, {result.expansions} expansions in {result.seconds:.3f} s{advice}")
        for verdict in answer.verdicts:
            reason = f": {verdict.reason}" if verdict.reason else ""
            print(f"% {verdict.prover}: {verdict.status} after {verdict.seconds:.3f} s{reason}")
    else:
        print(f"% {result.rewrites} rewrites, found in {result.seconds:.3f} s")
        if out.color_system is None or out.no_color:
            print(format_proof(result.proof))
        else:
            out.print(_coloured(result.proof))
    sys.stdout.flush()


def _coloured(proof: Proof) -> Text:
    """The proof for a terminal: what a step replaces is underlined, what it put in is green."""
    shown = []
    for line in proof_lines(proof):
        if isinstance(line, Reason):
            reason = Text().append("  = by ", "dim").append(line.rule, "cyan")
            shown.append(reason.append(f"   {line.equation}   {line.place}", "dim"))
            continue
        term = Text(line.text)
        if line.new is not None:
            term.stylize("green", *line.new)
        if line.old is not None:
            term.stylize("bold underline", *line.old)
        shown.append(Text("    ").append_text(term))
    return Text("\n").join(shown)


def _row(answer: Answer) -> dict[str, Any]:
    """What the model's result says, then who proved it and how."""
    result = answer.result
    row = {
        "name": result.problem.name,
        "status": answer.status,
        "seconds": round(result.seconds, 6),
        "cpu_seconds": round(result.cpu_seconds, 6),
        "expansions": result.expansions,
        "rewrites": result.rewrites,
        "by": answer.by,
    }
    if answer.result.proof is not None:
        row["proof"] = proof_to_json(answer.result.proof)
    if answer.verdict is not None:
        row["prover_proof"] = answer.verdict.proof
    if answer.verdicts:
        row["seconds"] = round(answer.seconds, 6)
        row["provers"] = {
            v.prover: {"status": v.status, "seconds": round(v.seconds, 6), "reason": v.reason}
            for v in answer.verdicts
        }
    return row


def lemmas(
    equation: Annotated[str, typer.Argument(metavar="EQUATION", help="The goal.")],
    theory: Annotated[
        str, typer.Option(help="A theory's name, or the path of a theory file.")
    ] = "aim",
    model: Annotated[
        str | None,
        typer.Option(help="A run's directory or a model file; default: the bundled one."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Lemmas at the most.")] = COUNT,
    seconds: Annotated[float, typer.Option(min=0.0, help="Time for the model.")] = 1.0,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Expansions of the search; makes it repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Decides everything random.")] = 0,
    form: Annotated[
        str, typer.Option("--format", help="text, or a prover's language: ladr, tptp.")
    ] = "text",
    whole: Annotated[
        bool, typer.Option("--whole", help="The whole problem for a prover, lemmas included.")
    ] = False,
) -> None:
    r"""Print lemmas about a goal that the model comes to: for a prover, by hand.

    Each one says that a side of the goal equals something else, for all values of its variables;
    each is certified. The best come first: short ones on probable paths.

      threesil lemmas 'T(x / (y \ x),y) = y' --format ladr
    """
    if form not in ("text", "ladr", "tptp"):
        raise InputError(f"unknown format {form!r}; expected text, ladr or tptp")
    prover = Prover(theory, mode="guided", model=model, seed=seed)
    problem, *others = _problems(equation, prover.theory)
    if others:
        raise InputError(f"{equation} has {1 + len(others)} problems; lemmas need a single goal")
    listed = find_lemmas(prover, problem, seconds=seconds, expansions=steps, count=count)
    print(_lemma_text(prover.theory, problem, listed, form, whole), end="")


def _lemma_text(
    theory: Theory, problem: Problem, listed: list[Lemma], form: str, whole: bool
) -> str:
    equations = [lemma.equation for lemma in listed]
    if form == "text":
        lines = [format_equation(equation, theory.signature) for equation in equations]
        return "".join(f"{line}\n" for line in lines)
    if form == "ladr":
        text = ladr.write_problem(theory, problem, lemmas=equations, seconds=60, megabytes=1024)
    else:
        text = tptp.write_problem(theory, problem, lemmas=equations)
    if whole:
        return text
    names = [equation.name for equation in equations]
    marks = [f'label("{name}")' if form == "ladr" else f"cnf({name}," for name in names]
    lines = [line for line in text.splitlines() if any(mark in line for mark in marks)]
    return "".join(f"{line}\n" for line in lines)


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
    for command in (prove, lemmas, check):
        app.command()(command)
