"""Proving what people type: which solvers are asked, in what time, what becomes of a proof."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

import threesil.provers.prove as module
from proof_samples import GROUPS
from provers.fakes import burn
from samples import written
from threesil.engine import Budget, Stop
from threesil.kernel.lemmas import length
from threesil.kernel.outcome import SZS, Outcome, Turn
from threesil.kernel.theory import Problem
from threesil.problems.files import parse_problem
from threesil.problems.targets import Target, read_targets
from threesil.provers.prove import Answer, prove
from threesil.provers.request import Request
from threesil.provers.solvers import Warm
from threesil.search.single import Complete
from threesil.search.solver import Facts, Solver

GOAL = parse_problem("i(x * y) = i(y) * i(x)", GROUPS)
FALSE = parse_problem("x * y = y * x", GROUPS)
EASY = parse_problem("e * (e * x) = x", GROUPS)
MOUFANG = [
    r"Axiom b1: x * (x \ y) = y.",
    r"Axiom b2: x \ (x * y) = y.",
    "Axiom s1: (x / y) * y = x.",
    "Axiom s2: (x * y) / y = x.",
    "Constants e.",
    "Axiom lid: e * x = x.",
    "Axiom rid: x * e = x.",
    "Axiom moufang: (x * (y * z)) * x = (x * y) * (z * x).",
    "Theorem second: ((x * y) * z) * y = x * (y * (z * y)).",
]


def answers(request: Request, *problems: Problem, **more: Any) -> list[Answer]:
    return list(prove([Target(GROUPS, problems)], request, **more))


def any_of(request: Request, *problems: Problem, **more: Any) -> Answer:
    (answer,) = prove([Target(GROUPS, problems, any_goal=True)], request, **more)
    return answer


# What comes


def test_answers_come_in_order_each_in_its_theory(tmp_path: Path) -> None:
    other = written(tmp_path, "Axiom one: f(x) = x.")
    targets = [Target(GROUPS, (GOAL, FALSE)), Target(other, (parse_problem("f(f(x)) = x", other),))]
    found = list(prove(targets, Request(seconds=20.0)))
    assert [answer.outcome.status for answer in found] == [
        SZS.THEOREM,
        SZS.COUNTER_SATISFIABLE,
        SZS.THEOREM,
    ]
    assert [answer.theory for answer in found] == [GROUPS, GROUPS, other]
    assert all(answer.untrained and not answer.note for answer in found)


def test_an_answer_comes_before_the_next_problem_is_tried() -> None:
    found = prove([Target(GROUPS, (EASY, GOAL))], Request("broken"))
    with pytest.raises(Exception, match="unknown solver"):
        next(found)
    heard: list[Turn] = []
    found = prove([Target(GROUPS, (EASY, GOAL))], Request(seconds=20.0), progress=heard.append)
    assert next(found).outcome.proved
    before = len(heard)
    assert next(found).outcome.proved and len(heard) > before > 0


def test_one_goal_of_several_is_enough() -> None:
    answer = any_of(Request(seconds=20.0), FALSE, EASY)
    assert answer.outcome.proved and answer.outcome.problem == EASY


def test_goals_that_all_fail_are_refuted_together() -> None:
    square = parse_problem("x * x = e", GROUPS)
    outcome = any_of(Request(seconds=20.0), FALSE, square).outcome
    assert outcome.status is SZS.COUNTER_SATISFIABLE
    assert [model.problem for model in outcome.models] == [FALSE, square]


def test_a_file_without_a_goal_has_a_model(tmp_path: Path) -> None:
    for axiom, size in (("x * y = y * x", 2), ("x = y", 1)):
        written(tmp_path, f"Axiom one: {axiom}.")
        (answer,) = prove(read_targets([str(tmp_path / "mine.thy")]), Request(seconds=20.0))
        outcome = answer.outcome
        assert outcome.status is SZS.SATISFIABLE and outcome.certified
        assert outcome.model is not None and outcome.model.tables.size == size
        assert ("no other model" in outcome.reason) == (size == 1)


def test_solvers_stay_warm_from_problem_to_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make = Warm.take.__globals__["solver_for"]

    def counted(request: Request, theory: Any) -> Solver:
        made.append(theory.name)
        found: Solver = make(request, theory)
        return found

    monkeypatch.setitem(Warm.take.__globals__, "solver_for", counted)
    request = Request("complete", seconds=20.0)
    warm = Warm(request)
    for _ in range(2):
        assert all(answer.outcome.proved for answer in answers(request, EASY, GOAL, warm=warm))
    assert made == ["groups"]


def test_another_thread_stops_it() -> None:
    stop = Stop()
    timer = Timer(0.2, stop.set)
    timer.start()
    (answer,) = answers(Request("saturate", seconds=200.0), FALSE, stop=stop)
    timer.join()
    assert answer.outcome.status is SZS.USER


# What becomes of a proof


def test_proofs_with_lemmas_are_shortened_before_they_are_shown(tmp_path: Path) -> None:
    written(tmp_path, *MOUFANG)
    targets = read_targets([str(tmp_path / "mine.thy")])
    (found,) = prove(targets, Request("complete", expansions=5000))
    (counted,) = prove(targets, Request("complete", expansions=5000, polish=1.0))
    (shown,) = prove(targets, Request("complete", polish=1.0))
    proofs = [answer.outcome.proof for answer in (found, counted, shown)]
    assert proofs[0] is not None and proofs[0].lemmas
    first, second, third = (length(proof) for proof in proofs if proof is not None)
    assert first == second > third


class Slow(Solver):
    """Proves with a lemma after so many seconds."""

    name = "slow"

    def __init__(self, spent: float) -> None:
        self.theory, self.spent = GROUPS, spent
        self.given: list[float] = []

    def solve(self, problem: Problem, budget: Budget) -> Outcome:
        self.given.append(budget.seconds)
        burn(self.spent)
        outcome = Complete(GROUPS).solve(problem, Budget(5000, None))
        assert outcome.proof is not None and outcome.proof.lemmas
        return outcome

    def facts(self, seconds: float) -> Facts:
        return Facts()


def shortening(monkeypatch: pytest.MonkeyPatch, request: Request, spent: float) -> list[float]:
    """The seconds that a proof is shortened for after a search that took so many."""
    given: list[float] = []

    def shortened(proof: Any, budget: Budget) -> Any:
        given.append(budget.seconds)
        return proof

    monkeypatch.setattr(module, "shortened", shortened)
    warm = Warm(request)
    warm.keep(Slow(spent))
    assert [answer.outcome.proved for answer in answers(request, GOAL, warm=warm)] == [True]
    return given


def test_a_proof_is_polished_in_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request("complete", seconds=600.0, polish=5.0)
    assert shortening(monkeypatch, request, 0.0) == [5.0]
    assert shortening(monkeypatch, replace(request, expansions=9), 0.0) == []
    assert shortening(monkeypatch, replace(request, seconds=0.2), 0.3) == []
    assert shortening(monkeypatch, replace(request, seconds=0.2, shorten=3.0), 0.3) == [3.0]
    assert shortening(monkeypatch, replace(request, shorten=7.0), 0.0) == [7.0]


def test_several_goals_share_the_time() -> None:
    """A model of all is looked for before and after them."""
    request = Request("complete", seconds=60.0)
    warm, slow = Warm(request), Slow(0.0)
    warm.keep(slow)
    assert any_of(request, GOAL, FALSE, warm=warm).outcome.proved
    assert slow.given == [30.0]
