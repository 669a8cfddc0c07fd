"""Completion at its limits: odd theories, little memory, a stop flag, checks of its own."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from proof_samples import GROUPS, theory_of
from threesil.engine import Budget, Completion, Found, OrderChoice, Status, Stop
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of
from threesil.notations.infix import parse_equation
from threesil.theories.aim import AIM
from waiting import HANG, wait_for_threads


def stated(theory: Theory, text: str, exists: tuple[str, ...] = ()) -> Problem:
    return Problem(text, *parse_equation(text, theory.signature), exists=exists)


def made(symbols: dict[str, int], *sides: tuple[Term, Term]) -> Theory:
    signature = Signature(symbols, {})
    equations = [Equation(f"e{k}", lhs, rhs) for k, (lhs, rhs) in enumerate(sides)]
    actions = (*moves_of(signature), *rewrites_of(equations, Goal.EQUATION))
    return Theory("made", "made", signature, tuple(equations), actions, Goal.EQUATION)


def prove(theory: Theory, problem: Problem, expansions: int = 300) -> Found:
    found = Completion(theory).prove(problem, Budget(expansions, 5.0))
    if found.status is Status.PROVED:
        assert found.derivation is not None
        lemmas: list[Proof] = []
        for lemma, derivation in found.lemmas:
            lemmas.append(certify(theory, lemma, derivation, lemmas))
        certify(theory, problem, found.derivation, lemmas)
    return found


X, Y = var("x"), var("y")


def test_all_is_one() -> None:
    theory = theory_of("one", {"*": 2}, one="x = y")
    for text in ("x * y = z", "x = y", "x * (y * z) = (x * y) * z"):
        assert prove(theory, stated(theory, text)).status is Status.PROVED
    assert prove(theory, stated(theory, "x * a = b", exists=("x",))).status is Status.PROVED


def test_no_constant() -> None:
    theory = theory_of("bands", {"*": 2}, idempotent="x * x = x", a="(x * y) * z = x * (y * z)")
    assert prove(theory, stated(theory, "x * ((y * y) * x) = x * (y * x)")).status is Status.PROVED
    assert prove(theory, stated(theory, "x * y = y * x"), 20).status is not Status.PROVED


def test_no_equation_helps() -> None:
    theory = theory_of("idle", {"*": 2, "f": 1, "e": 0}, idle="f(e) = e")
    run = Completion(theory).begin(stated(theory, "x * y = y * x"))
    assert run.run(Budget()).status is Status.EXHAUSTED
    assert not run.statistics.dropped


def test_a_thousand_symbols() -> None:
    symbols = {f"f{k}": k % 3 for k in range(1000)}
    sides = [
        (app(f"f{k}", *[X] * (k % 3)), app(f"f{k + 3}", *[X] * (k % 3))) for k in range(1, 900, 3)
    ]
    theory = made(symbols, *sides)
    problem = Problem("far", app("f1", X), app("f901", X))
    assert prove(theory, problem, 5000).status is Status.PROVED


def test_thirty_arguments() -> None:
    names = [var(f"x{k}") for k in range(30)]
    turned = app("f", *names[1:], names[0])
    theory = made({"f": 30, "c": 0}, (app("f", *names), turned))
    problem = Problem("turned", app("f", *names), turned)
    assert prove(theory, problem, 50).status is Status.PROVED


def test_five_hundred_nodes() -> None:
    deep = X
    for _ in range(250):
        deep = app("*", deep, app("e"))
    theory = made({"*": 2, "e": 0}, (deep, app("e")))
    run = Completion(theory).begin(Problem("same", deep, app("e")))
    assert run.run(Budget(100, 5.0)).status is Status.PROVED
    prove(theory, Problem("other", app("*", X, Y), X), 20)


def test_a_full_queue_loses_the_worse_half() -> None:
    idempotent = theory_of("b", {"*": 2, "e": 0}, a="(x * y) * z = x * (y * z)", b="x * x = x")
    run = Completion(idempotent).begin(stated(idempotent, "x * y = y * x"), pairs=50)
    assert run.run(Budget(60, None)).status is Status.EXPANSIONS
    assert run.statistics.dropped and run.statistics.queue <= 50
    # Where no pair is left it was for want of memory.
    run = Completion(GROUPS).begin(stated(GROUPS, "x * y = y * x"), pairs=1)
    assert run.run(Budget(None, None)).status is Status.MEMORY


def test_a_stop_flag_ends_it_soon() -> None:
    theory = theory_of("b", {"*": 2, "e": 0}, a="(x * y) * z = x * (y * z)", b="x * x = x")
    stop = Stop()
    run = Completion(theory).begin(stated(theory, "x * y = y * x"))
    ended: list[Status] = []

    def work() -> None:
        ended.append(run.run(Budget(None, None, stop=stop)).status)

    thread = threading.Thread(target=work)
    thread.start()
    wait_for_threads()
    stop.set()
    thread.join(HANG)
    assert ended == [Status.STOPPED]


def doubling(count: int) -> Theory:
    """f1(x) = f0(f0(x)), f2(x) = f1(f1(x)), ...: the last is 2^(count - 1) times the first."""
    names = [f"f{k}" for k in range(count)]
    sides = [(app(b, X), app(a, app(a, X))) for a, b in pairwise(names)]
    return made(dict.fromkeys(names, 1), *sides)


@pytest.mark.parametrize("count", [5, 30])
def test_what_is_left_out_is_told(count: int) -> None:
    theory = doubling(count)
    found = Completion(theory).prove(stated(theory, f"f0(x) = f{count - 1}(y)"), Budget(None, 20))
    assert found.status is Status.EXHAUSTED
    assert ("thousands of symbols" in found.reason) == (count == 30)


def test_a_stop_flag_ends_the_self_check_soon() -> None:
    theory = doubling(12)
    stop = Stop()
    run = Completion(theory, self_check=True).begin(stated(theory, "f0(x) = f11(y)"))
    stop.set()
    assert run.run(Budget(None, None, stop=stop)).status is Status.STOPPED
    begun = run.statistics.rewrites
    stop.clear()
    assert run.run(Budget(None, None, stop=stop)).status is Status.EXHAUSTED
    assert begun < run.statistics.rewrites / 2


def test_large_pairs_come_when_nothing_else_is_left() -> None:
    """The only critical pair of two equations has 600 nodes on each side."""
    left, right = X, Y
    for _ in range(600):
        left, right = app("f", left), app("g", right)
    theory = made({"f": 1, "g": 1, "h": 2}, (app("h", left, Y), left), (app("h", X, right), right))
    found = Completion(theory, order=OrderChoice(flatten=False)).prove(
        Problem("large", left, right), Budget(300, 20)
    )
    assert found.status is Status.PROVED and found.expansions == 1


@pytest.mark.parametrize("flatten", [True, False])
def test_every_equation_that_it_makes_is_certified(flatten: bool) -> None:
    bands = theory_of("bands", {"*": 2}, idempotent="x * x = x", a="(x * y) * z = x * (y * z)")
    silly = theory_of("silly", {"f": 2, "g": 1}, s="f(x, y) = g(f(z, g(x)))")
    order = OrderChoice(flatten=flatten)
    for theory, text in (
        (GROUPS, "x * y = y * x"),
        (bands, "x * (y * x) = y * x"),
        (silly, "f(x, g(y)) = g(y)"),
    ):
        run = Completion(theory, order=order, self_check=True).begin(stated(theory, text))
        for _ in range(5):
            run.run(Budget(20))


def test_an_axiom_of_many_lemmas_certifies() -> None:
    problem = Problem("unit", *parse_equation("x * e = x", AIM.signature))
    assert prove(AIM, problem).status is Status.PROVED


@pytest.mark.parametrize("frequent_last", [True, False])
def test_what_is_open_in_a_proof_is_filled_with_the_theorys_own(frequent_last: bool) -> None:
    order = OrderChoice(frequent_last=frequent_last)
    equations = {"left": "(x * y) * z = x * x", "flip": "x * y = y * z"}
    theory = theory_of("left", {"*": 2, "k": 0}, **equations)
    for text in ("x * (x * x) = x * x", "(x * y) * y = y * x"):
        problem = stated(theory, text, exists=("x", "y") if "y" in text else ("x",))
        found = Completion(theory, order=order).prove(problem, Budget(300, 5.0))
        assert found.status is Status.PROVED and found.derivation is not None
        lemmas: list[Proof] = []
        for lemma, derivation in found.lemmas:
            lemmas.append(certify(theory, lemma, derivation, lemmas))
        certify(theory, problem, found.derivation, lemmas)
    bare = theory_of("bare", {"*": 2}, **equations)
    problem = stated(bare, "x * (x * x) = x * x", exists=("x",))
    found = Completion(bare, order=order).prove(problem, Budget(300, 5.0))
    assert found.status is Status.LENGTH and "no constant" in found.reason


def test_a_proof_is_read_out_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    theory = theory_of(
        "twins", {"g": 1, "h": 1, "k": 1, "a": 0}, one="g(x) = h(x)", two="g(x) = k(x)"
    )
    left = right = app("a")
    for _ in range(300):
        left, right = app("h", left), app("k", right)
    run = Completion(theory).begin(Problem("deep", left, right))
    assert run.run(Budget(None, 10.0)).status is Status.PROVED
    monkeypatch.setattr("threesil.engine.completion._READING", 0.0)
    assert run.run(Budget(None, 0.001)).status is Status.LENGTH
    assert run.run(Budget(None, 10.0)).status is Status.PROVED
