"""How values show themselves in a notebook."""

from __future__ import annotations

import pytest

import threesil
from proof_samples import tower
from threesil import Derivation, Outcome, Problem, Step, Theory, app, certify, var
from threesil.kernel.lemmas import chains
from threesil.kernel.outcome import SZS
from threesil.kernel.theory import LEFT_TO_RIGHT, Equation, Goal, Signature, rewrites_of


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return threesil.prove(r"x \ (y * x) = T(y,x)", seconds=10)


def test_a_proved_outcome_is_true_and_shows_its_proof(outcome: Outcome) -> None:
    assert outcome
    assert len(repr(outcome)) < 200
    assert "1 rewrite," in repr(outcome)
    assert "= by T" in str(outcome)
    assert str(outcome.proof) in str(outcome)
    assert "<u>" in outcome._repr_html_()
    assert outcome._repr_latex_().startswith("$$\\begin{aligned}")


def test_an_open_outcome_is_false() -> None:
    outcome = Outcome(Problem("p", var("x"), var("y")), SZS.TIMEOUT, reason="<no time>")
    assert not outcome
    assert "Timeout" in str(outcome)
    assert "&lt;no time&gt;" in outcome._repr_html_()


def test_what_comes_from_outside_is_escaped() -> None:
    name = "<script>alert(1)</script>"
    signature = Signature({"f": 1, name: 0})
    equation = Equation(name, app("f", var("x")), app(name))
    actions = tuple(rewrites_of([equation], Goal.EQUATION))
    theory = Theory(name, name, signature, (equation,), actions, Goal.EQUATION)
    derivation = Derivation(
        app("f", app(name)), (Step((), name, LEFT_TO_RIGHT, {"x": app(name)}, app(name)),)
    )
    proof = certify(theory, Problem(name, derivation.start, app(name)), derivation)
    for value in (theory, proof, proof.derivation.start):
        assert "<script" not in value._repr_html_()
        assert "<script" not in value._repr_latex_()


def test_terms_and_theories() -> None:
    term = app("*", var("x"), app("f", app("e")))
    assert term._repr_html_() == "<code>x * f(e)</code>"
    assert term._repr_latex_() == r"$x \cdot f(e)$"
    aim = threesil.get_theory("aim")
    assert "prop_034cf5c5" in aim._repr_html_()
    assert aim._repr_latex_().count("&=") == len(aim.equations)


def test_lemmas_are_folded() -> None:
    proof = tower(3, 2)
    lemmas = len(chains([proof])) - 1
    assert lemmas > 0
    assert proof._repr_html_().count("<details>") == lemmas
    assert f"{lemmas} lemma" in proof._repr_html_()
