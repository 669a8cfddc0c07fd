"""Hints as a person gives them: in the file itself, in another one, in a proof."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import threesil

PROBLEM = """\
formulas(assumptions).
(x * y) * z = x * (y * z).
e * x = x.
x' * x = e.
end_of_list.
formulas(goals).
(x * y)' = y' * x'.
end_of_list.
"""
HINTS = "formulas(hints).\nx'' = x.\nx * e = x.\nf(x) = x.\nend_of_list.\n"
COMPLETE = ("--solver", "complete", "--with", "none", "--expansions", 500, "--json", "--explain")


def matched(*arguments: object) -> int:
    """How many hints the answer says were matched; -1 if there were none."""
    done = threesil("prove", *arguments, *COMPLETE)
    assert done.returncode in (0, 1), done.stderr
    return int(json.loads(done.stdout)["turns"][0]["figures"].get("hints", -1))


OPEN = PROBLEM.replace("(x * y)' = y' * x'", "x * y = y * x")  # no proof ends the search early


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    path = tmp_path / "groups.in"
    path.write_text(PROBLEM)
    return path


def test_hints_of_a_file_are_used(problem: Path) -> None:
    problem.write_text(OPEN)
    assert matched(problem) == -1
    problem.write_text(OPEN + HINTS)
    assert matched(problem) == 1


def test_hints_of_another_file_are_used_and_strange_ones_noted(problem: Path) -> None:
    hints = problem.with_name("hints.in")
    hints.write_text(HINTS)
    problem.write_text(OPEN)
    assert matched(problem, "--hints", hints) == 1
    problem.write_text(PROBLEM)
    done = threesil("prove", problem, "--hints", hints, "--with", "none")
    assert done.returncode == 0
    assert f"{hints}: 1 of 3 hints left out" in done.stderr


def test_a_silly_theory_file_gives_its_axioms_theorems_and_hints(tmp_path: Path) -> None:
    theory = (
        "Theory hop: Hops.\nConstants c.\nAxiom twice: h(h(x)) = c.\nAxiom odd: g(h(x),y) = x.\n"
    )
    path, hints = tmp_path / "hop.thy", tmp_path / "hints.thy"
    path.write_text(theory + "Theorem far: x = y.\n")
    hints.write_text(theory + "Theorem t: g(c,x) = h(y).\nHint far: h(c) = c.\n")
    assert matched(path, "--hints", hints) >= 1


def test_a_proof_gives_its_lemmas(problem: Path) -> None:
    proof = problem.with_name("proof.json")
    done = threesil("prove", problem, *COMPLETE[:6], "--out", proof)
    assert done.returncode == 0
    assert matched(problem, "--hints", proof) >= 3


def test_the_table_says_how_many_were_matched(problem: Path) -> None:
    problem.write_text(PROBLEM + HINTS)
    done = threesil("prove", problem, *COMPLETE[:6], "--explain")
    head = next(line for line in done.stdout.splitlines() if line.startswith("% search"))
    assert head.split()[-2] == "hints"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file"),
        ("", "the file is empty"),
        ("{}", "not a proof"),
        ("f(x = x", "expected"),
    ],
)
def test_bad_files_of_hints(problem: Path, content: str | None, message: str) -> None:
    path = problem.with_name("bad")
    if content is not None:
        path.write_text(content)
    done = threesil("prove", problem, "--hints", path)
    assert done.returncode == 2 and not done.stdout
    assert message in done.stderr and "bad" in done.stderr


def test_a_solver_without_a_use_for_hints(problem: Path) -> None:
    hints = problem.with_name("hints.in")
    hints.write_text(HINTS)
    done = threesil("prove", problem, "--hints", hints, "--solver", "saturate")
    assert done.returncode == 2 and "solver saturate takes no hints" in done.stderr
    problem.write_text(PROBLEM + HINTS)  # its own ones do no harm
    done = threesil("prove", problem, "--solver", "saturate", "--expansions", 2000)
    assert done.returncode in (0, 1)
