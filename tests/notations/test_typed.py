"""What people type: advice, warnings, and how it was understood."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from samples import AIM, written
from threesil.errors import InputError
from threesil.implications.equations import read_equations
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Theory
from threesil.notations.reading.typed import understood
from threesil.problems.files import parse_problem

GROUPS = ["Constants e.", "Axiom unit: e * x = x.", "Axiom inverse: i(x) * x = e."]
PRIMED = ["Constants 1.", "Axiom unit: 1 * x = x.", "Axiom inverse: x' * x = 1."]


def error(text: str, theory: Theory) -> str:
    with pytest.raises(InputError) as caught:
        parse_problem(text, theory)
    return str(caught.value)


def test_the_inverse(tmp_path: Path) -> None:
    groups, primed = written(tmp_path, *GROUPS), written(tmp_path, *PRIMED, name="primed")
    assert parse_problem("x'' = x", primed).start == app("'", app("'", var("x")))
    assert parse_problem("x⁻¹ * x = 1", primed).start == app("*", app("'", var("x")), var("x"))
    assert parse_problem("x⁻¹⁻¹ = x", groups).start == app("i", app("i", var("x")))
    assert "no operator '; the inverse is written i(x)" in error("x' * x = e", groups)
    assert "no operator '; name a variable x1" in error("x' * x = e", AIM)
    assert "no operator ⁻¹" in error("x⁻¹ * x = e", AIM)
    assert "found '²'" in error("x² = e", AIM)


def test_the_identity(tmp_path: Path) -> None:
    assert "unknown symbol 1; the identity is written e" in error("x * 1 = x", AIM)
    primed = written(tmp_path, *PRIMED)
    notes: list[str] = []
    parse_problem("e * x = x", primed, notes)
    assert notes == ["e is read as a variable; the identity is written 1"]
    both = written(tmp_path, "Constants 0, 1.", "Axiom a: 0 + x = x.", "Axiom m: x * 1 = x.")
    notes.clear()
    parse_problem("e * x = x", both, notes)
    said = "the identity of + is written 0, the identity of * is written 1"
    assert notes == [f"e is read as a variable; {said}"]


def test_warnings(tmp_path: Path) -> None:
    notes: list[str] = []
    parse_problem("x1 * inv = y_2", AIM, notes)
    assert len(notes) == 1 and notes[0].startswith(
        "inv is read as a variable; the symbols are e, *"
    )
    wordy = written(tmp_path, "Axiom a: left * right = right * left.")
    notes.clear()
    parse_problem("one * two = two", wordy, notes)
    assert notes == []


def test_letters_of_other_scripts() -> None:
    assert parse_problem("α * β = β", AIM).variables == ("α", "β")


def test_what_was_understood() -> None:
    for text, meaning in {
        "x * y = y": "for all x, y: x * y = y",
        "exists y: x * y = e": "for all x there is y: x * y = e",
        "exists x, y: x * y = e.": "there is x, y: x * y = e",
        "e * e = e": "e * e = e",
    }.items():
        assert understood(parse_problem(text, AIM), AIM) == meaning
    with pytest.raises(InputError, match="no variable z"):
        parse_problem("exists z: x = y", AIM)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x * y == y * x", "equality is written with one ="),
        ("∀ x y, x * y = y * x", "the equation alone is enough"),
        ("forall x y, x * y = y * x", "the equation alone is enough"),
        ("! [X] : X = X", "the equation alone is enough"),
        ("x y = y x", "write the operator, as in x * y"),
        ("x * y = y x", "write the operator, as in x * y"),
        ("(x * y)(z) = x", "write the operator, as in x * y"),
        ("x = y = z", "expected * or \\ or / or the end, found '='\n"),
    ],
)
def test_what_people_type_otherwise_gets_a_hint(text: str, hint: str) -> None:
    assert hint in error(text, AIM)


def test_a_theory_without_operators_has_functions(tmp_path: Path) -> None:
    theory = written(tmp_path, "Axiom a: f(x) = g(x).")
    assert "write f(x,y) for a function" in error("x y = y", theory)


def test_the_diamond_is_an_operator(tmp_path: Path) -> None:
    """It stands for the theory's product, or is one in a theory that is written with it."""
    for sign in "◇⋄":
        assert parse_problem(f"x {sign} y = y", AIM) == replace(
            parse_problem("x * y = y", AIM), name=f"x {sign} y = y"
        )
        own = written(tmp_path, f"Axiom a: x {sign} y = y {sign} x.")
        assert own.signature.infix == {sign: 2}
        assert understood(parse_problem(f"x {sign} y = y", own), own).endswith(f"x {sign} y = y")
        path = tmp_path / "equations.txt"
        path.write_text(f"x {sign} y = y {sign} x\nx = x {sign} x\n")
        assert read_equations(path).signature.symbols == {sign: 2}
