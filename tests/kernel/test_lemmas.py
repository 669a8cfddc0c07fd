"""Proofs with lemmas: listed, unfolded and factored."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import pytest

from proof_samples import GROUPS, left_inverses, proof, right_unit, tower, varied, walk
from threesil.errors import InputError
from threesil.kernel.lemmas import chains, in_order, unfolded
from threesil.kernel.proof import Derivation, Proof, Step, certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Problem
from threesil.notations.infix import format_term
from threesil.notations.writing.parts import statement
from threesil.notations.writing.text import format_proof
from threesil.proofs.factoring import LONG, factored, lines
from threesil.theories.aim import AIM


def test_a_lemma_stands_after_those_that_it_cites() -> None:
    assert [one.problem.name for one in in_order(left_inverses())] == [
        "cancel",
        "twice",
        "right inverse",
    ]


def test_a_lemma_that_several_proofs_have_is_listed_once() -> None:
    listed = chains([left_inverses(), right_unit()])
    names = [chain.name for chain in listed]
    assert names == ["cancel", "twice", "right inverse", "right unit"]
    assert [chain.is_lemma for chain in listed] == [True, True, False, False]


def test_a_theorem_that_is_a_lemma_of_the_next_one_is_listed_once() -> None:
    cancel = in_order(left_inverses())[0]
    assert [chain.name for chain in chains([cancel, left_inverses()])] == [
        "cancel",
        "twice",
        "right inverse",
    ]


def test_lemmas_that_programs_numbered_are_numbered_as_they_are_listed() -> None:
    """Two programs number in two ways, leave numbers out, and an equation has a number too."""
    last = proof(GROUPS, "e * x = x", ("unit", "->", "", {"x": "x"}), name="lemma 9")
    for name in ("lemma_9", "lemma 4_2", "left unit", "lemma 3"):
        text = f"e * ({format_term(last.problem.start, GROUPS.signature)}) = x"
        inner = {"x": text[5:-5]}
        steps = [("unit", "->", "", inner), (last.problem.name, "->", "", {"x": "x"})]
        last = proof(GROUPS, text, *steps, name=name, lemmas=(last,))
    names = ["lemma 1", "lemma 2", "lemma 4", "left unit", "lemma 3"]
    assert [chain.name for chain in chains([last])] == names
    shown = format_proof(last)
    assert "Lemma 1, for all x: e * x = x" in shown and "= by lemma 1 ->" in shown
    assert "Lemma left unit, for" in shown and 'Theorem "lemma 3", for' in shown


def test_names_are_unique() -> None:
    """Two lemmas of the same name below different lemmas, and a proof called like an equation."""

    def named(text: str, name: str) -> Proof:
        return proof(GROUPS, text, ("unit", "->", "", {"x": text.split(" = ")[1]}), name=name)

    one = named("e * x = x", "same")
    other = named("e * (x * y) = x * y", "same")
    first = proof(
        GROUPS, "e * i(x) = i(x)", ("same", "->", "", {"x": "i(x)"}), name="a", lemmas=(one,)
    )
    both = proof(
        GROUPS,
        "(e * i(x)) * (e * (x * x)) = i(x) * (x * x)",
        ("a", "->", "0", {"x": "x"}),
        ("same", "->", "1", {"x": "x", "y": "x"}),
        name="unit",
        lemmas=(first, other),
    )
    listed = chains([both])
    assert [chain.name for chain in listed] == ["same", "a", "same_2", "unit_2"]
    assert listed[1].cited["same"].name == "same"
    assert listed[3].cited["same"].name == "same_2"


@pytest.mark.parametrize("made", [left_inverses(), tower(2, 4)], ids=lambda made: made.problem.name)
def test_without_lemmas_it_is_a_proof_of_the_same(made: Proof) -> None:
    chain = unfolded(made)
    plain = certify(made.theory, made.problem, chain)
    assert plain.lemmas == ()
    assert set(plain.axioms) == set(made.axioms)


def test_backwards_citations_and_witnesses_unfold() -> None:
    cancel = in_order(left_inverses())[0]
    made = proof(
        GROUPS,
        "a = i(a) * x",
        ("cancel", "<-", "", {"x": "a", "y": "a"}),
        lemmas=(cancel,),
        witnesses={"x": "a * a"},
    )
    chain = unfolded(made)
    assert [step.equation for step in chain.steps] == ["unit", "inv", "assoc"]
    assert certify(GROUPS, made.problem, chain).known == ()


def test_what_would_unfold_beyond_a_limit_is_refused() -> None:
    term, steps = var("x"), list[Step]()
    last = certify(
        GROUPS,
        Problem("l0", app("*", app("e"), term), term),
        Derivation(app("*", app("e"), term), (Step((), "unit", LEFT_TO_RIGHT, {"x": term}, term),)),
    )
    for level in range(60):  # each cites the one before three times: 3^60 rewrites
        name, start, end = last.problem.name, last.problem.start, last.derivation.end
        steps = [
            Step((), name, LEFT_TO_RIGHT, {"x": term}, end),
            Step((), name, RIGHT_TO_LEFT, {"x": term}, start),
            Step((), name, LEFT_TO_RIGHT, {"x": term}, end),
        ]
        problem = Problem(f"l{level + 1}", start, end)
        last = certify(GROUPS, problem, Derivation(start, tuple(steps)), [last])
    with pytest.raises(
        InputError, match="without lemmas the proof has 42391158275216203514294433201 "
    ):
        unfolded(last)


@pytest.mark.parametrize(
    ("length", "seed"), [(30, 0), (30, 1), (200, 0), (200, 1), (200, 2), (1000, 1)]
)
def test_a_random_walk_fits_on_far_fewer_lines(length: int, seed: int) -> None:
    before = walk(length, seed)
    after = factored(before)
    shorter = len(format_proof(after).splitlines()), len(format_proof(before).splitlines())
    assert shorter[0] <= shorter[1] / (2 if length >= 200 else 1)
    if length >= 200:
        assert max(len(one.derivation.steps) for one in in_order(after)) <= LONG
    assert after.problem is before.problem
    assert certify(AIM, before.problem, unfolded(after)).problem == before.problem


@pytest.mark.parametrize(("levels", "width"), [(2, 5), (1, 12), (2, 9)])
def test_what_was_composed_of_lemmas_gets_lemmas_again(levels: int, width: int) -> None:
    composed = tower(levels, width)
    flat = certify(AIM, composed.problem, unfolded(composed))
    after = factored(flat)
    assert lines(in_order(after)) < lines([flat]) / 3
    assert after.lemmas


def test_a_lemma_is_stated_as_generally_as_its_steps_allow() -> None:
    """The same four steps on different terms, one after the other."""
    given = ("x", "x * y", "i(y)", "e")
    start = product(f"((i(e) * e) * ({value}))" for value in given)
    end = product(f"((i(e) * e) * (i(e) * ({value})))" for value in given)
    rewrites = []
    for value, place in zip(given, ("000", "001", "01", "1"), strict=True):
        rewrites += [
            ("assoc", "->", place, {"x": "i(e)", "y": "e", "z": value}),
            ("unit", "->", f"{place}1", {"x": value}),
            ("unit", "<-", place, {"x": f"i(e) * ({value})"}),
            ("inv", "<-", f"{place}0", {"x": "e"}),
        ]
    after = factored(proof(GROUPS, f"{start} = {end}", *rewrites))
    (lemma,) = after.lemmas
    assert len(after.derivation.steps) == 4
    assert statement(lemma) == "for all x, y, z: (x * e) * y = (i(z) * z) * (x * y)"


def product(factors: Iterable[str]) -> str:
    return reduce(lambda left, right: f"({left} * {right})", factors)


def test_factoring_never_makes_a_proof_longer() -> None:
    for made in varied():
        after = factored(made)
        assert len(format_proof(after).splitlines()) <= len(format_proof(made).splitlines())
        assert certify(made.theory, made.problem, after.derivation, after.lemmas) == after


def test_terms_that_nobody_can_read_are_left_alone() -> None:
    term = var("x")
    for _ in range(60):
        term = app("*", term, term)
    start = app("*", app("e"), term)
    chain = Derivation(start, (Step((), "unit", LEFT_TO_RIGHT, {"x": term}, term),))
    made = certify(GROUPS, Problem("large", start, term), chain)
    assert factored(made) is made
