"""The command problems library: lemmas of a theory's own that pay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Annotated, Any

import typer

from threesil.cli.app import bar, err, visible
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.formats.document import Document
from threesil.formats.infix import format_equation
from threesil.formats.proof_json import proof_to_json
from threesil.formats.writing import write
from threesil.naming import equation_key, is_instance
from threesil.problems import open_set
from threesil.search.strategies import STRATEGIES
from threesil.theories import get_theory
from threesil.theory import Problem, Theory
from threesil.workflows.library import Library, Plan, grow, measured


def library(
    theory: Annotated[str, typer.Argument(help="A theory's name, or the path of a theory file.")],
    problems: Annotated[
        str,
        typer.Option(metavar="SET|FILE", help="What lemmas are chosen on, such as aim-train."),
    ],
    count: Annotated[int, typer.Option(min=2, help="So many of the problems at the most.")] = 400,
    seconds: Annotated[float, typer.Option(min=0.001, help="CPU time for each problem.")] = 0.1,
    mode: Annotated[str, typer.Option(help=f"One of {', '.join(STRATEGIES)}.")] = "best",
    rounds: Annotated[int, typer.Option(min=1, max=99, help="Rounds at the most.")] = 3,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Decides what is drawn.")] = 0,
    dev: Annotated[
        str | None,
        typer.Option(metavar="SET|FILE", help="Measure the library on these problems."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="THEORY", help="Compare it with the known equations of a theory."),
    ] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="The theory file that knows the lemmas.")
    ] = None,
    proofs: Annotated[
        Path | None, typer.Option(help="Write the lemmas' proofs here, a JSON object a line.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Grow a library: what was proved earlier becomes a lemma for what comes later, if it pays.

    Lemmas come from proofs of the problems and from a short completion of the theory; all have
    certified proofs. Half of the problems decide which are used, the other half how many pay.

      threesil problems library aim:id1 --problems aim-train --dev aim-dev --out lib.thy

      threesil prove 'x * T(y,x) = y * x' --theory lib.thy
    """
    chosen, plan = get_theory(theory), Plan(seconds, mode, rounds, seed)
    given = _problems(problems, chosen)
    Random(seed).shuffle(given)
    held = _problems(dev, chosen) if dev else []
    other = get_theory(against) if against else None
    try:
        with bar() as progress:
            task = progress.add_task("library")

            def advance(what: str, number: int, of: int) -> None:
                progress.update(task, description=what, completed=number, total=of)

            grown = grow(chosen, given[:count], plan, advance)
            report = _report(grown)
            if held:
                theories = [chosen, grown.extended, *([other] if other else [])]
                report["dev"] = [_measured(t, held, plan, advance) for t in theories]
    except KeyboardInterrupt:
        err.print("threesil: interrupted; nothing was written", style="red")
        raise typer.Exit(130) from None
    if other is not None:
        report["against"] = _overlap(grown, other)
    if out_file is not None:
        _write(out_file, write(Document(grown.extended), "theory"))
    if proofs is not None:
        lines = (json.dumps(proof_to_json(member.proof)) + "\n" for member in grown.members)
        _write(proofs, "".join(lines))
    print(json.dumps(report) if as_json else "\n".join(map(visible, _lines(report))))


def _problems(name: str, theory: Theory) -> list[Problem]:
    """The problems of a set of this theory, or of the one that it is a part of."""
    base = theory.base or theory
    found = open_set(name, None if name.startswith(f"{base.name}-") else base)
    if found.are_lemmas or found.own:
        raise InputError(f"{name}: expected problems of one theory, without one of their own")
    symbols = theory.signature.symbols
    for problem in found.problems:
        if any(not t.is_variable and t.head not in symbols for t in problem.start.distinct()):
            raise InputError(f"{name}: {problem.name} has symbols that {theory.name} lacks")
    return [problem for problem in found.problems if problem.target is not None]


def _report(grown: Library) -> dict[str, Any]:
    signature = grown.theory.signature
    return {
        "theory": grown.theory.name,
        "library": [
            {
                "name": member.equation.name,
                "equation": format_equation(member.equation, signature),
                "cited_by": member.uses,
            }
            for member in grown.members
        ],
        "rounds": [
            {
                "candidates": one.candidates,
                "cited": one.cited,
                "trials": [
                    {"lemmas": t.lemmas, "proved": t.proved, "cost": t.cost} for t in one.trials
                ],
            }
            for one in grown.rounds
        ],
    }


def _measured(
    theory: Theory, problems: Sequence[Problem], plan: Plan, advance: Any
) -> dict[str, Any]:
    outcomes = measured(theory, problems, plan, advance)
    return {
        "theory": theory.name,
        "known": len(theory.lemmas),
        "problems": len(problems),
        "proved": sum(outcome.proved for outcome in outcomes),
        "median_cpu_seconds": round(median(outcome.cpu_seconds for outcome in outcomes), 6),
        "cpu_seconds": round(sum(outcome.cpu_seconds for outcome in outcomes), 3),
    }


def _overlap(grown: Library, other: Theory) -> dict[str, Any]:
    """How much of what another theory knows is in the library."""
    mine = [(m.equation.lhs, m.equation.rhs) for m in grown.members]
    keys = {equation_key(*sides) for sides in mine}
    theirs = [(e.lhs, e.rhs) for e in other.lemmas]
    return {
        "theory": other.name,
        "known": len(theirs),
        "in_library": sum(equation_key(*sides) in keys for sides in theirs),
        "instances": sum(any(is_instance(sides, m) for m in mine) for sides in theirs),
    }


def _lines(report: dict[str, Any]) -> list[str]:
    members = report["library"]
    lines = [f"{report['theory']}: {len(members)} lemmas pay"]
    lines += [f"  {m['name']}: {m['equation']}   (cited by {m['cited_by']})" for m in members]
    for number, one in enumerate(report["rounds"], 1):
        lines.append(f"round {number}: {one['candidates']} candidates, {one['cited']} cited")
        for t in one["trials"]:
            lines.append(f"  {t['lemmas']:4} lemmas: {t['proved']} proved, cost {t['cost']:.3f} s")
    for row in report.get("dev", ()):
        lines.append(
            f"dev, {row['theory']} ({row['known']} known): {row['proved']} of {row['problems']} "
            f"proved, {row['cpu_seconds']:.2f} CPU s, median {row['median_cpu_seconds']:.4f} s"
        )
    if other := report.get("against"):
        lines.append(
            f"of the {other['known']} that {other['theory']} knows, {other['in_library']} are in "
            f"it, {other['instances']} are instances of its lemmas"
        )
    return lines


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise InputError(f"can't write {path}: {error.strerror}") from None
