"""Commands about proofs: prove, lemmas."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.text import Text

from threesil.cli.app import bar, err, out
from threesil.cooperate import COUNT, Lemma, find_lemmas, portfolio
from threesil.errors import InputError
from threesil.files import is_file
from threesil.formats import ladr, tptp
from threesil.formats.infix import format_equation
from threesil.formats.proof_json import proof_to_json
from threesil.formats.proof_text import Reason, format_proof, proof_lines
from threesil.outcome import SZS, Outcome
from threesil.problems import load_problems, parse_problem
from threesil.proof import Proof
from threesil.provers import PROVERS, ExternalProver, find, found
from threesil.search.evaluation import result_row
from threesil.search.prover import LARGEST, MODES, Prover
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
            outcome, used = portfolio(prover, helpers, problem, seconds=seconds, expansions=steps)
            proved += outcome.proved
            _show(outcome, len(used), as_json, steps)
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


def _show(outcome: Outcome, lemmas: int, as_json: bool, steps: int | None) -> None:
    if as_json:
        print(json.dumps(_row(outcome)), flush=True)
        return
    print(f"% SZS status {outcome.status} for {' '.join(outcome.problem.name.split())}")
    own, *others = outcome.parts
    if outcome.claimed:
        claim = next(other for other in others if other.by == outcome.by)
        print(
            f"% claimed by {claim.by} in {claim.seconds:.3f} s with {lemmas} lemmas of the model, "
            f"{outcome.seconds:.3f} s in all; its own words, not certified here"
        )
        print(claim.words or "")
    elif outcome.proof is None:
        more = "--seconds" if own.status is SZS.TIMEOUT else "--steps"
        spent = own.status is SZS.TIMEOUT or (steps is not None and own.expansions >= steps)
        advice = f"; a larger {more} goes on" if spent else ""
        print(f"% no proof, {own.expansions} expansions in {own.seconds:.3f} s{advice}")
        for other in others:
            reason = f": {other.reason}" if other.reason else ""
            print(f"% {other.by}: {other.status} after {other.seconds:.3f} s{reason}")
    else:
        print(f"% {outcome.rewrites} rewrites, found in {outcome.seconds:.3f} s")
        if out.color_system is None or out.no_color:
            print(format_proof(outcome.proof))
        else:
            out.print(_coloured(outcome.proof))
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


def _row(outcome: Outcome) -> dict[str, Any]:
    """What the model's search gave, then who decided it and how."""
    own, *others = outcome.parts
    by = outcome.by if outcome.status.decides else None
    row = {**result_row(own), "status": outcome.status, "by": by}
    if outcome.proof is not None:
        row["proof"] = proof_to_json(outcome.proof)
    if outcome.claimed:
        row["prover_proof"] = outcome.words
    if others:
        row["seconds"] = round(outcome.seconds, 6)
        row["provers"] = {
            o.by: {"status": o.status, "seconds": round(o.seconds, 6), "reason": o.reason}
            for o in others
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


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (prove, lemmas):
        app.command()(command)
