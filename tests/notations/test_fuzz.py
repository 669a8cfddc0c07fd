"""Whatever the input, a reader gives a result or an `InputError`: nothing else, and no crash."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import THEORIES
from threesil.errors import InputError
from threesil.kernel.theory import Signature
from threesil.notations.infix import parse_equation, parse_prefix, parse_term

Reader = Callable[[str], object]


def _readers(signature: Signature) -> dict[str, Reader]:
    return {
        "term": lambda text: parse_term(text, signature),
        "ground term": lambda text: parse_term(text, signature, variables=False),
        "equation": lambda text: parse_equation(text, signature),
        "prefix": lambda text: parse_prefix(text, signature),
    }


READERS: list[tuple[str, Reader]] = [
    (f"{theory.name} {name}", reader)
    for theory in THEORIES
    for name, reader in _readers(theory.signature).items()
]

# Pieces of well-formed input in any order get further into a reader than bytes do. Numbers stay
# small: one of a million is a legal term of a million nodes.
PIECES = ["x", "y'", "e", "T(", "S(", "a(", "(", ")", ",", "=", "0", "17", "10000000", "*", "+"]
PIECES += ["^", "\\", "/", " ", "\t", "\n", "_", "é", "\u2028", "\x00", "\x1c", "-", ".", ":="]
TEXTS = st.one_of(
    st.binary(max_size=60).map(lambda data: data.decode("latin-1")),
    st.binary(max_size=60).map(lambda data: data.decode("utf-8", errors="surrogateescape")),
    st.text(max_size=60).filter(lambda text: not any(c.isdigit() for c in text)),
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
).filter(lambda text: "000000" not in text)


@pytest.mark.parametrize(
    "reader", [reader for _, reader in READERS], ids=[name for name, _ in READERS]
)
@settings(max_examples=120)
@given(text=TEXTS)
def test_only_input_errors(reader: Reader, text: str) -> None:
    try:
        reader(text)
    except InputError as error:
        assert error.message
        assert str(error)
        assert error.line is None or error.line >= 1
        assert error.column is None or 1 <= error.column <= len(error.text or text) + 1


@pytest.mark.parametrize(
    "reader", [reader for _, reader in READERS], ids=[name for name, _ in READERS]
)
@pytest.mark.parametrize(
    "piece", ["(", ")", "S", "S(", "T(x,", "x*", "*", "0+", "=", "x=", ",", " ", "\n"], ids=repr
)
def test_long_repetitions(reader: Reader, piece: str) -> None:
    """Input that would overflow the stack of a recursive reader."""
    try:
        reader(piece * 20_000)
    except InputError as error:
        assert str(error)
