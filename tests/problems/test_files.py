"""Problem files of all kinds, and problems as people type them."""

import gzip
from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.formats.infix import parse_term
from threesil.problems import load_problems, parse_problem
from threesil.theories import AIM, POLYNOMIAL, ROBINSON


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


def test_an_article_gives_its_theorems(tmp_path: Path) -> None:
    path = tmp_path / "one.p"
    path.write_text("Axiom lid : e * x = x.\nTheorem t: e * (e * x) = x.\nAdmitted.\n")
    (problem,) = load_problems(path, AIM)
    assert problem.name == "t"


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


@pytest.mark.data
def test_the_recorded_sets(data: Path) -> None:
    assert len(load_problems(data / "aim" / "problems.tsv", AIM)) == 3121
    assert len(load_problems(data / "polynomial" / "poly6.tsv.gz", POLYNOMIAL)) < 3000
    curriculum = load_problems(data / "robinson" / "train.tsv.gz", ROBINSON)
    assert sum(p.columns[1] != "?" and int(p.columns[1]) <= 89 for p in curriculum) == 5207
