"""Commands about problems: problems list, show, generate, implications."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from threesil.cli.app import Typer, bar, check_out, err, out, plain, visible
from threesil.cli.implications import implications
from threesil.engine import Stop, Stopped
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.notations.proof_json import proof_to_json
from threesil.problems.files import format_problem
from threesil.problems.sets import DATA, open_set, sample_set, set_sizes
from threesil.problems.theorems import LARGEST, each_random_theorem
from threesil.theories import all_theories, get_theory

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
    growing: Annotated[
        bool,
        typer.Option(
            "--growing",
            help="Theorems of growing difficulty, through rules that completion derives; the "
            "expansions that a search needs decide on their order.",
        ),
    ] = False,
    proofs: Annotated[
        Path | None, typer.Option(help="Write the proofs to this file, a JSON object a line.")
    ] = None,
) -> None:
    """Make new theorems, each the two ends of a random walk whose proof is certified.

    The same seed gives the same theorems. Ctrl-C leaves those made so far. Where a theory's
    problems are terms to be brought into normal form, they are its own random ones, without a
    proof.

      threesil problems generate aim --steps 6 --count 1000 --seed 1 --out new.tsv

      threesil problems generate groups --growing --count 200 --out hard.tsv

      threesil prove new.tsv --seconds 2
    """
    chosen = get_theory(theory)
    if chosen.goal is Goal.NORMAL_FORM and (steps, size, proofs) != (None, None, None):
        raise InputError(
            f"problems of {chosen.name} come without a proof: leave out --proofs, "
            "--steps and --size"
        )
    if growing and (steps, size) != (None, None):
        raise InputError("--growing decides on lengths and sizes: leave out --steps and --size")
    for path in (out_file, proofs):
        check_out(path)
    made, found = list[Problem](), list[Proof]()
    try:
        with bar() as progress:
            task = progress.add_task("problems", total=count)
            if growing:
                coming = _growing(chosen, count, seed, lambda n: progress.update(task, completed=n))
            else:
                coming = _each(chosen, count, seed, steps or STEPS, size or LARGEST)
            for problem, proof in coming:
                made.append(problem)
                found += [proof] if proof is not None else []
                progress.update(task, completed=len(made))
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    if made:
        _deliver(chosen, made, found, out_file, proofs)
    if interrupted:
        written = (
            f"the {len(made)} problems made so far are written" if made else "nothing to write"
        )
        err.print(f"threesil: interrupted; {written}", style="red")
        raise typer.Exit(130)


def _deliver(
    theory: Theory,
    made: list[Problem],
    found: list[Proof],
    out_file: Path | None,
    proofs: Path | None,
) -> None:
    text = "".join(format_problem(problem, theory) + "\n" for problem in made)
    if proofs is not None:
        _write(proofs, "".join(json.dumps(proof_to_json(proof)) + "\n" for proof in found))
    if out_file is not None:
        _write(out_file, text)
    else:
        print(visible(text, keep="\t\n"), end="")


def _each(
    theory: Theory, count: int, seed: int, steps: int, largest: int
) -> Iterator[tuple[Problem, Proof | None]]:
    """New problems as they come, with proofs where they have any."""
    if theory.goal is not Goal.NORMAL_FORM:
        for proof in each_random_theorem(
            theory, steps=steps, count=count, seed=seed, largest=largest
        ):
            yield proof.problem, proof
        return
    made = sample_set(theory, count, seed)
    if len(made) < count:
        raise InputError(f"found {len(made)} different problems, not {count}; ask for fewer")
    for problem in made:
        yield problem, None


def _growing(
    theory: Theory, count: int, seed: int, progress: Callable[[int], None]
) -> Iterator[tuple[Problem, Proof | None]]:
    """Theorems of growing difficulty, from the easiest; Ctrl-C ends their making."""
    from threesil.learn.growing import derived, growing_theorems

    stop = Stop()
    before = signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        rules = derived(theory, stop=stop)
        made = growing_theorems(
            theory, count, seed, rules, progress=progress, stop=stop, partly=True
        )
    except Stopped:
        made = []
    finally:
        signal.signal(signal.SIGINT, before)
    for one in made:
        yield one.problem, one.proof
    if stop.is_set():
        raise KeyboardInterrupt


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise InputError(f"can't write {path}: {error.strerror}") from None


commands.command()(implications)


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.add_typer(commands, name="problems")
