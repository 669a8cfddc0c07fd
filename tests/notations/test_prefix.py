"""The prefix notation of one character a symbol."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from samples import ROBINSON, THEORIES, left_nested, successors
from strategies import deep_terms, terms
from threesil.errors import InputError
from threesil.kernel.terms import app
from threesil.kernel.theory import Theory
from threesil.notations.infix import format_prefix, parse_prefix
from threesil.notations.tokens import Place


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
@settings(max_examples=40)
@given(data=st.data())
def test_reading_what_was_printed(theory: Theory, data: DataObject) -> None:
    symbols = theory.signature.symbols
    term = data.draw(st.one_of(terms(symbols), deep_terms(symbols)))
    text = format_prefix(term)
    assert len(text) == term.size
    assert parse_prefix(text, theory.signature) == term


def test_an_example() -> None:
    zero = app("0")
    expected = app("S", app("*", app("S", zero), zero))
    assert parse_prefix("S*S00", ROBINSON.signature) == expected


def test_deep_terms() -> None:
    chain = successors(100_000, app("0"))
    assert parse_prefix("S" * 100_000 + "0", ROBINSON.signature) == chain
    total = left_nested(100_000, "+", app("0"), app("0"))
    text = format_prefix(total)
    assert text == "+" * 100_000 + "0" * 100_001
    assert parse_prefix(text, ROBINSON.signature) == total


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected a term, found the end"),
        ("+0", 1, "+ needs 2 terms behind it, found 1"),
        ("S*S0", 2, "* needs 2 terms behind it, found 1"),
        ("+0S", 3, "S needs 1 terms behind it, found 0"),
        ("S0x", 3, "unknown symbol 'x'; known symbols: 0 S + *"),
        ("S 0", 2, "unknown symbol ' '; known symbols: 0 S + *"),
        ("S00", 3, "the term ends here; expected nothing behind it"),
        ("+S00+00", 5, "the term ends here; expected nothing behind it"),
        ("000", 2, "the term ends here; expected nothing behind it"),
    ],
)
def test_places_of_errors(text: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_prefix(text, ROBINSON.signature)
    error = caught.value
    assert (error.line, error.column, error.message) == (1, column, message)


def test_a_place_inside_a_file() -> None:
    with pytest.raises(InputError) as caught:
        parse_prefix("S0x", ROBINSON.signature, place=Place("robinson.tsv", 3, 8, "columns\tS0x"))
    error = caught.value
    assert (error.source, error.line, error.column) == ("robinson.tsv", 3, 10)
