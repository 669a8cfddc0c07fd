"""Proofs for Rocq, which was called Coq: a module for each theory, a definition for each proof.

    Module aim.
    Section Proofs.
    Variable U : Type.
    Variable mul : U -> U -> U.
    Hypothesis b2 : forall (x y : U), (mul x (ld x y)) = y.
    Definition p1 : forall (x y : U), (mul x (T y x)) = (mul y x) := fun (x y : U) =>
      (eq_trans (f_equal (fun (_z : U) => (mul x _z)) (eq_T y x)) (b2 x (mul y x))).
    End Proofs.
    End aim.

`coqc` checks such a file. Every step is written out, so nothing is searched for.

A refutation says that a theory does not imply an equation, which is a boolean that is computed for
all values:

    Module refutation_1.
    Inductive U : Set := u0 | u1 | u2.
    Definition mul (a0 a1 : U) : U := match a0, a1 with u0, u0 => u0 | … end.
    Definition unit_law : forall (x : U), (mul e x) = x.
    Proof. by_values. Qed.
    Theorem refuted : ~ (forall (U : Type) (mul : U -> U -> U) (e : U), … ).
    End refutation_1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Equation
from threesil.notations.renaming import Identifiers
from threesil.notations.writing.curried import (
    HOLE,
    Calculus,
    Syntax,
    implication,
    refuted_problem,
)
from threesil.notations.writing.parts import Part, occurring, parts

_LEGAL = "[A-Za-z][A-Za-z0-9_']*"
_WORDS = """
    Axiom CoFixpoint Definition Fixpoint Hypothesis Parameter Prop SProp Set Theorem Type Variable
    as at by cofix discriminated else end exists exists2 fix for forall fun if IF in let lazymatch
    match multimatch return then using where with until U eq ex eq_trans f_equal eq_sym eq_refl
    ex_intro
"""
_RESERVED = _WORDS.split()
_SYNTAX = Syntax(
    for_all="forall",
    exists="exists",
    arrow="->",
    congruence=f"(f_equal (fun ({HOLE} : U) => {{body}}) {{proof}})",
    symmetry="(eq_sym {proof})",
    transitivity="(eq_trans\n  {first}\n  {second})",
    reflexivity="(eq_refl {term})",
    witness="(ex_intro {predicate} {value}\n  {proof})",
)


def write_rocq(proofs: Iterable[Proof]) -> str:
    """One file for all proofs; those in the same theory share its equations and their lemmas."""
    modules = Identifiers(_LEGAL, _RESERVED)
    return "\n".join(_module(part, modules.new("theory", part.name)) for part in parts(proofs))


def _module(part: Part, name: str) -> str:
    names = Identifiers(_LEGAL, [*_RESERVED, name, "Proofs"])
    calculus = Calculus(_SYNTAX, names)
    lines = [f"Module {name}.", "Section Proofs.", "Variable U : Type."]
    for symbol, arity in part.symbols.items():
        lines.append(f"Variable {calculus.symbol(symbol)} : {'U -> ' * arity}U.")
    for axiom in part.axioms:
        lines.append(f"Hypothesis {calculus.equation(axiom.name)} : {calculus.axiom(axiom)}.")
    for chain in part.chains:
        said, proof = calculus.statement(chain), calculus.proof(chain)
        lines.append(f"Definition {calculus.equation(chain.name)} : {said} :=\n  {proof}.")
    return "\n".join([*lines, "End Proofs.", f"End {name}.", ""])


# Refutations

_OWN = ("refuted", "all", "all_true", "same", "same_true", "true", "false", "bool", "Set")


def write_rocq_models(models: Iterable[Countermodel]) -> str:
    """One file for all models, a module for each."""
    sections = (_refutation(model, f"refutation_{k}") for k, model in enumerate(models, 1))
    return "\n".join(sections)


def _refutation(model: Countermodel, space: str) -> str:
    n, theory = model.tables.size, model.theory
    elements = [f"u{k}" for k in range(n)]
    names = Identifiers(_LEGAL, [*_RESERVED, *_OWN, *elements, space])
    calculus = Calculus(_SYNTAX, names)
    symbols = [calculus.symbol(symbol) for symbol in theory.signature.symbols]
    problem, values = refuted_problem(model)
    for variable in problem.variables:
        calculus.variable(variable)
    lines = [f"Module {space}.", *_type(elements)]
    for symbol, arity in theory.signature.symbols.items():
        lines.append(_table(calculus.symbol(symbol), model.tables.of[symbol], n, arity))
    for equation in theory.equations:
        lines += _equation(equation, calculus)
    equations = [calculus.equation(e.name) for e in theory.equations]
    given = " ".join(["_h", "U", *symbols, *equations, *(elements[v] for v in values)])
    lines.append(f"Theorem refuted : ~ ({implication(model, calculus)}).")
    lines.append(f"Proof. intro _h. generalize ({given}). clear _h. vm_compute.")
    witnesses = "repeat (destruct _h as [_w _h]; destruct _w); " if problem.exists else ""
    lines.append(f"intro _h. {witnesses}discriminate _h. Qed.")
    return "\n".join([*lines, f"End {space}.", ""])


def _type(elements: Sequence[str]) -> list[str]:
    """The type of the elements; a property that holds for all of them; when two are the same."""
    holds = "true"
    for element in reversed(elements):
        holds = f"(if p {element} then {holds} else false)"
    same = " | ".join(f"{element}, {element} => true" for element in elements)
    other = " | _, _ => false" if len(elements) > 1 else ""
    return [
        f"Inductive U : Set := {' | '.join(elements)}.",
        f"Definition all (p : U -> bool) : bool := {holds}.",
        "Lemma all_true : forall p, all p = true -> forall x, p x = true.",
        "Proof. unfold all. intros p _h x. repeat match type of _h with",
        "(if ?b then _ else _) = true => destruct b eqn:?; [|discriminate _h] end.",
        "destruct x; assumption. Qed.",
        f"Definition same (x y : U) : bool := match x, y with {same}{other} end.",
        "Lemma same_true : forall x y, same x y = true -> x = y.",
        "Proof. intros x y. destruct x, y; intro _h; try discriminate _h; reflexivity. Qed.",
    ]


def _table(name: str, table: Sequence[int], n: int, arity: int) -> str:
    if arity == 0:
        return f"Definition {name} : U := u{table[0]}."
    args = [f"a{k}" for k in range(arity)]
    cases = " | ".join(
        f"{', '.join(f'u{k}' for k in place)} => u{value}"
        for place, value in zip(product(range(n), repeat=arity), table, strict=True)
    )
    head = f"Definition {name} ({' '.join(args)} : U) : U"
    return f"{head} :=\n  match {', '.join(args)} with {cases} end."


def _equation(equation: Equation, calculus: Calculus) -> list[str]:
    names = [calculus.variable(name) for name in occurring(equation)]
    sides = " ".join(calculus.term(side) for side in (equation.lhs, equation.rhs))
    opened = "".join(f"all (fun {name} => " for name in names)
    truth = f"{opened}same {sides}{')' * len(names)} = true"
    proof = "_h"
    for name in names:
        proof = f"(all_true _ {proof} {name})"
    taken = f"intros {' '.join(names)}. " if names else ""
    return [
        f"Definition {calculus.equation(equation.name)} : {calculus.axiom(equation)}.",
        f"Proof. assert (_h : {truth}) by (vm_compute; reflexivity).",
        f"{taken}apply same_true. exact {proof}. Qed.",
    ]
