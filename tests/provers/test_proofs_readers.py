"""The readers of printed proofs: what they take from a text, and what they refuse."""

from __future__ import annotations

import contextlib
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printed_proofs import (
    E_FOF,
    E_GROUP,
    E_LARK,
    PROVER9_GROUP,
    PROVER9_LARK,
    TWEE_GROUP,
    TWEE_LARK,
    VAMPIRE_GROUP,
)
from threesil.errors import InputError
from threesil.kernel.terms import app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT
from threesil.provers.proofs import Parent, UnreadableProof, read_proof
from threesil.provers.registry import VARIANTS, adapter

ALL = (
    E_FOF,
    E_GROUP,
    E_LARK,
    PROVER9_GROUP,
    PROVER9_LARK,
    TWEE_GROUP,
    TWEE_LARK,
    VAMPIRE_GROUP,
)


def test_twee_gives_chains_and_witnesses() -> None:
    skeleton = read_proof("twee", TWEE_GROUP)
    assert [axiom.label for axiom in skeleton.axioms] == ["left_inverse", "left_unit", "assoc"]
    (lemma,) = skeleton.steps
    assert [link.fact for link in lemma.chain] == ["axiom 3", "axiom 1", "axiom 2"]
    assert [link.direction for link in lemma.chain] == [RIGHT_TO_LEFT, *[LEFT_TO_RIGHT] * 2]
    assert lemma.chain[-1].result == var("Y")
    assert not skeleton.goal.denied
    lark = app("app", app("lark"), app("a"))
    assert read_proof("twee", TWEE_LARK).witnesses == {"X": app("app", lark, lark)}


def test_twee_terms_may_go_over_several_lines() -> None:
    assert TWEE_GROUP.count("mul(inv(sk_x), mul(") == 1
    broken = TWEE_GROUP.replace("mul(inv(sk_x), mul(", "mul(inv(sk_x),\n      mul(")
    assert read_proof("twee", broken) == read_proof("twee", TWEE_GROUP)


def test_prover9_tells_places_and_directions() -> None:
    skeleton = read_proof("prover9", PROVER9_GROUP)
    assert [axiom.label for axiom in skeleton.axioms] == ["left_unit", "left_inverse", "assoc"]
    first = skeleton.steps[0]
    assert first.main == 2
    assert first.parents == (
        Parent("3", (0,)),
        Parent("4", (0, 0)),
        Parent("2", way=LEFT_TO_RIGHT),
    )
    assert skeleton.goal.denied
    assert skeleton.goal.sides == (app("*", app("c1"), app("'", app("c1"))), app("e"))
    assert skeleton.steps[-1].sides is None


def test_prover9_reads_operators_behind_and_between() -> None:
    text = PROVER9_GROUP.replace("x'' * y = x * y", "(x * y)' * -z' = x + (y * z')")
    fact = next(fact for fact in read_proof("prover9", text).steps if fact.name == "10")
    x, y, z = var("x"), var("y"), var("z")
    left = app("*", app("'", app("*", x, y)), app("-", app("'", z)))
    assert fact.sides == (left, app("+", x, app("*", y, app("'", z))))


def test_e_parents_come_in_the_order_of_their_use() -> None:
    skeleton = read_proof("e", E_GROUP)
    steps = {fact.name: fact for fact in skeleton.steps}
    assert [parent.name for parent in steps["c_0_7"].parents] == ["c_0_4", "c_0_5", "c_0_6"]
    assert (steps["c_0_7"].rule, steps["c_0_7"].main) == ("pm", 2)
    assert (steps["c_0_10"].rule, steps["c_0_10"].main) == ("rw", 1)
    assert skeleton.prover == "e"


def test_a_conjecture_is_read_after_it_was_denied() -> None:
    goal = read_proof("e", E_FOF).goal
    skolem = app("esk1_0")
    assert goal.denied and goal.sides == (app("mul", skolem, app("inv", skolem)), app("e"))


def test_vampire_numbers_its_formulas() -> None:
    skeleton = read_proof("vampire", VAMPIRE_GROUP)
    assert skeleton.prover == "vampire"
    assert [fact.name for fact in skeleton.axioms] == ["1", "2", "3"]
    assert [fact.rule for fact in skeleton.steps][:2] == ["superposition", "forward demodulation"]


@pytest.mark.parametrize("text", ALL)
def test_a_skeleton_is_a_value(text: str) -> None:
    skeleton = read_proof("", text)
    assert pickle.loads(pickle.dumps(skeleton)) == skeleton
    assert read_proof("", text) == skeleton


@pytest.mark.parametrize("text", ["", "no proof", "% SZS status Timeout", E_GROUP[:300]])
def test_without_a_proof_there_is_none(text: str) -> None:
    with pytest.raises(UnreadableProof):
        read_proof("e", text)


@pytest.mark.parametrize(
    "change",
    [
        ("[inference(rw,[status(thm)],[c_0_12, c_0_13])]", "[]"),
        ("(mul(e,X1)=X1), file", "(mul(e,X1)!=X1), file"),
    ],
)
def test_what_comes_from_nothing_is_an_equation(change: tuple[str, str]) -> None:
    assert change[0] in E_GROUP
    with pytest.raises(UnreadableProof, match="comes from nothing"):
        read_proof("e", E_GROUP.replace(*change))


def test_errors_name_the_place() -> None:
    with pytest.raises(UnreadableProof) as caught:
        read_proof("twee", TWEE_GROUP.replace("  mul(e, Y)", "  mul(e, Y"), "out.txt")
    assert caught.value.source == "out.txt"
    assert caught.value.line == 14


@given(st.sampled_from(ALL), st.data())
def test_damaged_outputs_are_read_or_refused(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    put = data.draw(st.text("()[]=!.,'X1c_ \n$F#", max_size=5))
    with contextlib.suppress(InputError):
        read_proof("", text[:start] + put + text[end:])


def test_parents_in_a_circle_are_read() -> None:
    text = "".join(
        f"fof({name}, plain, (p | q), inference(x,[],[{parent}])).\n"
        for name, parent in (("f1", "f2"), ("f2", "f1"))
    )
    text += "cnf(f3, plain, a=b, inference(x,[],[f1])).\ncnf(f4, axiom, a!=b, file(f, g)).\n"
    skeleton = read_proof("", text + "cnf(f5, plain, $false, inference(sr,[],[f3,f4])).")
    assert [fact.name for fact in skeleton.axioms] == ["f3"]


def test_places_that_are_none_are_left_out() -> None:
    text = PROVER9_GROUP.replace("para(3(a,1),4(a,1,1))", "para(3(a,),4(a,1,z))")
    first = read_proof("prover9", text).steps[0]
    assert first.parents[:2] == (Parent("3"), Parent("4"))


def test_deep_terms_are_read() -> None:
    deep = "inv(" * 20_000 + "X1" + ")" * 20_000
    text = E_GROUP.replace("(mul(e,X1)=X1), left_unit", f"({deep}=X1), left_unit")
    fact = next(fact for fact in read_proof("e", text).steps if fact.name == "c_0_6")
    assert fact.sides is not None and fact.sides[0].depth == 20_001


@pytest.mark.parametrize(
    "piece",
    [
        "cnf(\n",
        "cnf(a,plain,(",
        "cnf(a,plain,($$),inference(a,[],[b])).\n",
        "'\\",
        "1 x = y # label(a)",
        "1 x.  [",
        "1 x # label(a) # label(b).  [a",
        "= PROOF =\n",
        "\n",
        "Lemma 1: ",
        "Lemma 1 (a): x = y",
        "Axiom 1 (a) (b) ",
        "a(b ",
        "1. x [a 1,",
    ],
    ids=repr,
)
def test_what_never_ends_is_read_once(piece: str) -> None:
    """Work is linear: with the square of the length, or 2 to its power, this would take hours."""
    heads = ("", "Goal 1: x = y.\n", "inference(\n", "1 x = y.  [assumption].\n", "1. x = y [a]\n")
    for head in heads:
        for text in (head + piece * 20_000, head + piece * 50 + "\n" + head):
            with contextlib.suppress(InputError):
                read_proof("", text)


def test_places_with_too_many_digits_are_none() -> None:
    text = PROVER9_GROUP.replace("(a,1", "(a," + "9" * 5000)
    assert text != PROVER9_GROUP
    with contextlib.suppress(InputError):
        assert read_proof("", text).steps[0].parents[0].place is None


@pytest.mark.parametrize("name", VARIANTS)
def test_an_output_whose_proof_never_ends(name: str) -> None:
    heads = ("% SZS output start CNFRefutation\n", "= PROOF =\n", "#START OF PROOF\n")
    heads += ("The conjecture is true! x\n", "RESULT: Theorem\nThe conjecture is true!\n")
    prover = adapter(name)(Path("/bin/true"), name)
    for head in heads:
        status = "% SZS status Theorem\nRESULT: Theorem\nProcess 1 exit (max_proofs)\n"
        assert prover.read(status + head * 100_000).proof in (None, "")
