"""`--seconds` is CPU time of all that is done here, whatever others do beside it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from proof_samples import GROUPS
from threesil.engine import Budget, Completion, Status
from threesil.engine.meter import Meter
from threesil.kernel.outcome import SZS, Outcome
from threesil.problems import parse_problem
from threesil.provers import Task, cooperate
from threesil.provers import request as workflow
from threesil.provers.cooperate import portfolio
from threesil.provers.reconstruct import NotReconstructed
from threesil.provers.request import Plan, Target, prove
from threesil.search.prover import Prover
from threesil.search.single import Complete

SECONDS = 2.0
GOAL = parse_problem("i(x * y) = i(y) * i(x)", GROUPS)


def burn(seconds: float) -> None:
    """Takes so much CPU time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Claims:
    """In the place of another prover: it claims at once."""

    name = "claims"

    def __init__(self) -> None:
        self.given: list[float] = []

    def run(self, task: Task, seconds: float, memory: int, stop: object) -> Outcome:
        self.given.append(seconds)
        return Outcome(task.problem, SZS.THEOREM, by=self.name, words="it is true")


@pytest.fixture
def slow_search(monkeypatch: pytest.MonkeyPatch) -> Prover:
    """A search that needs more than its share, and finds nothing."""
    prover = Prover(GROUPS, solver="complete")

    def search(problem: Any, budget: Budget) -> Outcome:
        burn(0.7 * SECONDS)
        return Outcome(problem, SZS.TIMEOUT, by="slow")

    monkeypatch.setattr(prover.solver, "prove", search)
    return prover


def test_each_part_has_what_is_left(slow_search: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search took 0.7 of the time: others get no more than 0.3 of it."""
    followed: list[float] = []

    def reconstruct(theory: Any, problem: Any, skeleton: Any, budget: Budget, given: Any) -> Any:
        followed.append(budget.seconds)
        raise NotReconstructed("no")

    monkeypatch.setattr(cooperate, "read_proof", lambda *_: None)
    monkeypatch.setattr(cooperate, "reconstruct", reconstruct)
    claims = Claims()
    outcome, _ = portfolio(slow_search, [claims], GOAL, seconds=SECONDS)  # type: ignore[list-item]
    assert outcome.claimed
    (seconds,) = followed
    assert 0 < seconds <= 0.3 * SECONDS
    assert 0 < claims.given[0] <= 0.3 * SECONDS


def test_the_time_of_all_that_is_done_here_is_told(
    slow_search: Prover, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What following another prover's proof costs is part of it."""

    def reconstruct(*_: Any) -> Any:
        burn(0.2 * SECONDS)
        raise NotReconstructed("no")

    monkeypatch.setattr(cooperate, "read_proof", lambda *_: None)
    monkeypatch.setattr(cooperate, "reconstruct", reconstruct)
    outcome, _ = portfolio(slow_search, [Claims()], GOAL, seconds=SECONDS)  # type: ignore[list-item]
    assert outcome.cpu_seconds >= 0.9 * SECONDS


def shortening(monkeypatch: pytest.MonkeyPatch, plan: Plan, spent: float) -> list[float]:
    """The seconds that a proof is shortened for after a search that took so many."""
    given: list[float] = []

    def portfolio(prover: Prover, *_: Any, **__: Any) -> tuple[Outcome, Sequence[Any]]:
        burn(spent)
        outcome = Complete(GROUPS).prove(GOAL, Budget(None, 20.0))
        assert outcome.proof is not None and outcome.proof.lemmas
        return outcome, ()

    def shortened(proof: Any, budget: Budget) -> Any:
        given.append(budget.seconds)
        return proof

    monkeypatch.setattr(workflow, "portfolio", portfolio)
    monkeypatch.setattr(workflow, "shortened", shortened)
    assert [answer.outcome.proved for answer in prove([Target(GROUPS, (GOAL,))], plan)] == [True]
    return given


def test_a_proof_is_polished_in_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan("complete", seconds=60.0, polish=5.0)
    assert shortening(monkeypatch, plan, 0.0) == [5.0]
    assert shortening(monkeypatch, replace(plan, seconds=0.2), 0.3) == []
    assert shortening(monkeypatch, replace(plan, seconds=0.2, shorten=3.0), 0.3) == [3.0]


def test_several_goals_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def answer(prover: Any, problem: Any, plan: Plan, seconds: float, *_: Any) -> Any:
        given.append(seconds)
        return workflow.Answer(GROUPS, Outcome(problem, SZS.TIMEOUT))

    def run(self: Any, budget: Budget) -> Any:
        looks.append(budget.seconds)
        burn(0.3 * SECONDS)
        return workflow.Sought((None, None), Status.SECONDS)

    looks: list[float] = []
    monkeypatch.setattr(workflow, "_answer", answer)
    monkeypatch.setattr("threesil.search.finite.Finder.run", run)
    goals = GOAL, parse_problem("x * y = y * x", GROUPS)
    list(prove([Target(GROUPS, goals, any_goal=True)], Plan(seconds=SECONDS)))
    assert sum(given) <= 0.7 * SECONDS
    assert len(looks) == 2 and looks[1] <= 0.7 * SECONDS


def test_a_turn_knows_how_much_there_is_in_all() -> None:
    meter = Meter(Budget(None, 10.0))
    turn = meter.left(seconds=0.01)
    assert turn.seconds == 0.01 and 9 < turn.whole <= 10
    assert Meter(turn).left(seconds=0.001).whole > 9
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
    assert run.run(Budget(None, 20.0, whole=30.0)).status is Status.LENGTH
    run.run(Budget(None, 0.01, whole=0.01))
    assert 20 < given[0] <= 30
    assert given[1] == pytest.approx(0.5)


@pytest.mark.parametrize("mode", ["best", "unguided", "complete", "saturate"])
def test_a_strategy_keeps_to_its_seconds(mode: str) -> None:
    """A bound that is generous: nothing here may go on for as long again."""
    prover = Prover(GROUPS, solver=mode)
    problem = parse_problem("(x * y) * i(x) = (y * x) * i(y * (x * x))", GROUPS)
    begin = time.process_time()
    outcome = prover.prove(problem, seconds=1.0)
    assert not outcome.proved
    assert time.process_time() - begin < 2.5
