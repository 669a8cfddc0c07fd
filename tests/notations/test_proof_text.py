"""Proofs as people read them."""

from itertools import pairwise

from threesil.kernel.proof import Proof
from threesil.notations.writing.text import Reason, TermLine, format_proof, proof_lines
from threesil.search.prover import Prover
from threesil.theories.aim import AIM


def proof_of(equation: str, before: str) -> Proof:
    proof = Prover(AIM.before(before), solver="unguided").prove(equation, expansions=500).proof
    assert proof is not None
    return proof


def test_the_whole_text() -> None:
    shown = format_proof(proof_of("x * T(y,x) = y * x", "prop_034cf5c5"))
    assert shown.splitlines() == [
        r"    x * T(y,x)",
        r"        ~~~~~~",
        r"  = by T ->    T(u,x) := x \ (u * x)   at 2",
        r"    x * (x \ (y * x))",
        r"    ~~~~~~~~~~~~~~~~~",
        r"  = by b2 ->   x * (x \ y) = y         at the root",
        r"    y * x",
    ]


def test_values_that_are_brought_in_are_named() -> None:
    shown = format_proof(proof_of(r"u / (w \ u) = w", "id1"))
    assert "  = by b2 <-   x * (x \\ y) = y   at 1, with w for its x\n" in shown


def test_marks_stand_where_the_subterms_are() -> None:
    proof = proof_of(r"L((x \ y) / z,z,x) = (z * ((x * z) \ y)) / z", "prop_1e558562")
    lines = list(proof_lines(proof))
    terms = [line for line in lines if isinstance(line, TermLine)]
    assert sum(isinstance(line, Reason) for line in lines) == len(terms) - 1 == 3
    assert terms[0].new is None and terms[-1].old is None
    for before, after in pairwise(terms):
        assert before.old is not None and after.new is not None
        assert before.text[: before.old[0]] == after.text[: after.new[0]]
        assert before.text[before.old[1] :] == after.text[after.new[1] :]


def test_a_trivial_proof_is_one_term() -> None:
    assert format_proof(proof_of("x * y = x * y", "id1")) == "    x * y"
