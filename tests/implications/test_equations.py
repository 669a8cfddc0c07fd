"""Lists of equations and of pairs: what is read, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.implications.equations import read_equations, read_pairs

LIST = """# semigroups and others
Constants e.
x * y = y * x
(x * y) * z = x * (y * z)

x * e = x.
e * x = x
"""


def listed(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "equations.txt"
    path.write_text(text)
    return path


def test_a_list_is_read(tmp_path: Path) -> None:
    given = read_equations(listed(tmp_path, LIST))
    assert [equation.name for equation in given.equations] == ["E1", "E2", "E3", "E4"]
    assert dict(given.signature.symbols) == {"*": 2, "e": 0}
    assert given.mirror == (0, 1, 3, 2)
    assert given.problem((1, 2)).name == "E2_E3"
    assert given.theory(1).equations == given.equations[1:2]


def test_a_file_with_names_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "laws.p"
    path.write_text("cnf(comm,axiom,f(X,Y)=f(Y,X)).\ncnf(idem,axiom,f(X,X)=X).\n")
    given = read_equations(path)
    assert given.name((0, 1)) == "comm_idem"
    (tmp_path / "pairs").write_text("comm idem\n2\t1\tfalse\n")
    assert read_pairs(tmp_path / "pairs", given) == [(0, 1), (1, 0)]


def test_a_mirror_image_that_is_not_there(tmp_path: Path) -> None:
    given = read_equations(listed(tmp_path, "x * (x * y) = y\nf(x,y,z) = f(z,y,x)\n"))
    assert given.mirror == (None, 1)


def test_errors_stand_where_they_are(tmp_path: Path) -> None:
    path = listed(tmp_path, "x * y = y * x\nx * = y\n")
    with pytest.raises(InputError) as raised:
        read_equations(path)
    error = raised.value
    assert (error.line, error.column, error.text) == (2, 5, "x * = y")


@pytest.mark.parametrize("text", ["", "x = y\n", "x * y\nx = y\n", "f(x) = x\nf(x,y) = x\n"])
def test_bad_lists(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_equations(listed(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no pair"),
        ("1\n", "expected the numbers"),
        ("1\t5\n", "from 1 to 4, not '5'"),
        ("1\t2\n0\t1\n", "not '0'"),
        ("1\t2\n1 2 true\n", "line 1 already"),
    ],
)
def test_bad_pairs(tmp_path: Path, text: str, message: str) -> None:
    given = read_equations(listed(tmp_path, LIST))
    (tmp_path / "pairs").write_text(text)
    with pytest.raises(InputError, match=message):
        read_pairs(tmp_path / "pairs", given)
