"""Equations in finite interpretations: the core says what the kernel says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threesil.engine.laws import Laws
from threesil.kernel.countermodel import table_of
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Signature
from threesil.notations.document import theory_of

SYMBOLS = {"*": 2, "f": 1, "t": 3, "e": 0}
SIGNATURE = Signature(SYMBOLS, {"*": 1})
THEORY = theory_of("t", "", SIGNATURE.symbols, SIGNATURE.infix, ())
NAMES = ("x", "y", "z")

leaves = st.sampled_from([*map(var, NAMES), app("e")])
terms = st.recursive(
    leaves,
    lambda part: st.one_of(
        st.builds(lambda a, b: app("*", a, b), part, part),
        st.builds(lambda a: app("f", a), part),
        st.builds(lambda a, b, c: app("t", a, b, c), part, part, part),
    ),
    max_leaves=6,
)


@st.composite
def interpretations(draw: st.DrawFn) -> Tables:
    n = draw(st.integers(1, 3))
    element = st.integers(0, n - 1)
    cells = {s: st.lists(element, min_size=n**a, max_size=n**a) for s, a in SYMBOLS.items()}
    return Tables(n, {symbol: tuple(draw(table)) for symbol, table in cells.items()})


@given(st.lists(st.tuples(terms, terms), min_size=1, max_size=9), interpretations())
def test_rows_are_what_the_kernel_evaluates(laws: list[tuple[Term, Term]], model: Tables) -> None:
    engine_laws = Laws(SIGNATURE, laws)
    assert engine_laws.add(model) == 0 and len(engine_laws) == 1
    hold, fail = (np.unpackbits(rows[0], count=len(laws)) for rows in engine_laws.rows(0, 1))
    for law, (lhs, rhs) in enumerate(laws):
        left, right = (table_of(side, THEORY, model, NAMES, {}) for side in (lhs, rhs))
        assert (hold[law], fail[law]) == ((1, 0) if left == right else (0, 1))
        if left != right:
            values = engine_laws.failing(law, 0)
            sides = (table_of(side, THEORY, model, (), values) for side in (lhs, rhs))
            assert next(sides) != next(sides)


def magma(text: str) -> Tables:
    return Tables(2, {"*": tuple(map(int, text))})


def test_the_first_model_that_separates_two_laws() -> None:
    magmas = Signature({"*": 2}, {"*": 1})
    x, y = var("x"), var("y")
    commutative, idempotent = (app("*", x, y), app("*", y, x)), (app("*", x, x), x)
    engine_laws = Laws(magmas, [commutative, idempotent])
    for table in ("0011", "0001", "0110", "0000"):
        engine_laws.add(magma(table))
    assert engine_laws.refuting(0, 1) == 2
    assert engine_laws.refuting(0, 1, 3) == 3
    assert engine_laws.refuting(1, 0) == 0
    assert engine_laws.refuting(1, 0, 1) is None
    assert engine_laws.failing(0, 0) == {"x": 0, "y": 1}


def test_what_takes_too_long_is_left_open() -> None:
    magmas = Signature({"*": 2}, {"*": 1})
    names = [var(f"x{k}") for k in range(23)]
    term = names[0]
    for name in names[1:]:
        term = app("*", term, name)
    engine_laws = Laws(magmas, [(term, term)])
    engine_laws.add(magma("0000"))
    hold, fail = engine_laws.rows(0, 1)
    assert not hold.any() and not fail.any()


@pytest.mark.parametrize("tables", [Tables(2, {"*": (0, 0, 0)}), Tables(2, {"*": (0, 0, 0, 2)})])
def test_tables_that_are_none_are_refused(tables: Tables) -> None:
    engine_laws = Laws(Signature({"*": 2}), [(var("x"), var("x"))])
    with pytest.raises(ValueError):
        engine_laws.add(tables)
