"""The command that hands lemmas to other provers: lemmas."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from threesil.cli.app import err
from threesil.engine import Budget
from threesil.errors import InputError
from threesil.kernel.theory import Problem, Theory
from threesil.notations.infix import format_equation
from threesil.notations.proof_json import proof_to_json
from threesil.notations.writing import ladr, tptp
from threesil.problems.targets import read_targets
from threesil.provers.lemmas import COUNT, Lemma, episode_lemmas, find_lemmas, goal_of
from threesil.runs.weights import usual_theory
from threesil.search.guided import GuidedTerms
from threesil.search.solvers import make_solver

FORMS = ("text", "ladr", "tptp")
USES = ("assumptions", "hints")


def lemmas(
    equation: Annotated[
        str, typer.Argument(metavar="EQUATION|FILE", help="The goal, or a file with one.")
    ],
    theory: Annotated[
        str | None,
        typer.Option(help="A theory's name or a file in any notation; default: as for prove."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="A run's directory or a file of weights; default: the bundled ones."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Lemmas at the most.")] = COUNT,
    seconds: Annotated[float, typer.Option(min=0.0, help="CPU time for the policy.")] = 1.0,
    expansions: Annotated[
        int | None, typer.Option(min=1, help="Expansions of the search; makes it repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Decides everything random.")] = 0,
    form: Annotated[
        str, typer.Option("--format", help="text, or a prover's language: ladr, tptp.")
    ] = "text",
    use: Annotated[
        str,
        typer.Option("--as", help="In ladr: assumptions, or hints, which guide and prove nothing."),
    ] = "assumptions",
    episode: Annotated[
        bool,
        typer.Option(
            "--episode", help="As in the paper: before = after for each side, of one episode."
        ),
    ] = False,
    whole: Annotated[
        bool, typer.Option("--whole", help="The whole problem for a prover, lemmas included.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a lemma, with its proof.")
    ] = False,
) -> None:
    r"""Print lemmas about a goal that a policy finds, to give them to a prover.

    Each one says that a side of the goal equals something else, for all values of its variables;
    each is certified. The best come first: short ones on probable paths.

      threesil lemmas 'T(x / (y \ x),y) = y' --format ladr --as hints
    """
    if form not in FORMS:
        raise InputError(f"unknown format {form!r}; expected {', '.join(FORMS)}")
    if use not in USES:
        raise InputError(f"--as {use}: expected {' or '.join(USES)}")
    if use == "hints" and form != "ladr":
        raise InputError("only Prover9 takes hints; add --format ladr")
    (target,) = read_targets([equation], theory, usual=usual_theory(weights))
    problem = goal_of(target)
    solver = make_solver(GuidedTerms.name, target.theory, weights=weights, seed=seed)
    budget = Budget(expansions, seconds)
    if episode:
        listed = episode_lemmas(solver, problem)[:count]
    else:
        listed = find_lemmas(solver, problem, budget, count)
    if as_json:
        for lemma in listed:
            print(json.dumps(_row(lemma, target.theory)))
    else:
        print(_text(target.theory, problem, listed, form, use, whole), end="")
    if solver.solve(problem, budget).proved:
        err.print("threesil: the goal itself is proved already; threesil prove shows how")


def _row(lemma: Lemma, theory: Theory) -> dict[str, Any]:
    return {
        "name": lemma.equation.name,
        "equation": format_equation(lemma.equation, theory.signature),
        "rewrites": len(lemma.proof.derivation.steps),
        "proof": proof_to_json(lemma.proof),
    }


def _text(
    theory: Theory, problem: Problem, listed: list[Lemma], form: str, use: str, whole: bool
) -> str:
    equations = [lemma.equation for lemma in listed]
    if form == "text":
        lines = [format_equation(equation, theory.signature) for equation in equations]
        return "".join(f"{line}\n" for line in lines)
    if form == "tptp":
        text = tptp.write_problem(theory, problem, lemmas=equations)
    else:
        hints, assumed = (equations, []) if use == "hints" else ([], equations)
        text = ladr.write_problem(
            theory, problem, lemmas=assumed, hints=hints, seconds=60, megabytes=1024
        )
    if whole:
        return text
    names = [equation.name for equation in equations]
    marks = [f'label("{name}")' if form == "ladr" else f"cnf({name}," for name in names]
    lines = [line for line in text.splitlines() if any(mark in line for mark in marks)]
    if form == "ladr":
        lines = [f"formulas({use}).", *lines, "end_of_list."]
    return "".join(f"{line}\n" for line in lines)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(lemmas)
