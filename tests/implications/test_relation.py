"""Bit matrices: closed under transitivity, models as rows, and no contradiction goes unnoticed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threesil.implications.output import certificates, status_of
from threesil.implications.relation import Contradiction, Relation, count, numbers

N = 11
pairs = st.tuples(st.integers(0, N - 1), st.integers(0, N - 1))


def packed(bits: list[bool]) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.packbits(np.array(bits, np.uint8))


@given(st.lists(pairs, max_size=20))
def test_what_is_proved_is_transitive(edges: list[tuple[int, int]]) -> None:
    relation = Relation(N)
    for i, j in edges:
        relation.prove(i, j)
    reach = {(i, i) for i in range(N)} | set(edges)
    for k, i, j in itertools.product(range(N), repeat=3):  # k is the outermost: Warshall
        if (i, k) in reach and (k, j) in reach:
            reach.add((i, j))
    assert {(i, j) for i, j in np.ndindex(N, N) if relation.is_proved(i, j)} == reach
    assert relation.counts == (len(reach) - N, 0)
    status, by = certificates(N, [(edge, n) for n, edge in enumerate(edges, 1)], np.zeros((N, N)))
    assert np.array_equal(status, status_of(relation))
    for i, j in reach:
        through = int(by[i, j])
        if through > 0:  # two others, of which the second has a proof
            assert (i, through - 1) in reach and by[through - 1, j] < 0
        elif i != j:
            assert edges[-through - 1] == (i, j)


@given(st.lists(st.lists(st.booleans(), min_size=N, max_size=N), max_size=6))
def test_models_refute_what_they_tell_apart(models: list[list[bool]]) -> None:
    relation = Relation(N)
    for holds in models:
        before = count(relation.refuted)
        holding, new = relation.refute(packed(holds), packed([not held for held in holds]))
        assert count(relation.refuted) - before == count(new)
        assert len(holding) == len(new)
    for i, j in np.ndindex(N, N):
        assert relation.is_refuted(i, j) == any(holds[i] and not holds[j] for holds in models)
        assert (j in numbers(relation.open(i), N)) == relation.is_open(i, j)


def test_a_contradiction_is_refused() -> None:
    relation = Relation(N)
    relation.prove(0, 1)
    relation.prove(1, 2)
    with pytest.raises(Contradiction, match="equations 1 and 3"):
        relation.refute(
            packed([True, True, *[False] * 9]), packed([False, False, True, *[False] * 8])
        )
