"""Random bytes in files: every reader gives a result or an `InputError`, and goes on living."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threesil.errors import InputError
from threesil.measure.conform import conform
from threesil.nets.policy import Policy
from threesil.notations.reading import read
from threesil.problems.files import load_problems
from threesil.theories import all_theories, get_theory
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL
from threesil.theories.robinson import ROBINSON

READERS: dict[str, Callable[[Path], object]] = {
    "document": read,
    "theory": get_theory,
    "equations": lambda path: load_problems(path, AIM),
    "targets": lambda path: load_problems(path, POLYNOMIAL),
    "normal forms": lambda path: load_problems(path, ROBINSON),
    "trace": lambda path: conform(path, all_theories()),
    "model": lambda path: Policy.load(path, ROBINSON),
}

WORDS = ["Axiom ", "a: ", "x = y", ".", "\n", "Theorem ", "Goal ", "normal ", "Constants ", "\t"]
WORDS += [
    '{"steps": ',
    "[",
    "]",
    "}",
    '{"e": "S0", "a": 1',
    ', "c": []',
    ', "l": [2]',
    '"goal"',
    ":",
]
WORDS += ['{"equation": "x = y"', ', "skolems": {}', ', "mask": "1"', "null", "1e999", "NaN", "-1"]
CONTENTS = st.one_of(
    st.binary(max_size=80),
    st.binary(max_size=80).map(gzip.compress),
    st.binary(max_size=40).map(lambda data: b"\x1f\x8b" + data),
    st.lists(st.sampled_from(WORDS), max_size=12).map(lambda words: "".join(words).encode()),
)


@pytest.mark.parametrize("reader", list(READERS))
@settings(max_examples=150)
@given(content=CONTENTS)
def test_only_input_errors(reader: str, content: bytes) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "file"
        path.write_bytes(content)
        try:
            READERS[reader](path)
        except InputError as error:
            assert str(error)
