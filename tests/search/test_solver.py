"""The protocol: several goals of which one is enough, many problems, failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from samples import AIM, equation, written
from threesil.engine import Budget, Stop
from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.problems.files import parse_problem
from threesil.search.best import Unguided
from threesil.search.refute import Refute
from threesil.search.solver import Facts, Solver, solve_each
from threesil.search.solvers import make_solver
from threesil.theories import get_theory

BUDGET = Budget(None, 12.0)
GROUPS = get_theory("groups")
ONE, TWO, THREE = (replace(equation("x * e = x"), name=name) for name in ("one", "two", "three"))


class Says(Solver):
    """Says the status that a problem's name has; notes what it was given."""

    name = "says"

    def __init__(self, statuses: Mapping[str, SZS], theory: Theory = AIM) -> None:
        self.theory, self.statuses = theory, statuses
        self.given: list[tuple[str, float, float]] = []

    def solve(self, problem: Problem, budget: Budget) -> Outcome:
        self.given.append((problem.name, budget.seconds, budget.whole))
        return Outcome(problem, self.statuses[problem.name], by=self.name)

    def facts(self, seconds: float) -> Facts:
        return Facts()


# Several goals


def test_goals_share_the_budget() -> None:
    solver = Says({"one": SZS.TIMEOUT, "two": SZS.TIMEOUT, "three": SZS.GAVE_UP})
    outcome = solver.solve_any([ONE, TWO, THREE], BUDGET)
    assert (outcome.problem.name, outcome.status) == ("three", SZS.GAVE_UP)
    assert solver.given == [("one", 4.0, 4.0), ("two", 4.0, 4.0), ("three", 4.0, 4.0)]


def test_a_claim_counts_if_nothing_is_proved() -> None:
    """Also where goals are refuted after it."""
    for last in (SZS.TIMEOUT, SZS.COUNTER_SATISFIABLE, SZS.THEOREM):
        solver = Says({"one": SZS.GAVE_UP, "two": SZS.THEOREM, "three": last})
        outcome = solver.solve_any([ONE, TWO, THREE], BUDGET)
        assert outcome.claimed and outcome.problem.name == "two"


@pytest.mark.parametrize("name", ["plain", "saturate", "complete", "unguided", "best"])
def test_a_goal_that_is_proved_is_enough(name: str) -> None:
    goals = parse_problem("x * y = y * x", GROUPS), parse_problem("e * (e * x) = x", GROUPS)
    outcome = make_solver(name, GROUPS).solve_any(goals, Budget(2000, 60.0))
    assert outcome.proved and outcome.problem == goals[1]


@pytest.mark.parametrize("name", ["unguided", "best", "refute"])
def test_goals_are_refuted_together(name: str) -> None:
    """One model in which all fail, one part for each goal."""
    goals = parse_problem("x * y = y * x", GROUPS), parse_problem("x * x = e", GROUPS)
    outcome = make_solver(name, GROUPS).solve_any(goals, BUDGET)
    assert outcome.status is SZS.COUNTER_SATISFIABLE and outcome.refuted
    assert [model.problem for model in outcome.models] == list(goals)
    assert all(model.tables == outcome.models[0].tables for model in outcome.models)
    assert [part.problem for part in outcome.parts] == list(goals)


def test_a_goal_that_is_refuted_alone_decides_nothing() -> None:
    """The outcome is no refutation, whatever is shown about the last goal."""
    solver = make_solver("complete", GROUPS)  # it refutes by normal forms
    alone, other = parse_problem("x * y = y * x", GROUPS), parse_problem("x * y = x", GROUPS)
    assert solver.solve(alone, BUDGET).refuted and solver.solve(other, BUDGET).refuted
    outcome = solver.solve_any([alone, other], BUDGET)
    assert outcome.status is SZS.GAVE_UP and not outcome.certified
    assert "does not show whether all can fail together" in outcome.reason


def test_what_no_model_refutes_together_stays_open(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    theory = written(
        tmp_path_factory.mktemp("theory"), "Constants a, b.", "Axiom one: d(x,x,y) = y."
    )
    goals = parse_problem("d(a,b,x) = x", theory), parse_problem("a = b", theory)
    assert make_solver("unguided", theory).solve_any(goals, BUDGET).refuted
    without = Unguided(theory, refute=False)
    outcome = without.solve_any(goals, Budget(2000, 20.0))
    assert outcome.status is not SZS.COUNTER_SATISFIABLE and not outcome.certified


def test_a_search_for_one_model_of_all_says_why_it_ends() -> None:
    goals = parse_problem("x * y = y * x", GROUPS), parse_problem("x * x = e", GROUPS)
    outcome = Refute(GROUPS, size=4).solve_any(goals, BUDGET)
    assert not outcome.status.decides and "at most 4 elements" in outcome.reason


# Many problems


def solved(make: Callable[[], Solver]) -> list[tuple[str, SZS]]:
    found = list(solve_each(make, [ONE, TWO, THREE], BUDGET, "says"))
    assert {outcome.by for outcome in found} == {"says"}
    return [(outcome.problem.name, outcome.status) for outcome in found]


def test_a_failure_is_an_outcome_and_another_solver_goes_on() -> None:
    made: list[Says] = []

    def make() -> Solver:
        made.append(Says({"one": SZS.TIMEOUT, "three": SZS.GAVE_UP}))  # it knows nothing of two
        return made[-1]

    assert solved(make) == [
        ("one", SZS.TIMEOUT),
        ("two", SZS.ERROR),
        ("three", SZS.GAVE_UP),
    ]
    assert [[name for name, *_ in one.given] for one in made] == [
        ["one", "two"],
        ["two"],
        ["three"],
    ]


@pytest.mark.parametrize("error", [InputError("wrong"), KeyboardInterrupt()])
def test_what_is_wrong_with_the_input_comes_through(error: BaseException) -> None:
    class Fails(Says):
        def solve(self, problem: Problem, budget: Budget) -> Outcome:
            raise error

    with pytest.raises(type(error)):
        solved(lambda: Fails({}))


def test_a_stop_ends_each_search() -> None:
    stop = Stop()
    stop.set()
    for name in ("best", "unguided", "complete", "saturate", "plain", "refute"):
        outcome = make_solver(name, GROUPS).solve(
            parse_problem("x * (y * x) = y * (x * x)", GROUPS), replace(BUDGET, stop=stop)
        )
        assert outcome.status in (SZS.USER, SZS.COUNTER_SATISFIABLE), name
