"""Commands about problems: problems list, show, generate, implications."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from threesil.cli.app import Typer, bar, err, out, plain, visible
from threesil.cli.implications import implications
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.formats.proof_json import proof_to_json
from threesil.problems import (
    DATA,
    format_problem,
    open_set,
    random_theorems,
    sample_set,
    set_sizes,
)
from threesil.problems.theorems import LARGEST
from threesil.proof import Proof
from threesil.theories import all_theories, get_theory
from threesil.theory import Goal, Problem, Theory

STEPS = 6  # rewrites of a theorem's known proof

TheoryOption = Annotated[
    str | None, typer.Option(help="A theory's name, or the path of a theory file.")
]

commands = Typer(help="List problem sets, show one, make new ones, decide implications.")


@commands.command("list")
def list_(theory: TheoryOption = None) -> None:
    """List the problem sets and how many problems they have.

    threesil problems list

    threesil problems list --theory aim
    """
    table = Table("set", "problems", box=None)
    missing = False
    for known in all_theories() if theory is None else (get_theory(theory),):
        for name, size in set_sizes(known).items():
            missing |= size is None
            table.add_row(plain(f"{known.name}-{name}"), "-" if size is None else f"{size:,}")
    out.print(table)
    if missing:
        err.print(
            f"- : not found; get it with `threesil data fetch`, or set {DATA} to where it is",
            markup=False,
        )


@commands.command()
def show(
    problems: Annotated[str, typer.Argument(metavar="SET|FILE", help="A set or a file.")],
    theory: TheoryOption = None,
) -> None:
    """Print the problems of a set as a problem file.

    threesil problems show aim-lemmas > lemmas.tsv
    """
    given = open_set(problems, get_theory(theory) if theory else None)
    for problem in given.problems:
        print(visible(format_problem(problem, given.theory), keep="\t"))


@commands.command()
def generate(
    theory: Annotated[str, typer.Argument(help="A theory's name, or the path of a theory file.")],
    steps: Annotated[
        int | None,
        typer.Option(
            min=1, max=100, help=f"Rewrites of the proof that a theorem is made of; {STEPS}."
        ),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Decides everything random.")] = 1,
    size: Annotated[
        int | None,
        typer.Option(min=3, max=99, help=f"Nodes of the largest term in the proof; {LARGEST}."),
    ] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="The problem file; default: standard output.")
    ] = None,
    proofs: Annotated[
        Path | None, typer.Option(help="Write the proofs to this file, a JSON object a line.")
    ] = None,
) -> None:
    """Make new theorems, each the two ends of a random walk whose proof is certified.

    The same seed gives the same theorems. Where a theory's problems are terms to be brought into
    normal form, they are its own random ones, without a proof.

      threesil problems generate aim --steps 6 --count 1000 --seed 1 --out new.tsv

      threesil prove new.tsv --seconds 2
    """
    chosen = get_theory(theory)
    if chosen.goal is Goal.NORMAL_FORM and (steps, size, proofs) != (None, None, None):
        raise InputError(
            f"problems of {chosen.name} come without a proof: leave out --proofs, "
            "--steps and --size"
        )
    try:
        with bar() as progress:
            task = progress.add_task("problems", total=count)
            made, found = _make(
                chosen,
                count,
                seed,
                steps or STEPS,
                size or LARGEST,
                lambda number: progress.update(task, completed=number),
            )
        text = "".join(format_problem(problem, chosen) + "\n" for problem in made)
        lines = "".join(json.dumps(proof_to_json(proof)) + "\n" for proof in found)
    except KeyboardInterrupt:
        err.print("threesil: interrupted; nothing was written", style="red")
        raise typer.Exit(130) from None
    if proofs is not None:
        _write(proofs, lines)
    if out_file is not None:
        _write(out_file, text)
    else:
        print(visible(text, keep="\t\n"), end="")


def _make(
    theory: Theory,
    count: int,
    seed: int,
    steps: int,
    largest: int,
    progress: Callable[[int], None],
) -> tuple[list[Problem], list[Proof]]:
    """New problems, and their proofs where they come with them."""
    if theory.goal is Goal.NORMAL_FORM:
        made = sample_set(theory, count, seed, progress)
        if len(made) < count:
            raise InputError(f"found {len(made)} different problems, not {count}; ask for fewer")
        return made, []
    proofs = random_theorems(
        theory, steps=steps, count=count, seed=seed, largest=largest, progress=progress
    )
    return [proof.problem for proof in proofs], proofs


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise InputError(f"can't write {path}: {error.strerror}") from None


commands.command()(implications)


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    from threesil.cli.library import library

    commands.command()(library)
    app.add_typer(commands, name="problems")
