"""Saturation: values for the variables that a rule brings in, and what it does at the edges."""

import pytest

from threesil.engine import Budget, Found, Saturation, Status
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of
from threesil.notations.infix import parse_equation

SIGNATURE = Signature({"*": 2, "g": 2, "k": 1, "h": 1, "a": 0, "b": 0, "c": 0, "d": 0}, {"*": 1})


def theory_of(*axioms: str) -> Theory:
    equations = tuple(
        Equation(f"e{number}", *parse_equation(text, SIGNATURE))
        for number, text in enumerate(axioms)
    )
    actions = (*moves_of(SIGNATURE), *rewrites_of(equations, Goal.EQUATION))
    return Theory("small", "", SIGNATURE, equations, actions, Goal.EQUATION)


def proof_of(theory: Theory, goal: str, budget: Budget | None = None) -> Proof | None:
    """The certified proof that a saturation finds, if it finds one."""
    problem = Problem("goal", *parse_equation(goal, SIGNATURE))
    return certified(theory, problem, Saturation(theory).prove(problem, budget or Budget(5000)))


def certified(theory: Theory, problem: Problem, found: Found) -> Proof | None:
    if found.derivation is None:
        return None
    lemmas: list[Proof] = []
    for lemma, derivation in found.lemmas:
        lemmas.append(certify(theory, lemma, derivation, lemmas))
    return certify(theory, problem, found.derivation, lemmas)


@pytest.mark.parametrize(
    ("axioms", "goal"),
    [
        (["k(x) = k(y)"], "k(x) = k(h(y))"),
        (["x = y"], "a = b"),
        (["x = y"], "x = h(k(x))"),
        (["c = d"], "h(c) = h(d)"),
        (["h(h(x)) = x"], "h(k(x)) = h(k(x))"),
        ([], "h(x) = h(x)"),
    ],
)
def test_what_follows_at_once_is_proved(axioms: list[str], goal: str) -> None:
    assert proof_of(theory_of(*axioms), goal) is not None


@pytest.mark.parametrize(("axioms", "goal"), [([], "x = y"), (["c = d"], "h(c) = k(d)")])
def test_what_does_not_follow_is_not_proved(axioms: list[str], goal: str) -> None:
    assert proof_of(theory_of(*axioms), goal) is None


def test_a_proof_of_exponential_length_has_lemmas() -> None:
    """One merge at the leaves of a tower makes its ends equal; unfolded, it is one of 2^13."""
    theory = theory_of("k(x) = h(x)")
    left, right = parse_equation("k(x) = h(x)", SIGNATURE)
    for _ in range(13):
        left, right = app("*", left, left), app("*", right, right)
    problem = Problem("tower", left, right)
    found = Saturation(theory, growth=0).prove(problem, Budget(1000))
    proof = certified(theory, problem, found)
    assert proof is not None
    assert len(found.lemmas) == 12
    assert all(len(lemma.derivation.steps) == 2 for lemma in proof.lemmas)


def test_a_lemma_may_need_what_it_does_not_mention() -> None:
    """What a lemma's proof brings in and takes out again may be anything."""
    theory = theory_of("k(x) = x * y", "x * y = h(x)")
    left, right = parse_equation("k(x) = h(x)", SIGNATURE)
    for _ in range(10):
        left, right = app("g", left, left), app("g", right, right)
    for values in ([var("y"), var("x")], [var("x"), var("y")]):  # one of them comes first
        sides = [app("g", app("g", *values), side) for side in (left, right)]
        problem = Problem("tower", *sides)
        found = Saturation(theory, growth=0).prove(problem, Budget(1000))
        assert certified(theory, problem, found) is not None
        assert found.lemmas


def test_short_proofs_are_plain_chains() -> None:
    proof = proof_of(theory_of("k(k(x)) = x"), "(k(k(x)) * k(k(x))) * x = (x * x) * k(k(x))")
    assert proof is not None
    assert not proof.lemmas
    assert len(proof.derivation.steps) == 3


@pytest.mark.parametrize(
    ("axioms", "goal"),
    [
        (["k(x) = x * y"], "k(x) = x * (((((y * y) * y) * y) * y) * y)"),
        (["k(x) = x * h(y)", "x * h(h(y)) = b"], "k(a) = b"),
        (["k(x) = x * y", "x * h(h(h(c))) = h(x)", "a * h(h(h(c))) = b * y"], "k(a) = k(b)"),
    ],
)
def test_values_that_are_no_subterms_of_the_goal(axioms: list[str], goal: str) -> None:
    assert proof_of(theory_of(*axioms), goal) is not None


def test_larger_terms_when_nothing_else_is_left() -> None:
    """The way from x to k(x) leads over a term of 60 nodes."""
    large = "h(" * 60 + "x" + ")" * 60
    theory = theory_of(f"x = {large}", f"{large} = k(x)")
    assert proof_of(theory, "x = k(x)") is not None


def test_a_closed_graph_ends_the_search() -> None:
    """All values have been tried, and nothing new comes of them."""
    problem = Problem("no", *parse_equation("a = b", SIGNATURE))
    found = Saturation(theory_of("k(x) = k(y)")).prove(problem, Budget(None, 20.0))
    assert found.status is Status.EXHAUSTED
