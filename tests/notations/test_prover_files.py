"""Problem files in TPTP and LADR, by others and by hand, whose theory is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from samples import AIM, equation
from threesil.errors import InputError
from threesil.kernel.theory import Problem
from threesil.notations.infix import format_term
from threesil.notations.writing import ladr, tptp
from threesil.problems.files import load_problems


def load(tmp_path: Path, text: str) -> list[Problem]:
    path = tmp_path / "some.txt"
    path.write_text(text)
    return load_problems(path, AIM)


def shown(problem: Problem) -> str:
    assert problem.target is not None
    sides = (format_term(term, AIM.signature) for term in (problem.start, problem.target))
    return f"{problem.name}: {' = '.join(sides)}"


def test_what_was_written_is_read(tmp_path: Path) -> None:
    problem = equation(r"x * T(y,x) = y \ L(x,e,z)")
    (back,) = load(tmp_path, ladr.write_problem(AIM, problem, seconds=1, megabytes=10))
    assert (back.start, back.target) == (problem.start, problem.target)
    (back,) = load(tmp_path, tptp.write_problem(AIM, problem))
    assert shown(back) == r"some: c_x * T(c_y,c_x) = c_y \ L(c_x,e,c_z)"


def test_goals_without_axioms(tmp_path: Path) -> None:
    text = "% a comment\ncnf('my goal', negated_conjecture,\n  ( mul(sk,e) != t(sk,c9) )). % end\n"
    assert [shown(p) for p in load(tmp_path, text)] == ["my goal: sk * e = T(sk,c9)"]
    text = "/* two\n lines */\nfof(g1, conjecture, ( ! [X,K] : (! [E] : (mul(X,K) = mul(E,X))))).\n"
    assert [shown(p) for p in load(tmp_path, text)] == ["g1: x * k = e_2 * x"]
    text = "formulas(goals).\n all x all y (x * y = T(y,x)) # label(first).\n"
    text += ' (x * y) = (c3 / e) # label("second. one") # answer(w).\nend_of_list.\n'
    assert [shown(p) for p in load(tmp_path, text)] == [
        "first: x * y = T(y,x)",
        "second. one: x * y = c3 / e",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fof(g, conjecture, mul(a,b) = b).", "a has 3 arguments in aim, not 0"),
        ("fof(g, conjecture, foo(b,b) = b).", "aim has no function foo/2"),
        ("cnf(q, axiom, X = X).", "its own equations"),
    ],
)
def test_goals_about_something_else(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(tmp_path, text)


@pytest.mark.data
def test_recorded_inputs(data: Path) -> None:
    """Their axioms are those of AIM, in TPTP under other names."""
    for name in ("p9_004d1a75a7", "p9_007a23453d", "p9_01b8e3d942"):
        (one,) = load_problems(data / "provers" / f"{name}.in", AIM)
        (other,) = load_problems(data / "provers" / f"{name}.p", AIM)
        assert one.name == other.name == name
        assert shown(one) == shown(other).replace("sk_", "")
