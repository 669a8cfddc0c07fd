"""Convergent systems: rules are believed when all their overlaps have been joined, not before."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from functools import cache
from itertools import permutations
from random import Random

import pytest

from proof_samples import BANDS, GROUPS, theory_of
from threesil.engine import Budget, Completion
from threesil.kernel.confluence import Convergent, NotConvergent, Order, check
from threesil.kernel.terms import Term, app, match, var
from threesil.kernel.theory import Problem, Theory
from threesil.notations.document import Document
from threesil.notations.infix import parse_equation, parse_term
from threesil.notations.reading import parse
from threesil.search.deciding import convergent, relevant
from threesil.theories import get_theory

COMMUTES = Problem("commutes", *parse_equation("x * y = y * x", GROUPS.signature))


@cache
def groups() -> Convergent:
    run = Completion(GROUPS).begin(COMMUTES)
    run.run(Budget(None, None))
    saturated = run.saturated()
    assert saturated is not None
    return convergent(GROUPS, COMMUTES, saturated, Budget())


def parsed(text: str, theory: Theory = GROUPS) -> Term:
    return parse_term(text, theory.signature)


def test_groups_are_decided() -> None:
    found = groups()
    assert len(found.rules) == 10 and found.problem is COMMUTES
    assert repr(found) == "<10 rules of groups: normal forms refute 'commutes'>"
    assert found.normal_form(parsed("i(x * i(y)) * (x * e)")) == parsed("y")
    assert found.normal_form(parsed("i(a * b)")) == parsed("i(b) * i(a)")
    alone = check(GROUPS, None, found.order, found.rules)
    assert repr(alone) == "<10 rules of groups: decides>"


def test_only_check_makes_one() -> None:
    found = groups()
    with pytest.raises(NotConvergent, match="by check"):
        Convergent(GROUPS, None, found.order, ())
    with pytest.raises(NotConvergent, match="by check"):
        dataclasses.replace(found, problem=None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.rules = ()  # type: ignore[misc]
    for copied in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert len(copied.rules) == 10


def test_what_follows_is_never_refuted() -> None:
    found = groups()
    for rule in found.rules:
        with pytest.raises(NotConvergent, match="the same normal form"):
            check(GROUPS, rule.problem, found.order, found.rules)


def test_no_rule_can_be_left_out() -> None:
    found = groups()
    for rule in found.rules:
        rest = [other for other in found.rules if other is not rule]
        with pytest.raises(NotConvergent, match=r"different normal forms|does not join"):
            check(GROUPS, COMMUTES, found.order, rest)


def test_rules_may_come_in_any_order() -> None:
    found = groups()
    for seed in range(5):
        rules = list(found.rules)
        Random(seed).shuffle(rules)
        check(GROUPS, COMMUTES, found.order, rules)


def test_orders_that_are_none() -> None:
    rules = groups().rules
    right = {"*": 1, "i": 0, "e": 1}
    bad = [
        (right, 1, ("e", "i", "*"), "last in the precedence"),
        ({**right, "e": 0}, 1, ("e", "*", "i"), "less than a variable"),
        ({**right, "e": 1}, 2, ("e", "*", "i"), "less than a variable"),
        (right, 0, ("e", "*", "i"), "variables weigh"),
        ({**right, "*": -1}, 1, ("e", "*", "i"), "0 or more"),
        ({**right, "*": 1.5}, 1, ("e", "*", "i"), "0 or more"),
        ({"*": 1, "i": 0}, 1, ("e", "*", "i"), "for each of"),
        (right, 1, ("e", "*", "i", "i"), "for each of"),
        (right, 1, ("e", "i"), "for each of"),
    ]
    for weights, variable, precedence, message in bad:
        with pytest.raises(NotConvergent, match=message):
            check(GROUPS, None, Order(weights, variable, precedence), rules)  # type: ignore[arg-type]


def test_orders_that_turn_a_rule_round() -> None:
    """i(x * y) -> i(y) * i(x) needs a light i that comes last."""
    for precedence in permutations(("e", "*", "i")):
        order = Order({"*": 1, "i": 1, "e": 1}, 1, precedence)
        with pytest.raises(NotConvergent, match="not the greater one"):
            check(GROUPS, None, order, groups().rules)


def test_rules_of_another_theory() -> None:
    found = groups()
    with pytest.raises(NotConvergent, match="another theory"):
        check(GROUPS.without(["assoc"], "less"), None, found.order, found.rules)
    with pytest.raises(NotConvergent, match="expected a Theory"):
        check("groups", None, found.order, found.rules)  # type: ignore[arg-type]
    with pytest.raises(NotConvergent, match="a rule is a Proof"):
        check(GROUPS, None, found.order, ["i(e) = e"])  # type: ignore[list-item]


def test_problems_that_normal_forms_do_not_refute() -> None:
    found = groups()
    exists = Problem("root", parsed("y * y"), parsed("x"), exists=("y",))
    for problem in (exists, Problem("term", parsed("x"))):
        with pytest.raises(NotConvergent, match="hold for all values"):
            check(GROUPS, problem, found.order, found.rules)
    with pytest.raises(NotConvergent, match="not a symbol"):
        check(GROUPS, Problem("q", app("q"), var("x")), found.order, found.rules)


def test_no_rules_decide_no_equations() -> None:
    free = theory_of("free", {"*": 2, "c": 0})
    found = check(free, Problem("all", var("x"), var("y")), Order({"*": 0, "c": 1}, 1, "c*"), ())  # type: ignore[arg-type]
    assert found.normal_form(parsed("x * c", free)) == parsed("x * c", free)


def test_the_effort_is_bounded() -> None:
    found = groups()
    with pytest.raises(NotConvergent, match="too many"):
        check(GROUPS, None, found.order, found.rules, effort=100)


def test_equations_that_no_order_orients() -> None:
    theory = theory_of("commutative", {"*": 2}, comm="x * y = y * x")
    goal = Problem("idempotent", *parse_equation("x * x = x", theory.signature))
    run = Completion(theory).begin(goal)
    run.run(Budget())
    saturated = run.saturated()
    assert saturated is not None and saturated.unoriented == 1
    with pytest.raises(NotConvergent, match="1 of 1 equations can't be oriented"):
        convergent(theory, goal, saturated, Budget())


def test_definitions_are_unfolded() -> None:
    theory = get_theory("groups")
    base = relevant(theory)
    assert len(base.equations) < len(theory.equations)
    run = Completion(base).begin(COMMUTES)
    run.run(Budget(None, None))
    saturated = run.saturated()
    assert saturated is not None
    goal = Problem("symmetric", *parse_equation("c(x,y) = c(y,x)", theory.signature))
    found = convergent(theory, goal, saturated, Budget())
    assert "c" not in found.order.weights
    assert found.normal_form(parsed("c(x,e)", theory)) == parsed("e", theory)
    inverse = Problem("inverse", *parse_equation("c(x,y) * c(y,x) = e", theory.signature))
    with pytest.raises(NotConvergent, match="the same normal form"):
        check(theory, inverse, found.order, found.rules)


def test_definitions_that_go_round_are_equations() -> None:
    text = "Theory t: T.\nConstants e.\nDefinition f(x) := g(x).\nDefinition g(x) := f(x).\n"
    document: Document = parse(text, "article", "t.thy")
    order = Order({"e": 1, "f": 1, "g": 1}, 1, ("e", "f", "g"))
    with pytest.raises(NotConvergent, match="different normal forms"):
        check(document.theory, None, order, ())


def random_term(random: Random, depth: int) -> Term:
    if depth == 0 or random.random() < 0.2:
        return random.choice([var("x"), var("y"), app("e")])
    if random.random() < 0.3:
        return app("i", random_term(random, depth - 1))
    return app("*", random_term(random, depth - 1), random_term(random, depth - 1))


@pytest.mark.parametrize("light", [0, 1])
def test_the_order_is_a_reduction_order(light: int) -> None:
    order = Order({"*": 1, "i": light, "e": 1}, 1, ("e", "*", "i"))
    random = Random(light)
    terms = [random_term(random, 3) for _ in range(40)]
    values = {"x": random_term(random, 2), "y": random_term(random, 2)}
    greater = {(s, t) for s in terms for t in terms if order.greater(s, t)}
    assert len(greater) > 200
    for s, t in greater:
        assert (t, s) not in greater and s != t
        assert order.greater(s.substitute(values), t.substitute(values))
        assert order.greater(app("i", s), app("i", t))
        assert order.greater(app("*", app("e"), s), app("*", app("e"), t))
    for s in terms:
        assert all(order.greater(s, part) for part in s.args)
        assert all(
            (s, u) in greater for (a, t) in greater if a == s for u in terms if (t, u) in greater
        )


def test_ground_terms_are_all_compared() -> None:
    order = groups().order
    random, ground = Random(3), {"x": app("e"), "y": app("i", app("e"))}
    terms = [random_term(random, 3).substitute(ground) for _ in range(60)]
    for s in terms:
        assert all((s == t) + order.greater(s, t) + order.greater(t, s) == 1 for t in terms)


def test_normal_forms_are_those_of_any_strategy() -> None:
    """Rewriting anywhere, at random, comes to the same term."""
    found, random = groups(), Random(5)
    sides = [(rule.problem.start, rule.problem.target) for rule in found.rules]
    for _ in range(50):
        term = random_term(random, 4)
        expected = found.normal_form(term)
        for _ in range(1000):
            options = [
                (position, right.substitute(values))
                for position, part in term.positions()
                for left, right in sides
                if right is not None and (values := match(left, part)) is not None
            ]
            if not options:
                break
            term = term.replace(*random.choice(options))
        assert term == expected


def test_bands_without_a_constant_do_not_crash() -> None:
    run = Completion(BANDS).begin(Problem("all", var("x"), var("y")))
    run.run(Budget(200))
    assert run.order == Order({"*": 1}, 1, ("*",))
