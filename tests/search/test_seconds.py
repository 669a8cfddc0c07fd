"""`--seconds` is CPU time of the thread that searches, whatever others do beside it."""

from __future__ import annotations

from typing import Any

import pytest

from proof_samples import GROUPS
from threesil.engine import Budget, Completion, Status
from threesil.engine.meter import Meter
from threesil.problems.files import parse_problem
from threesil.search.solvers import make_solver

GOAL = parse_problem("i(x * y) = i(y) * i(x)", GROUPS)


def test_a_turn_knows_how_much_there_is_in_all() -> None:
    meter = Meter(Budget(None, 1000.0))
    turn = meter.left(seconds=0.01)
    assert turn.seconds == 0.01 and 900 < turn.whole <= 1000
    assert Meter(turn).left(seconds=0.001).whole > 900
    assert Budget(None, 3.0).whole == 3.0


def test_a_proof_is_read_out_in_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Completion(GROUPS).begin(GOAL)
    given: list[float] = []

    class Spy:
        def __init__(self, native: Any) -> None:
            self._native = native

        def __getattr__(self, name: str) -> Any:
            return getattr(self._native, name)

        def proof(self, seconds: float, stop: Any) -> list[Any]:
            given.append(seconds)
            return []

    run._native = Spy(run._native)  # type: ignore[assignment]
    assert run.run(Budget(None, 200.0, whole=300.0)).status is Status.LENGTH
    run.run(Budget(None, 0.01, whole=0.01))
    assert 200 < given[0] <= 300
    assert given[1] == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["best", "unguided", "complete", "saturate"])
def test_a_search_keeps_to_its_seconds(name: str) -> None:
    """What it is asked for follows from nothing here, and would keep it busy for hours."""
    solver = make_solver(name, GROUPS)
    problem = parse_problem("(x * y) * i(x) = (y * x) * i(y * (x * x))", GROUPS)
    outcome = solver.solve(problem, Budget(None, 1.0))
    assert not outcome.proved
