"""Refutations for Rocq: the theory does not imply the equation; `coqc` checks such a file.

    Module refutation_1.
    Inductive U : Set := u0 | u1 | u2.
    Definition mul (a0 a1 : U) : U := match a0, a1 with u0, u0 => u0 | … end.
    Definition unit_law : forall (x : U), (mul e x) = x.
    Proof. by_values. Qed.
    Theorem refuted : ~ (forall (U : Type) (mul : U -> U -> U) (e : U), … ).
    End refutation_1.

An equation is a boolean that is computed for all values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.theory import Equation
from threesil.notations.identifiers import Identifiers
from threesil.notations.writing.curried import Calculus
from threesil.notations.writing.model_statement import calculus_of, implication, refuted_problem
from threesil.notations.writing.proof_parts import occurring
from threesil.notations.writing.proof_rocq import LEGAL, RESERVED

_OWN = ("refuted", "all", "all_true", "same", "same_true", "true", "false", "bool", "Set")


def write_rocq_models(models: Iterable[Countermodel]) -> str:
    """One file for all models, a module for each."""
    sections = (_section(model, f"refutation_{k}") for k, model in enumerate(models, 1))
    return "\n".join(sections)


def _section(model: Countermodel, space: str) -> str:
    n, theory = model.tables.size, model.theory
    elements = [f"u{k}" for k in range(n)]
    names = Identifiers(LEGAL, [*RESERVED, *_OWN, *elements, space])
    calculus = calculus_of(names, "forall", "exists")
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
    lines.append(f"Theorem refuted : ~ ({implication(model, calculus, '->')}).")
    lines.append(f"Proof. intro _h. generalize ({given}). clear _h. vm_compute.")
    lines.append("intro _h. repeat (destruct _h as [_w _h]; destruct _w); discriminate _h. Qed.")
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
