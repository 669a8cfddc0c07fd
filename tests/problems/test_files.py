"""Problem files of all kinds, and problems as people type them."""

import gzip
from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.notations.document import Document
from threesil.notations.infix import parse_term
from threesil.notations.writing import write
from threesil.problems.files import format_problem, load_problems, parse_problem
from threesil.theories import get_theory
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL
from threesil.theories.robinson import ROBINSON


def test_names_and_equations(tmp_path: Path) -> None:
    path = tmp_path / "problems.tsv"
    path.write_text("# mine\np1\tx * y = y * x\n\nT(x,y) = x\n")
    first, second = load_problems(path, AIM)
    assert first.name == "p1"
    assert second.name == "problems.tsv:4"


def test_prefix_and_infix_terms_and_gzip(tmp_path: Path) -> None:
    path = tmp_path / "terms.gz"
    path.write_bytes(gzip.compress(b"+S0S0\t2\t7\nS(0) + 1\n"))
    first, second = load_problems(path, ROBINSON)
    assert first.start == second.start
    assert first.columns == ("2", "7")


def test_targets(tmp_path: Path) -> None:
    path = tmp_path / "polynomials.tsv"
    path.write_text("( x + 1 ) * 2\t2 * x + 2\nx\t100 * x\nx * x\tx ^ 99\n")
    problems = load_problems(path, POLYNOMIAL)
    assert [p.name for p in problems] == ["polynomials.tsv:1", "polynomials.tsv:3"]
    assert problems[0].target == parse_term("2 * x + 2", POLYNOMIAL.signature)


def test_theorems_about_the_theory(tmp_path: Path) -> None:
    path = tmp_path / "one.p"
    path.write_text("Theorem t: e * (e * x) = x.\nAdmitted.\n")
    (problem,) = load_problems(path, AIM)
    assert problem.name == "t"
    assert problem.start == parse_term("e * (e * x)", AIM.signature)


GOAL = {
    "tptp": "cnf(a, axiom, mul(X,Y) = mul(Y,X)).\nfof(g, conjecture, ! [X] : mul(X,X) = X).\n",
    "ladr": "formulas(sos).\nx * y = y * x.\nend_of_list.\nformulas(goals).\nx * x = x.\n"
    "end_of_list.\n",
    "theory": "Axiom a: x * y = y * x.\nTheorem g: x * x = x.\n",
}


@pytest.mark.parametrize("notation", GOAL)
def test_a_file_with_equations_of_its_own_is_no_file_of_problems(
    tmp_path: Path, notation: str
) -> None:
    """Its goals are about its own equations: proved in another theory they say nothing."""
    path = tmp_path / "own"
    path.write_text(GOAL[notation])
    with pytest.raises(InputError, match="its own equations"):
        load_problems(path, AIM)
    (problem,) = load_problems(path, get_theory(path))
    assert problem.target is not None and problem.target.is_variable


@pytest.mark.parametrize("notation", ["tptp", "ladr", "theory"])
def test_the_same_equations_under_other_names(tmp_path: Path, notation: str) -> None:
    goal = parse_problem("x * K(y,x) = y", AIM)
    path = tmp_path / "again"
    path.write_text(write(Document(AIM, (goal,)), notation))
    (back,) = load_problems(path, AIM)
    assert (back.start, back.target) == (goal.start, goal.target)


def test_a_constant_of_a_goal_does_not_become_a_symbol_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "one.thy").write_text("Constants e.\nAxiom a: e * x = x.\n")
    (tmp_path / "two.p").write_text(
        "cnf(a, axiom, f(unit,X) = X).\ncnf(g, negated_conjecture, f(e,e) != e).\n"
    )
    (problem,) = load_problems(tmp_path / "two.p", get_theory(tmp_path / "one.thy"))
    assert problem.variables == ("e_2",)


def test_existential_problems(tmp_path: Path) -> None:
    path = tmp_path / "some.tsv"
    path.write_text("p\texists y: x * y = e\n")
    (problem,) = load_problems(path, AIM)
    assert problem.exists == ("y",)
    assert format_problem(problem, AIM) == "p\texists y: x * y = e"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"p\tx * y\n", "expected .*="),
        (b"p\tx * (y = z\n", "never closed"),
        (b"\xff\xfe\n", "UTF-8"),
        (b"\x1f\x8bnonsense", "gzip"),
        (b"", "no problem"),
    ],
)
def test_mistakes(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_problems(path, AIM)


def test_columns_are_counted_in_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text("good\tx = x\nname\tx = y ? z\n")
    with pytest.raises(InputError) as caught:
        load_problems(path, AIM)
    assert (caught.value.line, caught.value.column) == (2, 12)


def test_typed_problems() -> None:
    assert parse_problem("x * y = y * x", AIM).target is not None
    assert parse_problem("1 + 1", ROBINSON).target is None
    with pytest.raises(InputError, match="unknown symbol w"):
        parse_problem("w + 1", ROBINSON)
    with pytest.raises(InputError, match="expected"):
        parse_problem("x * y", AIM)


@pytest.mark.parametrize(
    "text",
    [
        "x * y = y * x.",
        "x * y = y * x. # label(commutative)",
        "x * y = y * x # label(a) # answer(b).",
        "\ufeffx * y = y * x\r\n",
        "x · y = y ∘ x",
        "x × y = y⋅x.",
    ],
)
def test_what_people_type(text: str) -> None:
    problem = parse_problem(text, AIM)
    expected = parse_problem("x * y = y * x", AIM)
    assert (problem.start, problem.target) == (expected.start, expected.target)


def test_a_missing_file_is_called_one() -> None:
    for text in ("problems/one.p", "nowhere.tsv", "./x"):
        with pytest.raises(InputError, match="no such file"):
            parse_problem(text, AIM)
    with pytest.raises(InputError, match="expected"):
        parse_problem("x / y", AIM)


@pytest.mark.data
def test_the_recorded_sets(data: Path) -> None:
    assert len(load_problems(data / "aim" / "problems.tsv", AIM)) == 3121
    assert len(load_problems(data / "polynomial" / "poly6.tsv.gz", POLYNOMIAL)) < 3000
    curriculum = load_problems(data / "robinson" / "train.tsv.gz", ROBINSON)
    assert sum(p.columns[1] != "?" and int(p.columns[1]) <= 89 for p in curriculum) == 5207
