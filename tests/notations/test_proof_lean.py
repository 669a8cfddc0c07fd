"""Proofs for Lean; `make lean-check` lets Lean itself read them."""

from __future__ import annotations

import re

from proof_samples import existential, ladder, left_inverses, nasty, trivial, varied, walk
from threesil.notations.writing.lean import write_lean


def test_the_whole_text() -> None:
    nothing, band = trivial()[0], existential()[-1]
    assert write_lean([nothing, band]).splitlines() == [
        "universe u",
        "",
        "structure bands (U : Type u) where",
        "  mul : U → U → U",
        "  idem : ∀ (x : U), (mul x x) = x",
        "namespace bands_proofs",
        "theorem nothing {U : Type u} (M : bands U) : ∀ (x : U), x = x :=",
        "  fun (x : U) =>",
        "  (@Eq.refl U x)",
        "theorem band {U : Type u} (M : bands U) : ∀ (y : U), ∃ (x : U), (M.mul x y) = y :=",
        "  fun (y : U) =>",
        "  (@Exists.intro U (fun (x : U) => (M.mul x y) = y) y",
        "  (M.idem y))",
        "end bands_proofs",
    ]


def test_a_step_says_what_it_is_applied_to() -> None:
    text = write_lean([left_inverses()])
    assert "(@congrArg U U (M.mul (M.i x) x) M.e (fun (_z : U) => (M.mul _z y)) (M.inv x))" in text
    assert "(Eq.symm ((twice M) x))" in text


def test_names_are_legal_and_different() -> None:
    text = write_lean(nasty())
    declared = re.findall(r"^(?:theorem|structure| ) (\S+) (?:[({]\w* |: )", text, re.M)
    declared = [name for name in declared if name != "fun"]  # which begins a proof
    declared += re.findall(r"^namespace (\S+)$", text, re.M)
    assert len(declared) == len(set(declared))
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) for name in declared)
    assert not {"end", "fun", "forall", "Type", "theorem", "at"} & set(declared)


def test_lemmas_are_theorems_and_theories_structures() -> None:
    text = write_lean(varied())
    assert text.count("structure ") == len({proof.theory.digest for proof in varied()}) == 6
    assert write_lean([ladder(25)]).count("theorem ") == 26


def test_a_long_chain_is_nested_a_few_levels_deep() -> None:
    proof = walk(1000, 1)
    deepest = level = 0
    for mark in re.findall(r"\(Eq\.trans|[()]", write_lean([proof])):
        level += mark != ")"
        level -= mark == ")"
        deepest = max(deepest, level)
    assert len(proof.derivation.steps) == 1000
    assert deepest < 40
