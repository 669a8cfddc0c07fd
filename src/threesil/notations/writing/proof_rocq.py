"""Proofs for Rocq, which was called Coq: a section for each theory, a definition for each proof.

    Section aim.
    Variable U : Type.
    Variable mul : U -> U -> U.
    Hypothesis b2 : forall (x y : U), (mul x (ld x y)) = y.
    Definition p1 : forall (x y : U), (mul x (T y x)) = (mul y x) := fun (x y : U) =>
      (eq_trans (f_equal (fun (_z : U) => (mul x _z)) (eq_T y x)) (b2 x (mul y x))).
    End aim.

`coqc` checks such a file. Every step is written out, so nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Iterable

from threesil.kernel.proof import Proof
from threesil.notations.identifiers import Identifiers
from threesil.notations.writing.curried import HOLE, Calculus
from threesil.notations.writing.proof_parts import Part, parts

LEGAL = "[A-Za-z][A-Za-z0-9_']*"
_WORDS = """
    Axiom CoFixpoint Definition Fixpoint Hypothesis Parameter Prop SProp Set Theorem Type Variable
    as at by cofix discriminated else end exists exists2 fix for forall fun if IF in let lazymatch
    match multimatch return then using where with until U eq ex eq_trans f_equal eq_sym eq_refl
    ex_intro
"""
RESERVED = _WORDS.split()


def write_rocq(proofs: Iterable[Proof]) -> str:
    """One file for all proofs; those in the same theory share its equations and their lemmas."""
    sections = Identifiers(LEGAL, RESERVED)
    return "\n".join(_section(part, sections.of("theory", part.name)) for part in parts(proofs))


def _section(part: Part, name: str) -> str:
    names = Identifiers(LEGAL, [*RESERVED, name])
    calculus = Calculus(
        symbol=lambda symbol: names.of("op", symbol),
        variable=lambda variable: names.of("var", variable),
        equation=lambda equation: names.of("eq", equation),
        for_all="forall",
        exists="exists",
        congruence=lambda body, _, __, proof: f"(f_equal (fun ({HOLE} : U) => {body}) {proof})",
        symmetry=lambda proof: f"(eq_sym {proof})",
        transitivity=lambda first, second: f"(eq_trans\n  {first}\n  {second})",
        reflexivity=lambda term: f"(eq_refl {term})",
        witness=lambda predicate, value, proof: f"(ex_intro {predicate} {value}\n  {proof})",
    )
    lines = [f"Section {name}.", "Variable U : Type."]
    for symbol, arity in part.symbols.items():
        lines.append(f"Variable {calculus.symbol(symbol)} : {'U -> ' * arity}U.")
    for axiom in part.axioms:
        lines.append(f"Hypothesis {calculus.equation(axiom.name)} : {calculus.axiom(axiom)}.")
    for chain in part.chains:
        said, proof = calculus.statement(chain), calculus.proof(chain)
        lines.append(f"Definition {calculus.equation(chain.name)} : {said} :=\n  {proof}.")
    return "\n".join([*lines, f"End {name}.", ""])
