"""Theory files: what they say becomes a theory, and mistakes are shown where they are."""

from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.kernel.terms import app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Goal, Move, Rewrite
from threesil.notations.reading import read
from threesil.theories import get_theory

GROUPS = r"""# groups
Theory groups: Groups.
Goal equation.
Constants e, one.
Axiom unit: e * x = x.
Rule inverse: i(x) * x -> e.     # one way
Definition c(x,y) := i(y * x) * (x * y).
Known assoc : (x * y) * z = x * (y * z).
Theorem t1: i(i(x)) = x.
Admitted.
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.thy"
    path.write_text(text)
    return path


def test_a_theory_file(tmp_path: Path) -> None:
    path = write(tmp_path, GROUPS)
    document = read(path)
    theory = document.theory
    assert (theory.name, theory.title, theory.goal) == ("groups", "Groups", Goal.EQUATION)
    assert dict(theory.signature.symbols) == {"e": 0, "one": 0, "*": 2, "i": 1, "c": 2}
    assert [e.name for e in theory.equations] == ["unit", "inverse", "c", "assoc"]
    assert [e.kind for e in theory.equations] == ["axiom", "axiom", "definition", "known"]
    assert theory.actions[:2] == (Move(0), Move(1))
    rewrites = [a.alternatives[0] for a in theory.actions if isinstance(a, Rewrite)]
    assert ("inverse", LEFT_TO_RIGHT) in rewrites
    assert ("inverse", RIGHT_TO_LEFT) not in rewrites
    assert ("c", RIGHT_TO_LEFT) in rewrites
    (theorem,) = document.problems
    assert theorem.name == "t1"
    assert theorem.start == app("i", app("i", var("x")))


def test_a_normal_form_theory_takes_no_new_variables(tmp_path: Path) -> None:
    text = "Goal normal 0 s.\nConstants 0.\nAxiom a: x * 0 = 0.\nAxiom b: x * s(y) = s(x * y).\n"
    theory = get_theory(write(tmp_path, text))
    assert theory.name == "mine"
    assert theory.constructors == {"0", "s"}
    assert theory.number("a", LEFT_TO_RIGHT) is not None
    assert theory.number("a", RIGHT_TO_LEFT) is None


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("Axiom a: x = y", 1, 15, "full stop"),
        ("Axion a: x = y.", 1, 1, "expected one of"),
        ("Axiom x = y.", 1, 7, "a name and a colon"),
        ("\nAxiom a: f(x = y.", 2, 11, "never closed"),
        ("Axiom a: f(x) = f(x,y).", 1, 17, "2 arguments here and 1 before"),
        ("Axiom a: x * = y.", 1, 14, "expected a term"),
        ("Axiom a: x = x.\nAxiom a: x = x.", 2, 9, "already"),
        ("Goal win.\nAxiom a: x = x.", 1, 6, "expected equation, any, target"),
        ('Axiom a: "="(x) = x.', 1, 10, "can't be a symbol"),
        ('Constants "=".', 1, 11, "can't be a symbol"),
        ('Axiom a: "f(x) = x.', 1, 10, "quote is never closed"),
        ("Infix 2 (.\nAxiom a: x = x.", 1, 9, "can't be an operator"),
        ("Axiom a: x = x.\nTheorem t: exists z: x = x.", 2, 19, "no variable z"),
        ("Goal normal q.\nAxiom a: x = x.", 1, 13, "unknown symbol q"),
        ("Constants (.\nAxiom a: x = x.", 1, 11, "not a name"),
        ("Constants e.", None, None, "no equation"),
    ],
)
def test_mistakes_have_their_place(
    tmp_path: Path, text: str, line: int | None, column: int | None, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        get_theory(write(tmp_path, text))
    assert (caught.value.line, caught.value.column) == (line, column)


def test_operators_quotes_and_existence(tmp_path: Path) -> None:
    text = """Theory "my theory": Odd.
Constants e, "the zero".
Infix 3 o.
Axiom "left unit": -x' o y = "my f"("the zero",z) * y.
Definition name: d(x) := x * x.
Theorem t: exists y, z: x * y = z⁻¹.
Hint h: e = d(e).
"""
    document = read(write(tmp_path, text))
    theory = document.theory
    assert theory.name == "my theory"
    expected = {"e": 0, "the zero": 0, "-": 1, "'": 1, "o": 2, "my f": 2, "*": 2, "d": 1, "⁻¹": 1}
    assert dict(theory.signature.symbols) == expected
    assert dict(theory.signature.infix) == {"o": 3, "*": 2}
    assert [e.name for e in theory.equations] == ["left unit", "name"]
    left = theory.equations[0].lhs
    assert left == app("o", app("-", app("'", var("x"))), var("y"))
    (theorem,) = document.problems
    assert theorem.exists == ("y", "z")
    assert [hint.name for hint in document.hints] == ["h"]


def test_symbols_of_theorems_belong_to_the_signature(tmp_path: Path) -> None:
    document = read(write(tmp_path, "Axiom a: x * y = y * x.\nTheorem t: f(x) = f(x) * g(x,x).\n"))
    assert dict(document.theory.signature.symbols) == {"*": 2, "f": 1, "g": 2}


def test_any_theorem(tmp_path: Path) -> None:
    document = read(write(tmp_path, "Goal any.\nTheorem s: x = y.\nTheorem t: x = x.\n"))
    assert document.any_goal
    assert len(document.problems) == 2
