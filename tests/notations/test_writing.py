"""What is written in any notation is read as the same document."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from documents import documents, key
from samples import THEORIES, problems, successors
from threesil.errors import InputError
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Equation, Goal, Problem
from threesil.notations.document import NOTATIONS, Document, theory_of
from threesil.notations.reading import parse
from threesil.notations.writing import write

each_notation = pytest.mark.parametrize("notation", NOTATIONS)


def comparable(document: Document, *notations: str) -> object:
    """The key, without the hints if they were written in TPTP, which has no place for them."""
    return key(replace(document, hints=()) if "tptp" in notations else document)


@each_notation
@settings(max_examples=25)
@given(document=documents())
def test_reading_what_was_written(notation: str, document: Document) -> None:
    back = parse(write(document, notation), "odd")
    assert back.notation == notation
    assert comparable(back, notation) == comparable(document, notation)


@pytest.mark.parametrize("second", NOTATIONS)
@pytest.mark.parametrize("first", NOTATIONS)
@settings(max_examples=5)
@given(document=documents())
def test_all_pairs_of_notations(first: str, second: str, document: Document) -> None:
    there = parse(write(document, first), "odd")
    back = parse(write(there, second), "odd")
    assert comparable(back, first, second) == comparable(document, first, second)


@settings(max_examples=20)
@given(document=documents())
def test_theory_files_keep_the_names_of_symbols_and_statements(document: Document) -> None:
    back = parse(write(document, "theory"), "odd")
    assert (
        dict(back.theory.signature.symbols).items()
        >= {
            symbol: arity
            for symbol, arity in document.theory.signature.symbols.items()
            if any(
                t.head == symbol and not t.is_variable
                for s in document.terms()
                for t in s.subterms()
            )
        }.items()
    )
    assert [e.name for e in back.theory.equations] == [e.name for e in document.theory.equations]
    assert [p.name for p in back.problems] == [p.name for p in document.problems]


@each_notation
def test_the_theories_that_come_along(notation: str) -> None:
    for theory in THEORIES:
        goals = tuple(problems(theory)) if theory.goal is Goal.EQUATION else ()
        document = Document(theory, goals)
        back = parse(write(document, notation), theory.name)
        if notation == "theory" or theory.goal is Goal.EQUATION:
            assert key(back) == key(document)
        assert back.theory.name == theory.name


@each_notation
def test_deep_terms(notation: str) -> None:
    deep = successors(20_000, var("x"))
    theory = theory_of("deep", "Deep", {"S": 1}, {}, [Equation("a", deep, var("x"))])
    back = parse(write(Document(theory, (Problem("p", deep, deep),)), notation))
    assert back.theory.equations[0].lhs.depth == 20_001


def test_texts() -> None:
    equations = [
        Equation("unit", app("*", app("e"), var("x")), var("x")),
        Equation("double", app("'", app("'", var("x"))), var("x"), "known"),
    ]
    theory = theory_of("groups", "Groups", {"e": 0, "*": 2, "'": 1}, {"*": 2}, equations)
    goal = Problem("inverse", app("*", var("x"), var("y")), app("e"), exists=("y",))
    document = Document(theory, (goal,))
    assert write(document, "theory").splitlines() == [
        "Theory groups: Groups.",
        "Constants e.",
        "Axiom unit: e * x = x.",
        "Known double: x'' = x.",
        "Theorem inverse: exists y: x * y = e.",
    ]
    assert write(document, "tptp").splitlines() == [
        "cnf(unit, axiom, mul(e,X) = X).",
        "cnf(double, lemma, inv(inv(X)) = X).",
        "fof(inverse, conjecture, ! [X] : ? [Y] : mul(X,Y) = e).",
    ]
    assert write(document, "ladr").splitlines() == [
        "formulas(assumptions).",
        '(e * x) = x # label("unit").',
        "x'' = x # label(\"double\") # label(known).",
        "end_of_list.",
        "formulas(goals).",
        'exists y ((x * y) = e) # label("inverse").',
        "end_of_list.",
    ]


def test_unknown_notations() -> None:
    with pytest.raises(InputError, match="expected one of tptp, ladr, theory"):
        write(Document(THEORIES[0]), "latex")
