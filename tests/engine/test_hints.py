"""Hints: which critical pairs match them, what that changes, and what it leaves as it was."""

from __future__ import annotations

import pytest

from proof_samples import GROUPS, theory_of
from threesil import _native
from threesil.engine import Budget, Completion, CompletionRun, Hints, Status
from threesil.engine.completion_task import CompletionTask, OrderChoice
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.notations.infix import parse_equation


def equation(text: str, theory: Theory = GROUPS) -> Equation:
    return Equation("hint", *parse_equation(text, theory.signature))


def problem(text: str, theory: Theory = GROUPS) -> Problem:
    return Problem(text, *parse_equation(text, theory.signature))


def matched(*hints: str) -> int:
    """How many of the hints a completion of groups matches until it ends."""
    made = Hints(equation(text) for text in hints)
    run = Completion(GROUPS, hints=made).begin(problem("x * y = y * x"))
    assert run.run(Budget(200)).status is not Status.PROVED
    return run.statistics.hints


def needed(run: CompletionRun) -> int:
    assert run.run(Budget(5000)).status is Status.PROVED
    return run.statistics.considered


@pytest.mark.parametrize(
    "hint", ["i(i(x)) = x", "z = i(i(z))", "x = y * (i(y) * x)", "i(b) * (b * a) = a"]
)
def test_a_pair_matches_under_other_names_and_turned(hint: str) -> None:
    assert matched(hint) == 1


@pytest.mark.parametrize("hint", ["i(x) = x", "x * (i(y) * x) = y", "i(i(e)) = i(x * x)"])
def test_what_no_pair_says_matches_none(hint: str) -> None:
    assert matched(hint) == 0


def test_a_hint_that_is_given_twice_counts_once() -> None:
    assert matched("i(i(x)) = x", "y = i(i(y))", "i(e) = e") == 2


def test_hints_are_taken_early() -> None:
    # A large pair, which comes late by its size, is all that the goal needs.
    goal = problem("i((x * y) * z) = i(z) * (i(y) * i(x))")
    plain = Completion(GROUPS, order=OrderChoice(flatten=False)).begin(goal)
    assert needed(plain) > 0
    hints = ["i(x) * (x * y) = y", "x * e = x", "i(i(x)) = x", "x * (i(x) * y) = y"]
    hints += ["x * i(x) = e", "x * (y * i(x * y)) = e", "i(x * y) = i(y) * i(x)"]
    hints += ["x * i(y * x) = i(y)"]
    made = Hints(equation(text) for text in hints)
    hinted = Completion(GROUPS, order=OrderChoice(flatten=False), hints=made).begin(goal)
    assert needed(hinted) < plain.statistics.considered
    assert hinted.statistics.hints > 3


def test_hints_that_match_nothing_change_nothing() -> None:
    goal = problem("i(x * y) = i(y) * i(x)")
    made = Hints(equation(f"{'i(' * k}x{')' * k} = e * i(e)") for k in range(3, 60))
    with_hints, without = (Completion(GROUPS, hints=h).begin(goal) for h in (made, None))
    assert needed(with_hints) == needed(without)
    assert with_hints.statistics == without.statistics


def test_hints_with_other_symbols_are_left_out() -> None:
    other = theory_of("other", {"f": 1, "i": 2})
    task = CompletionTask(GROUPS, problem("x * y = y * x"), OrderChoice())
    hints = [equation("f(x) = x", other), equation("i(x,y) = x", other), equation("i(e) = e")]
    assert len(list(task.hints(hints))) == 1


def test_variables_called_as_the_goals_are_its_own_too() -> None:
    task = CompletionTask(GROUPS, problem("x * y = y * x"), OrderChoice())
    product, turned = (
        task.parts[side] for side in parse_equation("x * y = y * x", GROUPS.signature)
    )
    general, own = task.hints([equation("i(x * y) = z * (y * x)")])
    i, times = task.number["i"], task.number["*"]
    assert own == ([i, product], [times, own[1][1], turned]) and own[1][1] < 0
    assert max(general[0]) == max(i, times)


def test_the_core_refuses_what_is_no_term() -> None:
    for codes in ([0], [0, -1, -1, -1], [7], []):
        with pytest.raises(ValueError):
            _native.Hints([2, 0], [(codes, [-1])])
    assert len(_native.Hints([2, 0], [([0, -1, 1], [1]), ([1], [0, -5, 1])])) == 1
