"""The library of interpretations: complete where it says so, and what it says it is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from threesil.implications.library import _FIELDS, _field, exhausted_size, library
from threesil.kernel.countermodel import check
from threesil.kernel.theory import Signature
from threesil.notations.document import theory_of

MAGMAS = Signature({"*": 2}, {"*": 1})


@pytest.mark.parametrize(("p", "power"), _FIELDS)
def test_fields_are_fields(p: int, power: tuple[int, ...]) -> None:
    add, times = _field(p, power)
    every = np.arange(len(add))
    for table in (add, times):
        assert np.array_equal(table, table.T)
        assert np.array_equal(table[table[:, :, None], every], table[every[:, None, None], table])
    assert np.array_equal(times[every[:, None, None], add], add[times[:, :, None], times[:, None]])
    assert np.array_equal(add[0], every) and np.array_equal(times[1], every)
    assert all(sorted(row) == every.tolist() for row in times[1:].tolist())


def test_all_magmas_with_two_and_three_elements_are_there_once() -> None:
    found = [tables for tables in library(MAGMAS) if tables.size <= 3]
    assert [sum(t.size == n for t in found) for n in (2, 3)] == [10, 3330]  # A001329
    assert exhausted_size(MAGMAS) == 3


@pytest.mark.parametrize(
    "symbols", [{"*": 2}, {"f": 1}, {"f": 1, "e": 0}, {"*": 2, "\\": 2, "e": 0}, {"t": 3}, {"c": 0}]
)
def test_members_are_interpretations(symbols: dict[str, int]) -> None:
    theory = theory_of("free", "", symbols, {}, ())
    members = list(itertools.islice(library(theory.signature), 0, None, 97))
    assert members
    for tables in members:
        check(theory, None, tables)
    assert members == list(itertools.islice(library(theory.signature), 0, None, 97))
