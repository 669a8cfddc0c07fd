"""Proofs for Lean; `make lean-check` lets Lean itself read them."""

from __future__ import annotations

import re

from proof_samples import (
    existential,
    ladder,
    left_inverses,
    nasty,
    proof,
    theory_of,
    trivial,
    varied,
    walk,
)
from threesil.kernel.proof import Proof
from threesil.notations.writing.lean import write_lean, write_lean_terms


def test_blocks_as_people_write_them() -> None:
    assert write_lean([*left_inverses().lemmas, existential()[2]]).splitlines() == [
        "universe u",
        "namespace Threesil",
        "",
        "class Groups (M : Type u) where",
        "  mul : M → M → M",
        "  i : M → M",
        "  e : M",
        "  unit : ∀ x : M, mul e x = x",
        "  inv : ∀ x : M, mul (i x) x = e",
        "  assoc : ∀ x y z : M, mul (mul x y) z = mul x (mul y z)",
        "namespace Groups",
        "variable {M : Type u} [Groups M]",
        'local infixl:70 (priority := high) " * " => mul',
        "",
        "theorem cancel (x y : M) : i x * (x * y) = y :=",
        "  calc i x * (x * y)",
        "    _ = (i x * x) * y := (assoc (i x) x y).symm",
        "    _ = e * y := congrArg (fun t => t * y) (inv x)",
        "    _ = y := unit y",
        "",
        "theorem twice (x : M) : i (i x) * e = x :=",
        "  calc i (i x) * e",
        "    _ = i (i x) * (i x * x) := congrArg (fun t => i (i x) * t) (inv x).symm",
        "    _ = x := cancel (i x) x",
        "",
        "theorem idempotent : ∃ x : M, x * x = x :=",
        "  ⟨e, unit e⟩",
        "",
        "end Groups",
        "",
        "end Threesil",
    ]


def test_theories_have_namespaces_of_their_own() -> None:
    """Twenty theories in one file, most of them with the name of another one."""
    proofs = [one for number in range(20) for one in in_theory(f"my groups {number % 7}", number)]
    for text in (write_lean(proofs), write_lean_terms(proofs)):
        spaces = re.findall(r"^namespace (\S+)$", text.replace("Threesil", ""), re.M)
        assert len(spaces) == len(set(spaces)) == 20
        classes = re.findall(r"^(?:class|structure) (\S+)", text, re.M)
        assert len(classes) == len(set(classes)) == 20
    assert "class MyGroups0 (M" in write_lean(proofs)


def in_theory(name: str, number: int) -> list[Proof]:
    theory = theory_of(name, {"*": 2, "e": 0, f"c{number}": 0}, unit="e * x = x")
    steps = ("unit", "->", "", {"x": f"c{number}"})
    return [proof(theory, f"e * c{number} = c{number}", steps, name=one) for one in ("p", "q")]


def test_very_long_chains_are_terms() -> None:
    text = write_lean([walk(2000, 1), left_inverses()])
    aim, groups = text.split("class Groups")
    assert "structure Aim (U" in aim and "calc" not in aim and "(Eq.trans" in aim
    assert groups.count("calc") == 3


def test_the_whole_text() -> None:
    nothing, band = trivial()[0], existential()[-1]
    assert write_lean_terms([nothing, band]).splitlines() == [
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
    text = write_lean_terms([left_inverses()])
    assert "(@congrArg U U (M.mul (M.i x) x) M.e (fun (_z : U) => (M.mul _z y)) (M.inv x))" in text
    assert "(Eq.symm ((twice M) x))" in text


def test_names_are_legal_and_different() -> None:
    text = write_lean_terms(nasty())
    declared = re.findall(r"^(?:theorem|structure| ) (\S+) (?:[({]\w* |: )", text, re.M)
    declared = [name for name in declared if name != "fun"]  # which begins a proof
    declared += re.findall(r"^namespace (\S+)$", text, re.M)
    assert len(declared) == len(set(declared))
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) for name in declared)
    assert not {"end", "fun", "forall", "Type", "theorem", "at"} & set(declared)


def test_lemmas_are_theorems_and_theories_structures() -> None:
    text = write_lean_terms(varied())
    assert text.count("structure ") == len({proof.theory.digest for proof in varied()}) == 6
    assert write_lean_terms([ladder(25)]).count("theorem ") == 26


def test_a_long_chain_is_nested_a_few_levels_deep() -> None:
    proof = walk(1000, 1)
    deepest = level = 0
    for mark in re.findall(r"\(Eq\.trans|[()]", write_lean_terms([proof])):
        level += mark != ")"
        level -= mark == ")"
        deepest = max(deepest, level)
    assert len(proof.derivation.steps) == 1000
    assert deepest < 40
