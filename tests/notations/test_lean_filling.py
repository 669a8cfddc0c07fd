"""Lean files whose proofs are filled in; `make lean-check` lets Lean itself read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands import Run
from commands import threesil as run
from lean_samples import HEADERS, answered, goals_file

GOALS = """\
/- A file. -/
variable {M : Type u} (mul : M → M → M) (comm : ∀ x y, mul x y = mul y x)

include comm
@[simp] theorem swap (x y z : M) : mul (mul x y) z = mul z (mul y x) := sorry -- done?
  theorem idem (x : M) : mul x x = x := by sorry
theorem bound : ∀ x y : M, mul x y = mul y x := by
  -- how?
  sorry
theorem tactic (x : M) : mul x x = mul x x := by
  simp
  sorry
"""
FILLED = """\
/- A file. -/
variable {M : Type u} (mul : M → M → M) (comm : ∀ x y, mul x y = mul y x)

include comm
@[simp] theorem swap (x y z : M) : mul (mul x y) z = mul z (mul y x) :=
  calc mul (mul x y) z
    _ = mul (mul y x) z := congrArg (fun t => mul t z) (comm x y)
    _ = mul z (mul y x) := (comm z (mul y x)).symm -- done?
  theorem idem (x : M) : mul x x = x := by sorry
/- Refuted by threesil: 2 elements

 mul │ 0 1
─────┼─────
   0 │ 1 0
   1 │ 0 0

It fails for x = 0: mul(x,x) = 1, but x = 0 -/
theorem bound : ∀ x y : M, mul x y = mul y x :=
  -- how?
  fun x y =>
  comm x y
theorem tactic (x : M) : mul x x = mul x x := by
  simp
  sorry
"""


@pytest.mark.parametrize("name", HEADERS)
def test_right_statements_are_proved_and_wrong_ones_refuted(name: str) -> None:
    text, outcomes = answered(goals_file(name, 20))
    assert [outcome.proved for outcome in outcomes] == [True] * 20 and "sorry" not in text
    text, outcomes = answered(goals_file(name, 2, wrong=True))
    assert all(outcome.model for outcome in outcomes) and text.count("/- Refuted") == 2


def test_the_page_about_lean() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lean.md").read_text()
    goals, proved, *_ = re.findall(r"```lean\n(.*?)```", page, re.DOTALL)
    text, outcomes = answered(goals)
    assert text.removeprefix("universe u\n").startswith(proved)
    assert [outcome.proved for outcome in outcomes] == [True, True, False]
    assert "It fails for a = " in text and "symmetric group S_3" in text


def test_a_file_is_filled(threesil: Run, tmp_path: Path) -> None:
    path, made = tmp_path / "Goals.lean", tmp_path / "Filled.lean"
    path.write_text(GOALS)
    done = threesil("prove", path, "--out", made, "--seconds", "5", "--with", "none")
    assert done.code == 1
    assert "line 12 is left as it is: its proof is more than a sorry" in done.err
    text = made.read_text()
    cut = text.index("mul │"), text.index("It fails")
    wanted = FILLED.index("mul │"), FILLED.index("It fails")
    assert text[: cut[0]] == FILLED[: wanted[0]]
    assert text[text.index("theorem bound") :] == FILLED[FILLED.index("theorem bound") :]
    threesil("prove", made, "--out", made, "--seconds", "5", "--with", "none")
    assert made.read_text() == text


def test_standard_input_and_other_forms(threesil: Run, tmp_path: Path) -> None:
    done = run("prove", "-", "--seconds", "5", "--with", "none", given=GOALS)
    assert done.stdout.count("SZS status Theorem") == 2
    path = tmp_path / "Goals.lean"
    path.write_text(GOALS)
    made = tmp_path / "Proofs.lean"
    threesil("prove", path, "--lean-term", "--out", made, "--seconds", "5", "--with", "none")
    assert "structure Goals (U" in made.read_text() and "calc" not in made.read_text()


def test_lines_end_as_they_did(threesil: Run, tmp_path: Path) -> None:
    path = tmp_path / "Goals.lean"
    path.write_bytes(b"theorem t {M : Type u} [Mul M] (a : M) :\r\n  a * a = a := sorry\r\n")
    threesil("prove", path, "--out", path, "--seconds", "5", "--with", "none")
    lines = path.read_bytes().decode().split("\r\n")
    assert lines[2:6] == ["/- Refuted by threesil: 2 elements", "", " * │ 0 1", "───┼─────"]
    assert not any("\n" in line for line in lines)


def test_nothing_to_prove(threesil: Run, tmp_path: Path) -> None:
    path = tmp_path / "Nothing.lean"
    path.write_text("theorem t : 1 + 1 = 2 := sorry\n")
    done = threesil("prove", path)
    assert done.code == 2 and "nothing to prove: line 1 is left" in done.err
