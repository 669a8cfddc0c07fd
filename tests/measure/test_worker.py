"""A worker of a comparison: whatever happens to its solver, there is an outcome."""

from __future__ import annotations

import pytest
from threesil.measure.compare.worker import _solve

from samples import AIM, equation
from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome
from threesil.provers.request import Request
from threesil.provers.solvers import Warm

EASY = equation("x * e = x")


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (MemoryError(), SZS.RESOURCE_OUT, "out of memory"),
        (ZeroDivisionError("a mistake"), SZS.ERROR, "ZeroDivisionError: a mistake"),
        (InputError("too large"), SZS.INPUT_ERROR, "too large"),
    ],
)
def test_a_failure_is_an_outcome(
    error: Exception, status: SZS, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm = Warm(Request("plain", seconds=5.0))
    broken = warm.take(AIM)

    def solve(*_: object) -> Outcome:
        raise error

    monkeypatch.setattr(broken, "solve", solve)
    warm.keep(broken)
    outcome = _solve(warm, AIM, EASY, "plain")
    assert outcome.status is status and outcome.by == "plain"
    assert outcome.reason.startswith(reason)
    assert _solve(warm, AIM, EASY, "plain").proved  # with a new solver


def test_a_lemma_is_proved_in_its_own_theory() -> None:
    before = AIM.before(AIM.lemmas[0].name)
    outcome = _solve(Warm(Request("plain")), before, equation("e * x = x", before), "plain")
    assert outcome.proof is not None and outcome.proof.theory is before
