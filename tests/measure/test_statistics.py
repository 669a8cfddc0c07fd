"""Intervals, tests and set counts: known values, and what must hold of any."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_oracle
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from threesil.measure.compare.statistics import holm, mcnemar, regions, union, unique, wilson

SETS = st.dictionaries(
    st.sampled_from("ABCDE"), st.frozensets(st.sampled_from("pqrstuvw")), min_size=1
)


@pytest.mark.parametrize(
    ("solved", "problems", "low", "high"),
    [
        (0, 10, 0.0, 0.27753),
        (5, 10, 0.23659, 0.76341),
        (10, 10, 0.72247, 1.0),
        (81, 263, 0.25529, 0.36621),
        (1, 29, 0.00611, 0.17176),
    ],
)
def test_wilson_intervals(solved: int, problems: int, low: float, high: float) -> None:
    assert wilson(solved, problems) == pytest.approx((low, high), abs=1e-5)


def test_no_problems_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="can't be solved"):
        wilson(3, 2)


@given(st.integers(1, 2000), st.data())
def test_wilson_holds_the_share_and_mirrors(problems: int, data: st.DataObject) -> None:
    solved = data.draw(st.integers(0, problems))
    low, high = wilson(solved, problems)
    assert 0 <= low <= solved / problems <= high <= 1
    mirrored = wilson(problems - solved, problems)
    assert mirrored == pytest.approx((1 - high, 1 - low))
    assert wilson(10 * solved, 10 * problems)[1] <= high + 1e-12


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (0, 5, 0.0625),
        (0, 6, 0.03125),
        (1, 7, 0.0703125),
        (5, 5, 1.0),
        (4, 12, 0.076812744140625),
    ],
)
def test_mcnemar_is_the_binomial_test(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == p


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_symmetric_and_falls_with_the_difference(first: int, second: int) -> None:
    p = mcnemar(first, second)
    assert 0 < p <= 1
    assert p == mcnemar(second, first)
    assert mcnemar(max(first, second) + 1, min(first, second)) <= p


# Against scipy and statsmodels


@given(st.integers(1, 5000), st.data())
def test_wilson_as_statsmodels_has_it(problems: int, data: st.DataObject) -> None:
    solved = data.draw(st.integers(0, problems))
    expected = proportion_confint(solved, problems, alpha=0.05, method="wilson")
    assert wilson(solved, problems) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_as_statsmodels_and_scipy_have_it(first: int, second: int) -> None:
    p = mcnemar(first, second)
    if first + second:
        oracle = mcnemar_oracle([[7, first], [second, 3]], exact=True)
        assert p == pytest.approx(oracle.pvalue, rel=1e-6, abs=1e-300)
        test = binomtest(first, first + second, 0.5, alternative="two-sided")
        assert p == pytest.approx(test.pvalue, rel=1e-6, abs=1e-300)


@settings(max_examples=25)  # statsmodels takes its time
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_as_statsmodels_has_it(values: list[float]) -> None:
    _, expected, _, _ = multipletests(values, method="holm")
    assert holm(values) == pytest.approx(list(expected), abs=1e-12)


def test_mcnemar_takes_large_counts() -> None:
    assert 0 <= mcnemar(0, 5000) < 1e-300
    assert math.isclose(mcnemar(2500, 2500), 1.0)
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


def test_holm_known_values() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_never_helps(values: list[float]) -> None:
    corrected = holm(values)
    assert all(p <= q <= 1 for p, q in zip(values, corrected, strict=True))
    by_value = [q for _, q in sorted(zip(values, corrected, strict=True))]
    assert by_value == sorted(by_value)


@given(SETS)
def test_regions_part_the_union(sets: dict[str, frozenset[str]]) -> None:
    parts = regions(sets)
    assert sum(parts.values()) == len(union(sets))
    for name, elements in sets.items():
        assert sum(n for names, n in parts.items() if name in names) == len(elements)
        assert len(unique(sets)[name]) == parts.get((name,), 0)
