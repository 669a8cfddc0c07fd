"""TPTP: what is read, under which meaning, and what is refused where."""

from __future__ import annotations

from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.notations.document import Document
from threesil.notations.reading import parse, read
from threesil.notations.reading.typed import understood


def equations(document: Document) -> list[str]:
    return [f"{e.name} {e.kind} {e.lhs!r} = {e.rhs!r}" for e in document.theory.equations]


def goals(document: Document) -> list[str]:
    return [f"{p.name}: {understood(p, document.theory)}" for p in document.problems]


def test_clauses() -> None:
    document = parse(
        "% a comment\ncnf(unit, axiom, ( mul(e,X) = X ), file('a.p', unit)).\n/* two\nlines */\n"
        "cnf(7, hypothesis, (((e = e)))).\ncnf('it\\'s', lemma, 'my f'(1) = e).\n"
        "cnf(d, definition, f(X) = mul(X,X)).\ncnf(no, definition, mul(e,e) = e).\n"
        "cnf(g, negated_conjecture, ~ mul(a,b) = mul(b,a)).\n"
    )
    assert equations(document) == [
        "unit axiom mul(e, ?X) = ?X",
        "7 axiom e = e",
        "it's known my f(1) = e",
        "d definition f(?X) = mul(?X, ?X)",
        "no axiom mul(e, e) = e",
    ]
    assert goals(document) == ["g: mul(a,b) = mul(b,a)"]
    assert set(document.theory.signature.symbols) == {"mul", "e", "my f", "1", "f", "a", "b"}
    assert document.notes == ("numbers are read as constants without a meaning",)


@pytest.mark.parametrize(
    ("formula", "meaning"),
    [
        ("cnf(g, negated_conjecture, f(X,a) != X)", "there is X: f(X,a) = X"),
        ("fof(g, conjecture, ! [X,Y] : f(X,Y) = f(Y,X))", "for all X, Y: f(X,Y) = f(Y,X)"),
        ("fof(g, conjecture, ! [X] : ? [Y] : f(X,Y) = a)", "for all X there is Y: f(X,Y) = a"),
        ("fof(g, conjecture, ? [Y] : ! [X] : f(X,Y) = X)", "there is Y: f(h_X(Y),Y) = h_X(Y)"),
        ("fof(g, negated_conjecture, ~ ! [X] : f(X,X) = X)", "for all X: f(X,X) = X"),
        ("fof(g, negated_conjecture, ! [X] : f(X,X) != X)", "there is X: f(X,X) = X"),
        ("fof(g, negated_conjecture, ~ ~ ? [X] : ~ f(X,X) = X)", "for all X: f(X,X) = X"),
        ("fof(g, conjecture, ! [X] : ! [X] : ? [Z] : f(X,X) = X)", "for all X: f(X,X) = X"),
        ("fof(g, conjecture, f(X,a) = X)", "for all X: f(X,a) = X"),
    ],
)
def test_goals(formula: str, meaning: str) -> None:
    assert goals(parse(f"cnf(q, axiom, f(a,a) = a).\n{formula}.\n")) == [f"g: {meaning}"]


def test_elements_that_exist_get_names() -> None:
    document = parse("fof(q, axiom, ! [X] : ? [Y] : f(X,Y) = a).\nfof(r, axiom, ? [Z] : Z = a).\n")
    assert equations(document) == ["q axiom f(?X, sk_Y(?X)) = a", "r axiom sk_Z = a"]
    assert len(document.notes) == 2


def test_several_denied_goals() -> None:
    document = parse(
        "cnf(a, negated_conjecture, c != d).\ncnf(b, negated_conjecture, d != e).", "N"
    )
    assert document.any_goal
    assert [p.name for p in document.problems] == ["N#1", "N#2"]


def test_a_disequation_without_another_goal_is_a_denied_goal() -> None:
    document = parse("cnf(q, axiom, a = b).\ncnf(no, axiom, b != c).\n")
    assert goals(document) == ["no: b = c"]
    assert document.notes == ("the disequation no is read as a denied goal",)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("cnf(a, axiom, p(X)).", 1, 15, "predicate"),
        ("cnf(a, axiom, (a = b | c = d)).", 1, 22, "disjunction"),
        ("fof(a, axiom, a = b => c = d).", 1, 21, "implication"),
        ("fof(a, axiom, a = b\n  & c = d).", 2, 3, "conjunction"),
        ("cnf(a, axiom, a != b).\ncnf(g, negated_conjecture, c != d).", 1, 15, "disequation"),
        ("fof(a, axiom, a != b).\nfof(g, conjecture, c = d).", 1, 15, "disequation"),
        ("fof(g, conjecture, c != d).", 1, 20, "disequation"),
        ("cnf(a, axiom, f(a) = f(a,b)).", 1, 22, "2 arguments here and 1 before"),
        ("cnf(a, axiom, f(a = b) = c).", 1, 15, "inside a term"),
        ("cnf(a, axiom, $true).", 1, 15, "word of TPTP"),
        ('cnf(a, axiom, "apple" = a).', 1, 15, "distinct objects"),
        ("cnf(a, axiom, 1 = '1').", 1, 19, "can't be distinguished here"),
        ("cnf(a, axiom, =(a)).", 1, 15, "can't be a function"),
        ("cnf(a, axiom, =(a,b,c)).", 1, 15, "can't be a function"),
        ("cnf(a, axiom, :(a) = b).", 1, 15, "can't be a function"),
        ("cnf(a, axiom, '='(a) = b).", 1, 15, "can't be a function"),
        ("cnf(a, type, a = b).", 1, 8, "role type"),
        ("tff(a, axiom, a = b).", 1, 1, "typed language"),
        ("cnf(a, axiom, a = b)", 1, 21, "expected ., found the end"),
        ("cnf(a, axiom, f(a = b).", 1, 24, "found the end"),
        ("cnf(a, axiom, f(a)) = b).", 1, 21, r"expected \., found '='"),
        ("cnf(a, axiom, 'b = c).", 1, 15, "quote is never closed"),
        ("cnf(a, axiom, b = c).\n/* d", 2, 1, "comment is never closed"),
        ("cnf(a, axiom, X(a) = c).", 1, 15, "variable X has arguments"),
        ("cnf(a, axiom, a = = b).", 1, 19, "expected a term"),
        ("cnf(a, axiom, a = b = c).", 1, 21, "write brackets"),
        ("fof(a, axiom, ! [x] : x = b).", 1, 18, "expected a variable"),
        ("fof(a, axiom, [a] = b).", 1, 15, "lists are not read"),
        ("include('nowhere.ax').", 1, 9, "no file nowhere.ax"),
    ],
)
def test_what_is_refused(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_includes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "root/Axioms").mkdir(parents=True)
    (tmp_path / "Problems/ALG").mkdir(parents=True)
    (tmp_path / "root/Axioms/one.ax").write_text("cnf(a, axiom, a = b).\ncnf(b, axiom, b = c).\n")
    (tmp_path / "Problems/ALG/two.ax").write_text(
        "include('Axioms/one.ax').\ncnf(c, axiom, c = d)."
    )
    path = tmp_path / "Problems/ALG/p.p"
    path.write_text("include('two.ax').\ninclude('Axioms/one.ax',[b]).\ncnf(d, axiom, d = e).\n")
    with pytest.raises(InputError, match="TPTP") as caught:
        read(path)
    assert str(caught.value.source).endswith("two.ax")
    monkeypatch.setenv("TPTP", str(tmp_path / "root"))
    assert [e.name for e in read(path).theory.equations] == ["a", "b", "c", "d"]
    path.write_text("include('two.ax', [b, c]).\n")
    assert [e.name for e in read(path).theory.equations] == ["b", "c"]
    monkeypatch.delenv("TPTP")
    (tmp_path / "root/Axioms").rename(tmp_path / "Axioms")
    assert [e.name for e in read(path).theory.equations] == ["b", "c"]


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    (tmp_path / "a.p").write_text("include('b.p').\n")
    (tmp_path / "b.p").write_text("\ninclude('a.p').\n")
    with pytest.raises(InputError, match="includes itself") as caught:
        read(tmp_path / "a.p")
    assert (caught.value.source, caught.value.line) == (str(tmp_path / "b.p"), 2)
