"""Saturation: values for the variables that a rule brings in, and what it does at the edges."""

import pytest

from threesil.engine import Budget, Saturation
from threesil.formats.infix import parse_equation
from threesil.proof import Proof, certify
from threesil.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of

SIGNATURE = Signature({"*": 2, "k": 1, "h": 1, "a": 0, "b": 0, "c": 0, "d": 0}, {"*": 1})


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
    found = Saturation(theory).prove(problem, budget or Budget(5000))
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
