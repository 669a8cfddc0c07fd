"""Completion with the path order: what it turns into rules, and that its proofs certify."""

from __future__ import annotations

import pytest

from proof_samples import BANDS, GROUPS, theory_of
from threesil.engine import Budget, Completion, OrderChoice, Status
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import Term
from threesil.kernel.theory import Problem, Theory
from threesil.notations.infix import parse_equation

PATH = OrderChoice(by_path=True)
DISTRIBUTIVE = theory_of(
    "distributive",
    {"*": 2, "+": 2, "-": 1, "0": 0},
    left="x * (y + z) = (x * y) + (x * z)",
    minus="-(x + y) = (-x) + (-y)",
    zero="x + 0 = x",
    more="(x + y) + z = x + (y + z)",
)
SILLY = theory_of("silly", {"f": 2, "g": 1}, s="g(f(x, y)) = f(g(y), f(x, x))", t="f(g(x), x) = x")


def sides(theory: Theory, text: str) -> tuple[Term, Term]:
    return parse_equation(text, theory.signature)


def test_it_distributes_where_weights_do_the_reverse() -> None:
    left = []
    for order in (PATH, OrderChoice()):
        run = Completion(DISTRIBUTIVE, order=order).begin(Problem("x", *sides(GROUPS, "x = y")))
        run.run(Budget(0, None))
        rules = {rule.equation.start for rule in run.rules() if rule.oriented}
        left.append(len([t for t in rules if t.head == "*" and t.args[1].head == "+"]))
    assert left == [1, 0]


def test_groups_are_complete_with_it_too() -> None:
    run = Completion(GROUPS, order=PATH).begin(Problem("x", *sides(GROUPS, "x * y = y * x")))
    assert run.run(Budget(None, 10.0)).status is Status.EXHAUSTED
    rules = run.rules()
    assert len(rules) == 10 and all(rule.oriented for rule in rules)
    assert run.saturated() is None  # the check of a decision knows weights only


@pytest.mark.parametrize(
    ("theory", "goal"),
    [
        (GROUPS, "i(x * (y * i(z))) = z * (i(y) * i(x))"),
        (BANDS, "(x * y) * (x * y) = x * (y * (x * y))"),
        (DISTRIBUTIVE, "x * (-(y + (z + 0))) = (x * (-y)) + (x * (-z))"),
        (SILLY, "f(g(x), f(g(x), x)) = f(g(x), x)"),
    ],
)
@pytest.mark.parametrize("flatten", [True, False])
def test_proofs_certify(theory: Theory, goal: str, flatten: bool) -> None:
    problem = Problem(goal, *sides(theory, goal))
    order = OrderChoice(by_path=True, flatten=flatten)
    found = Completion(theory, order=order, self_check=True).prove(problem, Budget(2000, 20.0))
    assert found.status is Status.PROVED and found.derivation is not None
    lemmas: list[Proof] = []
    for lemma, derivation in found.lemmas:
        lemmas.append(certify(theory, lemma, derivation, lemmas))
    certify(theory, problem, found.derivation, lemmas)
