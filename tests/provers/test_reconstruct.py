"""Printed proofs become certified ones, and nothing else does."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from printed_proofs import (
    CANCELLED,
    E_FOF,
    E_GIVEN,
    E_GROUP,
    E_LARK,
    FIXED_POINT,
    GIVEN,
    GROUP,
    LARK,
    PROVER9_GROUP,
    PROVER9_LARK,
    RIGHT_INVERSE,
    TWEE_GROUP,
    TWEE_LARK,
    VAMPIRE_GROUP,
    E,
    X,
    Y,
    apply,
    inv,
    mul,
    theory,
)
from threesil.engine import Budget, Stop
from threesil.errors import InputError
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import app
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.problems.files import load_problems
from threesil.provers.proofs import read_proof
from threesil.provers.reconstruct import NotReconstructed, reconstruct
from threesil.theories.aim import AIM

PRINTED = [
    (GROUP, RIGHT_INVERSE, E_GROUP),
    (GROUP, RIGHT_INVERSE, E_FOF),
    (GROUP, RIGHT_INVERSE, PROVER9_GROUP),
    (GROUP, RIGHT_INVERSE, TWEE_GROUP),
    (GROUP, RIGHT_INVERSE, VAMPIRE_GROUP),
    (LARK, FIXED_POINT, E_LARK),
    (LARK, FIXED_POINT, PROVER9_LARK),
    (LARK, FIXED_POINT, TWEE_LARK),
    (GIVEN, CANCELLED, E_GIVEN),
]


def again(proof: Proof) -> None:
    """The proof through the kernel a second time, and each of its lemmas."""
    seen: set[int] = set()
    waiting = [proof]
    while waiting:
        proof = waiting.pop()
        if id(proof) not in seen:
            seen.add(id(proof))
            certify(proof.theory, proof.problem, proof.derivation, proof.lemmas)
            waiting.extend(proof.lemmas)


@pytest.mark.parametrize("where, problem, text", PRINTED)
def test_printed_proofs_are_certified(where: Theory, problem: Problem, text: str) -> None:
    proof = reconstruct(where, problem, read_proof("", text))
    assert proof.theory is where and proof.problem is problem
    again(proof)


def test_steps_stay_lemmas_and_copies_are_none() -> None:
    proof = reconstruct(GROUP, RIGHT_INVERSE, read_proof("twee", TWEE_GROUP))
    (lemma,) = proof.lemmas
    assert len(lemma.derivation.steps) == len(proof.derivation.steps) == 3
    proof = reconstruct(GROUP, RIGHT_INVERSE, read_proof("e", E_GROUP))
    statements = {(lemma.problem.start, lemma.problem.target) for lemma in proof.lemmas}
    axioms = {(axiom.lhs, axiom.rhs) for axiom in GROUP.equations}
    assert not statements & axioms
    assert {axiom.name for axiom in proof.axioms} == {"left_unit", "left_inverse", "assoc"}


def test_existential_goals_get_witnesses() -> None:
    for text in (E_LARK, PROVER9_LARK, TWEE_LARK):
        proof = reconstruct(LARK, FIXED_POINT, read_proof("", text))
        half = apply(app("lark"), app("a"))
        assert proof.derivation.witnesses == {"x": apply(half, half)}


def test_symbols_are_found_under_other_names() -> None:
    names = {"mul": "\\", "inv": "i", "e": "1"}
    equations = {
        e.name: tuple(_renamed(side, names) for side in (e.lhs, e.rhs)) for e in GROUP.equations
    }
    other = theory("other", {"\\": 2, "i": 1, "1": 0}, **equations)
    problem = Problem("p", *(_renamed(s, names) for s in (mul(Y, inv(Y)), E)))
    for text in (E_GROUP, PROVER9_GROUP, TWEE_GROUP, VAMPIRE_GROUP):
        again(reconstruct(other, problem, read_proof("", text)))


def _renamed(term, names):
    return term.fold(lambda t, args: t if t.is_variable else app(names[t.head], *args))


def test_turned_axioms_and_goals_are_found() -> None:
    turned = theory(
        "turned", dict(GROUP.signature.symbols), **{e.name: (e.rhs, e.lhs) for e in GROUP.equations}
    )
    problem = Problem("p", E, mul(X, inv(X)))
    for text in (E_GROUP, PROVER9_GROUP, TWEE_GROUP, VAMPIRE_GROUP):
        again(reconstruct(turned, problem, read_proof("", text)))


def test_lemmas_that_the_prover_was_given_are_cited() -> None:
    helper = reconstruct(GROUP, RIGHT_INVERSE, read_proof("e", E_GROUP))
    skeleton = read_proof("twee", """
Axiom 1 (right_inverse): mul(X, inv(X)) = e.

Goal 1 (goal): mul(inv(a), inv(inv(a))) = e.
Proof:
  mul(inv(a), inv(inv(a)))
= { by axiom 1 (right_inverse) }
  e
""")  # fmt: skip
    problem = Problem("p", mul(inv(X), inv(inv(X))), E)
    proof = reconstruct(GROUP, problem, skeleton, lemmas=[helper])
    assert proof.lemmas == (helper,)
    with pytest.raises(NotReconstructed, match="right_inverse is none of the theory's"):
        reconstruct(GROUP, problem, skeleton)


def test_another_goal_is_refused() -> None:
    for text in (E_GROUP, PROVER9_GROUP, TWEE_GROUP, VAMPIRE_GROUP):
        with pytest.raises(NotReconstructed, match="goal is not the problem"):
            reconstruct(GROUP, Problem("p", mul(X, inv(X)), X), read_proof("", text))


def test_axioms_that_we_lack_are_refused() -> None:
    weaker = GROUP.without(["assoc"], "weaker")
    for text in (E_GROUP, PROVER9_GROUP, TWEE_GROUP, VAMPIRE_GROUP):
        with pytest.raises(NotReconstructed, match="none of the theory's equations"):
            reconstruct(weaker, RIGHT_INVERSE, read_proof("", text))


def test_the_step_that_fails_is_named() -> None:
    wrong = TWEE_GROUP.replace("by lemma 4 }", "by axiom 2 (left_unit) }")
    with pytest.raises(NotReconstructed, match="goal 1: rewrite 2, by axiom 2"):
        reconstruct(GROUP, RIGHT_INVERSE, read_proof("twee", wrong))
    wrong = E_GROUP.replace("(mul(inv(X1),mul(X1,X2))=X2)", "(mul(inv(X1),mul(X1,X2))=X1)")
    with pytest.raises(NotReconstructed, match=r"step c_0_7 \(pm of c_0_4, c_0_5, c_0_6\)"):
        reconstruct(GROUP, RIGHT_INVERSE, read_proof("e", wrong), Budget(seconds=1))


def test_a_false_lemma_is_not_believed() -> None:
    collapse = E_GROUP.replace("(mul(inv(inv(X1)),e)=X1)", "(X1=X2)")
    with pytest.raises(NotReconstructed):
        reconstruct(GROUP, RIGHT_INVERSE, read_proof("e", collapse), Budget(seconds=1))


def test_a_step_without_the_right_parents_is_searched_for() -> None:
    text = E_GROUP.replace("[c_0_4, c_0_5]), c_0_6])", "[c_0_4, c_0_5])])")
    again(reconstruct(GROUP, RIGHT_INVERSE, read_proof("e", text)))


def test_a_stop_ends_it() -> None:
    stop = Stop()
    stop.set()
    wrong = E_GROUP.replace("(mul(inv(X1),mul(X1,X2))=X2)", "(mul(inv(X1),mul(X1,X2))=X1)")
    with pytest.raises(NotReconstructed, match="the budget is spent"):
        reconstruct(GROUP, RIGHT_INVERSE, read_proof("e", wrong), Budget(stop=stop))


def mutants(text: str) -> Iterator[str]:
    """The text with a line left out, a term changed, or parents that change places."""
    lines = text.splitlines(keepends=True)
    changes = [("X1", "X2"), ("inv(", "mul(e,"), ("(X", "(Y"), ("lark,", "a,"), (" = ", " = e*")]
    for number, line in enumerate(lines):
        variants = {""}
        variants |= {line.replace(old, new, 1) for old, new in changes}
        variants |= {line[::-1].replace(old[::-1], new[::-1], 1)[::-1] for old, new in changes}
        variants.add(re.sub(r"(c_0_\d+), (c_0_\d+)", r"\2, \1", line))
        variants.add(re.sub(r"(c_0_|axiom |lemma |[ (\[])(\d+)(?=[(,\] ])", _shifted, line))
        for variant in sorted(variants - {line}):
            yield "".join((*lines[:number], variant, *lines[number + 1 :]))


def _shifted(found: re.Match[str]) -> str:
    return f"{found[1]}{max(int(found[2]) - 1, 1)}"


@pytest.mark.parametrize("where, problem, text", PRINTED)
def test_mutants_prove_the_same_goal_or_nothing(where: Theory, problem: Problem, text: str) -> None:
    refused = 0
    for mutant in mutants(text):
        try:
            skeleton = read_proof("", mutant)
            proof = reconstruct(where, problem, skeleton, Budget(seconds=0.05))
        except (InputError, NotReconstructed):
            refused += 1
            continue
        assert proof.theory is where and proof.problem is problem
        again(proof)
    assert refused


@pytest.mark.data
def test_recorded_outputs_are_certified(data: Path) -> None:
    seen = 0
    for path in sorted((data / "provers").glob("p9_*.out")):
        text = path.read_text()
        proved = "SZS status Unsatisfiable" in text or "RESULT: Unsat" in text or "PROOF" in text
        if "waldmeister" in path.name or not proved:
            continue
        goal = path.with_name(f"{path.name.split('.')[0]}.p")
        (problem,) = load_problems(goal, AIM)
        again(reconstruct(AIM, problem, read_proof("", text, path.name)))
        seen += 1
    assert seen == 14


@pytest.mark.data
def test_twee_proofs_of_tptp_problems_are_certified(data: Path) -> None:
    """The theory is that of the axioms which the proof names."""
    packed = (data / "ueq" / "twee_dev_proofs.jsonl.gz").read_bytes()
    lines = gzip.decompress(packed).decode().splitlines()
    for line in lines[::9]:
        skeleton = read_proof("twee", json.loads(line)["output"])
        assert skeleton.goal.sides is not None
        sides = [side for fact in skeleton.axioms for side in fact.sides or ()]
        symbols = {
            term.head: len(term.args)
            for side in (*sides, *skeleton.goal.sides)
            for term in side.distinct()
            if not term.is_variable
        }
        base = theory("twee", symbols, axiom=(app("c"), app("c")))
        named = [Equation(fact.name, *fact.sides) for fact in skeleton.axioms if fact.sides]
        where = base.without(["axiom"], "t").extended(named)
        free = dict.fromkeys(v for side in skeleton.goal.sides for v in side.variables())
        problem = Problem("goal", *skeleton.goal.sides, exists=tuple(free))
        again(reconstruct(where, problem, skeleton))
