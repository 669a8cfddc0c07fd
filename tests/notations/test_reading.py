"""Files of all sorts: which notation they are in, and how bytes become text."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.files import limits
from threesil.notations.reading import looks_like_path, notation_of, parse, read


@pytest.mark.parametrize(
    ("content", "notation"),
    [
        ("% a\n/* b\n */ # c\n\ncnf(a, axiom, a = b).", "tptp"),
        ("include ('a').", "tptp"),
        ("%BEGIN\nformulas(goals).\n%END\nset(auto).", "ladr"),
        ("formulas(sos).", "ladr"),
        ("# mine\nAxiom a: x = y.", "theory"),
        ("x * y = y * x", None),
        ("p\tx = y", None),
        ("", None),
    ],
)
def test_the_notation_is_known_from_the_content(content: str, notation: str | None) -> None:
    assert notation_of(content) == notation


def test_marks_line_ends_and_gzip(tmp_path: Path) -> None:
    text = "\ufeffAxiom a: x = y.\r\nTheorem t: x = x.\r\n"
    (tmp_path / "plain").write_bytes(text.encode())
    (tmp_path / "packed.thy.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("plain", "packed.thy.gz"):
        document = read(tmp_path / name)
        assert document.name == name.split(".")[0]
        assert [p.name for p in document.problems] == ["t"]


def test_latin_1_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "old.p"
    path.write_bytes("cnf(a, axiom, a = b).\n% by G\xf6del\n".encode("latin-1"))
    assert read(path).notes == ("line 2 is not UTF-8: the file was read as Latin-1",)
    path.write_bytes("cnf(a, axiom, \xf6 = b).\n".encode("latin-1"))
    with pytest.raises(InputError, match="unexpected character 'ö'") as caught:
        read(path)
    assert (caught.value.line, caught.value.column) == (1, 15)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"cnf(a, axiom,\x00 a = b).", "not a text file"),
        (b"nothing of the kind", "expected TPTP"),
        (b"  \n", "empty"),
    ],
)
def test_what_can_not_be_read(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none.p")


@pytest.mark.parametrize("packed", [False, True])
def test_files_that_are_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    monkeypatch.setattr(limits, "TEXT", 10_000)
    content = b"cnf(a, axiom, a = b).\n" * 1000
    path = tmp_path / "large.p"
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(InputError, match="too large"):
        read(path)


@pytest.mark.parametrize("text", ["a/b.p", "some.tsv", "../x", "no where.in"])
def test_paths(text: str) -> None:
    assert looks_like_path(text)


@pytest.mark.parametrize("text", ["x * y = z", "x / y", "x", "a/b = c.p"])
def test_no_paths(text: str) -> None:
    assert not looks_like_path(text)


NESTED = 100_000


@pytest.mark.parametrize(
    "text",
    [
        f"cnf(a, axiom, {'f(' * NESTED}X{')' * NESTED} = X).",
        f"cnf(a, axiom, {'(' * NESTED}X = X{')' * NESTED}).",
        f"fof(a, axiom, {'~' * NESTED}X = X).",
        f"fof(a, axiom, {'! [X] : ' * NESTED}X = X).",
        f"formulas(sos).\n{'f(' * NESTED}x{')' * NESTED} = x.\nend_of_list.\n",
        f"formulas(sos).\n{'-(' * NESTED}x = x{')' * NESTED}.\nend_of_list.\n",
        f"formulas(sos).\nx{chr(39) * NESTED} = x.\nend_of_list.\n",
        f"Axiom a: {'f(' * NESTED}x{')' * NESTED} = x.\n",
        f"Axiom a: {'-' * NESTED}x{chr(39) * NESTED} = x.\n",
    ],
    ids=["terms", "brackets", "nots", "quantifiers", "ladr", "minus", "primes", "theory", "unary"],
)
def test_deep_nesting(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep"
    path.write_text(text)
    (equation,) = read(path).theory.equations
    assert equation.lhs.size in (1, NESTED + 1, 2 * NESTED + 1)


def test_some_element_can_be_named() -> None:
    """Without a constant, `mul(X,X) = X` for some X could have no witness."""
    text = "cnf(a, axiom, mul(X,Y) = X).\ncnf(g, negated_conjecture, mul(X,X) != X)."
    document = parse(text)
    assert document.theory.signature.symbols == {"mul": 2, "c": 0}
    assert any("the constant c was added" in note for note in document.notes)
    named = parse(text.replace("mul(X,X) != X", "mul(a,X) != X"))
    assert "c" not in named.theory.signature.symbols
