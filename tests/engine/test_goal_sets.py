"""The goal's sides as sets of terms: proofs that one normal form of each side does not give."""

from __future__ import annotations

import pytest

from proof_samples import GROUPS, theory_of
from threesil.engine import Budget, Completion, OrderChoice, Status
from threesil.kernel.proof import Proof, certify
from threesil.kernel.theory import Problem, Theory
from threesil.notations.infix import parse_equation

SILLY = theory_of(
    "silly", {"f": 1, "g": 1, "b": 0, "c": 0, "d": 0}, inner="g(b) = c", outer="f(g(x)) = d"
)
PAIRS = theory_of(
    "pairs", {"*": 2, "p": 1, "q": 1, "e": 0}, first="p(x * y) = x", second="q(x * y) = y",
    unit="x * e = q(x)",
)  # fmt: skip
WHOLE = OrderChoice(flatten=False)


def prove(theory: Theory, text: str, budget: Budget, *exists: str) -> int:
    """Certifies the proof; how many critical pairs were taken, -1 if there is no proof."""
    problem = Problem(text, *parse_equation(text, theory.signature), exists=exists)
    found = Completion(theory, order=WHOLE).begin(problem).run(budget)
    if found.status is not Status.PROVED:
        return -1
    assert found.derivation is not None
    lemmas: list[Proof] = []
    for lemma, derivation in found.lemmas:
        lemmas.append(certify(theory, lemma, derivation, lemmas))
    certify(theory, problem, found.derivation, lemmas)
    return found.expansions


@pytest.mark.parametrize(
    ("theory", "goal"),
    [
        (SILLY, "f(g(b)) = d"),  # the inner rule alone makes f(c) of it
        (PAIRS, "p(x * e) = x"),
        (GROUPS, "i(x) * (x * y) = e * y"),  # against the direction of one rule
        (SILLY, "f(c) = d"),
        (PAIRS, "p(q(x)) = x"),
    ],
)
def test_axioms_alone_prove_what_some_choice_of_rewrites_proves(theory: Theory, goal: str) -> None:
    assert prove(theory, goal, Budget(0, None)) == 0


def test_what_no_rewrite_proves_takes_critical_pairs() -> None:
    assert prove(GROUPS, "x * e = x", Budget(0, None)) == -1
    assert prove(GROUPS, "x * e = x", Budget(1000, None)) > 0


def test_values_for_which_a_term_that_was_reached_has_equal_sides() -> None:
    """The sides of the normal form eq(f(c), f(g(x))) do not unify; those of eq(f(g(b)), ...) do."""
    theory = theory_of("free", {"f": 1, "g": 1, "b": 0, "c": 0}, inner="g(b) = c")
    assert 0 <= prove(theory, "f(c) = f(g(x))", Budget(1, None), "x") <= 1


def test_sets_are_bounded() -> None:
    """A goal that can be written in millions of ways: completion comes to its end all the same."""
    theory = theory_of("ac", {"*": 2}, a="(x * y) * z = x * (y * z)", c="x * y = y * x")
    many = "abcdefghijkl"
    goal = parse_equation(f"{' * '.join(many)} = {' * '.join(many[:-1])}", theory.signature)
    run = Completion(theory, order=WHOLE).begin(Problem("other", *goal))
    assert run.run(Budget(None, 20.0)).status is Status.EXHAUSTED
