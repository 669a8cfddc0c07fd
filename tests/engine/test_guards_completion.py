"""Wrong use of completion, selection and laws in the core: an error, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proof_samples import GROUPS
from threesil import _native
from threesil.engine import Budget, Completion, CompletionRun, Stop
from threesil.problems.files import parse_problem

ORDER: tuple[list[int], list[int], list[int]] = ([0, 1, 2], [1, 1, 1], [0, 1, 2])
EQUATIONS = [([1, 1, ~0], [~0])]
GOAL = [([1, 1, 0], [0])]


def completion(**other: Any) -> _native.Completion:
    given: dict[str, Any] = {
        "equations": EQUATIONS,
        "goals": GOAL,
        "pairs": 100,
        "meaning": {},
        "scaffolding": [0, 0, 0],
        "equals": -1,
    }
    return _native.Completion(*ORDER, False, **(given | other))


def test_the_right_one_proves() -> None:
    run = completion()
    assert run.run(100, 1.0, None) == 0
    assert run.proof(1.0, None) and len(run.judged(None)) == 3


def begun() -> CompletionRun:
    return Completion(GROUPS).begin(parse_problem("x * y = y * x", GROUPS))


def test_there_is_no_proof_to_read_out_before_there_is_one() -> None:
    run = begun()
    for budget in (None, Budget(0, 1.0), Budget(10, 1.0)):
        if budget is not None:
            run.run(budget)
        with pytest.raises(ValueError, match="no proof"):
            run.judged()
        with pytest.raises(ValueError, match="no proof"):
            run._native.proof(1.0, None)
    without = completion(goals=[])
    assert without.run(10, 1.0, None) != 0
    with pytest.raises(ValueError, match="no proof"):
        without.judged(None)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"equals": 1}, "two arguments"),
        ({"equals": 3}, "two arguments"),
        ({"equals": -2}, "two arguments"),
        ({"scaffolding": [0, 0]}, "scaffolding"),
        ({"meaning": {-1: [0]}}, "constant"),
        ({"meaning": {1: [0]}}, "constant"),
        ({"meaning": {7: [0]}}, "constant"),
        ({"meaning": {0: [1, 0]}}, "stands for"),
        ({"meaning": {0: []}}, "without its end"),
        ({"goals": GOAL * 2}, "one goal"),
        ({"goals": [([~0], [0])]}, "no such"),
        ({"equations": [([1], [0])]}, "without its end"),
        ({"equations": [([0, 0], [0])]}, "behind the end"),
        ({"equations": [([2**31 - 1], [0])]}, "no such"),
        ({"equations": [([-(2**31)], [0])]}, "no such"),
    ],
)
def test_what_fits_no_symbols_is_refused(other: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        completion(**other)


def selection(**other: Any) -> _native.Selection:
    given: dict[str, Any] = {
        "equations": EQUATIONS,
        "goal": GOAL[0],
        "scaffolding": [0, 0, 0],
        "equals": -1,
        "net": None,
        "turns": 1,
        "seed": 0,
        "record": True,
    }
    return _native.Selection(*ORDER, **(given | other))


def net(value: float = 0.0) -> _native.PairNet:
    inputs = _native.PAIR_FEATURES
    count = 3 * inputs + (inputs + 1) * 16 + 17 * 16 + 17
    return _native.PairNet(0, 16, np.full(count, value, np.float32))


def test_a_selection_is_for_the_symbols_of_its_completion() -> None:
    other = _native.Selection([0, 0], [1, 1], [0, 1], [], ([], []), [0, 0], -1, None, 1, 0, False)
    with pytest.raises(ValueError, match="other symbols"):
        completion(selection=other)
    for bad in ({"turns": 2**32 - 1}, {"equals": 0}, {"scaffolding": [0]}):
        with pytest.raises(ValueError):
            selection(**bad)


def test_a_selection_lasts_as_long_as_its_completion() -> None:
    run = completion(selection=selection(net=net()))
    assert run.run(100, 1.0, None) == 0


def test_weights_that_are_no_numbers_are_refused() -> None:
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="finite"):
            net(bad)
    large = completion(
        equations=[([2, 2, ~0, ~1, ~2], [2, ~0, 2, ~1, ~2]), ([2, ~0, ~1], [2, ~1, ~0])],
        selection=selection(net=net(3e38)),
    )
    large.run(100, 1.0, None)  # its scores overflow


def test_a_term_that_a_network_has_no_room_for() -> None:
    inputs = _native.PAIR_FEATURES
    size, hidden = 16, 16
    count = 3 * inputs + (size + _native.PAIR_MARKS + 1) * size + 4 * size * size + size
    count += (inputs + 5 * size + 1 + hidden + 1 + 1) * hidden + 1
    tree = _native.PairNet(size, hidden, np.zeros(count, np.float32))
    chosen = selection(net=tree)
    long = np.array([1] * 140_000 + [0, 0], np.int32)
    ends = np.array([len(long) - 1, len(long)], np.uint64)
    with pytest.raises(ValueError, match="too large"):
        chosen.judge(long, ends, np.zeros(1, np.uint32), np.zeros(1, np.float32))


def test_laws_and_tables_that_are_not_there() -> None:
    laws = _native.Laws([2], 1000, [([0, ~0, ~1], [0, ~1, ~0])])
    laws.add(2, np.zeros(4, np.uint8))
    row = np.zeros((1, 1), np.uint8)
    for call in (
        lambda: laws.failing(0, 1, None),
        lambda: laws.failing(0, 2**64 - 1, None),
        lambda: laws.failing(1, 0, None),
        lambda: laws.rows(1, row, row.copy(), None),
        lambda: laws.rows(2**64 - 1, row, row.copy(), None),
        lambda: laws.refuting(0, 1, 0, 1, 1.0, None),
        lambda: laws.refuting(0, 0, 0, 1, float("nan"), None),
    ):
        with pytest.raises(ValueError):
            call()
    for stop in (Stop, 1, "x"):
        with pytest.raises(TypeError):
            laws.failing(0, 0, stop)  # type: ignore[arg-type]


def test_lists_of_the_wrong_kind_are_type_errors() -> None:
    for bad in ("01", b"01", 7, None, [None], [1.5], [[0]], [2**31]):
        with pytest.raises((TypeError, ValueError)):
            completion(equations=[(bad, [0])])
    for bad in ([], {1: "x"}, {"x": [0]}, None):
        with pytest.raises((TypeError, ValueError)):
            completion(meaning=bad or [0])
    with pytest.raises(TypeError, match="another type"):
        _native.Rules([2, 2, 1], [0, 0, 0], [("x", 0, [])], 0, 1, True, False)
