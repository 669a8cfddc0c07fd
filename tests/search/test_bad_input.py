"""Theories at the edge: an outcome with a reason, never a crash."""

from __future__ import annotations

from itertools import pairwise

import pytest

from threesil.engine import Budget, Completion, OrderChoice
from threesil.engine.control import SELF_CHECK
from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of
from threesil.notations.document import theory_of
from threesil.notations.infix import parse_equation
from threesil.search.completing import complete
from threesil.search.solvers import make_solver

NAMES = ("unguided", "complete", "saturate", "plain")
x, y, z = var("x"), var("y"), var("z")


def theory(symbols: dict[str, int], *equations: str | tuple[Term, Term]) -> Theory:
    infix = {"*": 1} if "*" in symbols else {}
    empty = theory_of("edge", "edge", symbols, infix, [])
    sides = [parse_equation(e, empty.signature) if isinstance(e, str) else e for e in equations]
    named = [Equation(f"e{k}", *pair) for k, pair in enumerate(sides)]
    return theory_of("edge", "edge", symbols, infix, named)


def prove(solver: str, where: Theory, goal: str | tuple[Term, Term], **limits: float) -> Outcome:
    sides = parse_equation(goal, where.signature) if isinstance(goal, str) else goal
    budget = Budget(**{"expansions": None, "seconds": 0.3, **limits})  # type: ignore[arg-type]
    outcome = make_solver(solver, where).solve(Problem("goal", *sides), budget)
    told = outcome.proved or outcome.refuted or outcome.status is SZS.TIMEOUT or outcome.reason
    assert told and outcome.status is not SZS.ERROR
    return outcome


@pytest.mark.parametrize("solver", NAMES)
def test_no_equations(solver: str) -> None:
    empty = theory({"*": 2, "a": 0, "b": 0})
    assert prove(solver, empty, "a * b = a * b").proved
    assert not prove(solver, empty, "a * b = b * a").proved
    assert not prove(solver, empty, (x, y)).proved


def test_no_equations_refute_what_is_not_identical() -> None:
    empty = theory({"*": 2, "a": 0})
    assert prove("complete", empty, "a * x = x * a").refuted
    assert complete(empty, 1.0).system is not None


@pytest.mark.parametrize("solver", ["unguided", "complete", "saturate"])
@pytest.mark.parametrize("equation", [(x, y), (app("f", x), y), (app("f", x), app("g", y))])
def test_all_elements_are_equal(solver: str, equation: tuple[Term, Term]) -> None:
    where = theory({"f": 1, "g": 1, "a": 0, "b": 0}, equation)
    assert prove(solver, where, "f(a) = f(b)").proved


def test_equations_whose_sides_share_no_variable() -> None:
    """A rule overlaps itself at the root: f(x) = g(y) makes g(y) = g(z)."""
    where = theory({"f": 1, "g": 1}, (app("f", x), app("g", y)))
    assert prove("complete", where, "g(x) = g(y)").proved
    assert prove("complete", where, "f(g(x)) = g(f(y))").proved
    assert not prove("complete", where, "f(x) = x").proved


@pytest.mark.parametrize("solver", NAMES)
def test_a_thousand_symbols(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that double the size of a term again and again, and the self-check of all of them."""
    monkeypatch.setenv(SELF_CHECK, "1")
    names = [f"f{k}" for k in range(1000)]
    pairs = [(app(a, app(a, x)), app(b, x)) for a, b in pairwise(names)]
    where = theory(dict.fromkeys(names, 1), *pairs)
    assert prove(solver, where, "f0(f0(x)) = f1(x)", seconds=20.0).proved
    assert not prove(solver, where, "f0(x) = f999(x)").proved


@pytest.mark.parametrize("solver", NAMES)
def test_thirty_arguments(solver: str) -> None:
    many = [var(f"x{k}") for k in range(30)]
    turned = (app("f", *many), app("f", *reversed(many)))
    where = theory({"f": 30}, turned, (app("f", *[x] * 30), x))
    assert prove(solver, where, turned).proved
    assert not prove(solver, where, (app("f", *many), many[0])).proved


@pytest.mark.parametrize("solver", NAMES)
def test_more_arguments_than_the_core_takes(solver: str) -> None:
    signature = Signature({"f": 300})
    rule = Equation("rule", app("f", *[x] * 300), x)
    actions = (*moves_of(signature), *rewrites_of([rule], Goal.EQUATION))
    where = Theory("wide", "", signature, (rule,), actions, Goal.EQUATION)
    with pytest.raises(InputError, match="at most 255"):
        prove(solver, where, (x, x))


@pytest.mark.parametrize("solver", NAMES)
def test_an_equation_of_five_hundred_nodes(solver: str) -> None:
    left, right = x, y
    for _ in range(124):
        left, right = app("*", y, left), app("*", right, x)
    where = theory({"*": 2}, (left, right))
    assert left.size + right.size == 498
    assert prove(solver, where, (left, right), seconds=20.0).proved
    prove(solver, where, "x * y = y * x")


@pytest.mark.parametrize("solver", NAMES)
def test_equations_that_no_order_orients(solver: str) -> None:
    where = theory({"*": 2, "f": 3}, "x * y = y * x", "f(x,y,z) = f(y,z,x)")
    assert prove(solver, where, "x * (y * z) = (z * y) * x").proved
    assert not prove(solver, where, "x * y = x").proved
    assert "can't be oriented" in complete(where, 1.0).reason


@pytest.mark.parametrize("solver", NAMES)
def test_memory_is_bounded(solver: str) -> None:
    where = theory({"*": 2}, "(x * y) * z = x * (y * z)", "x * (y * x) = y * (y * x)")
    found = prove(solver, where, "x * x = y * y", seconds=20.0, terms=200)
    assert found.refuted or (found.status in (SZS.RESOURCE_OUT, SZS.GAVE_UP) and found.reason)


@pytest.mark.parametrize(
    "choice", [OrderChoice(a, b) for a in (True, False) for b in (True, False)]
)
def test_memory_of_a_completion_is_bounded(choice: OrderChoice) -> None:
    where = theory({"*": 2, "f": 1}, "(x * y) * f(z) = x * (y * z)", "x * (y * x) = y * (f(y) * x)")
    goal = Problem("goal", x, y)
    run = Completion(where, order=choice).begin(goal, pairs=50)
    for _ in range(2):  # it goes on with the better half of the pairs, as long as there are any
        assert run.run(Budget(None, 0.3)).status.name in ("MEMORY", "SECONDS")
        assert run.statistics.dropped


def test_no_time_and_no_expansions() -> None:
    where = theory({"*": 2}, "x * y = y * x")
    for solver in NAMES:
        assert prove(solver, where, "x * y = x", seconds=0.0).status is SZS.TIMEOUT
        prove(solver, where, "x * y = x", expansions=0)
