"""Lean files: which theorems are read, in which theory, and what is said of the others."""

from __future__ import annotations

import re

import pytest

from proof_samples import GROUPS, left_inverses, varied
from threesil.errors import InputError
from threesil.kernel.proof import Proof
from threesil.notations.infix import format_equation, format_term
from threesil.notations.lines import Text
from threesil.notations.reading import notation_of, parse
from threesil.notations.reading.lean import LeanFile, read_lean
from threesil.notations.reading.typed import understood
from threesil.notations.writing.lean import write_lean


def read(text: str) -> LeanFile:
    return read_lean(Text("Goals.lean", text), "Goals")


def said(text: str) -> list[str]:
    """The goals as people read them."""
    return [understood(goal.problem, goal.theory) for goal in read(text).goals]


def given(text: str) -> list[str]:
    """The equations of the first goal."""
    theory = read(text).goals[0].theory
    return [format_equation(e, theory.signature) for e in theory.equations]


ARGUMENTS = "{M : Type u} (mul : M → M → M) (e : M)"


def test_arguments_and_hypotheses() -> None:
    text = (
        f"theorem t {ARGUMENTS} (h : ∀ x y : M, mul x y = mul y x) (a : M) : mul a e = e := sorry"
    )
    assert said(text) == ["for all a, e: mul(a,e) = e"]
    assert given(text) == ["mul(x,y) = mul(y,x)"]


@pytest.mark.parametrize(
    "end", [":= sorry", ":= by sorry", ":= by\n  sorry", ":=\n by -- how\n sorry"]
)
@pytest.mark.parametrize(
    "head", ["theorem t", "lemma t.{u}", "example", "@[simp] private theorem t"]
)
def test_ways_to_leave_a_proof_out(head: str, end: str) -> None:
    assert said(f"{head} (M : Type*) (f : M → M) : ∀ x, f x = x {end}") == ["for all x: f(x) = x"]


def test_what_a_hypothesis_is_about_is_a_constant() -> None:
    text = f"theorem t {ARGUMENTS} (a : M) (h : mul a e = a) : mul e a = a := sorry"
    assert said(text) == ["mul(e,a) = a"] and given(text) == ["mul(a,e) = a"]
    assert read(text).goals[0].problem.name == "t"


def test_variables_that_a_statement_mentions() -> None:
    text = """
variable {M : Type u} (mul inv : M → M) (h : ∀ x, mul x = x) (g : ∀ x, inv x = x)
theorem one (a : M) : mul a = a := sorry
include h
theorem two (a : M) : mul a = a := sorry
section
variable (k : ∀ x, mul x = inv x) in
theorem three (a : M) : mul a = a := sorry
end
omit h
theorem four (a : M) : mul a = a := sorry
"""
    found = [
        (goal.problem.name, [e.name for e in goal.theory.equations]) for goal in read(text).goals
    ]
    assert found == [("one", []), ("two", ["h"]), ("three", ["h", "k"]), ("four", [])]


CLASSES = """
class Magma (M : Type u) where
  /-- a product -/
  op : M → M → M
class Band (M : Type u) extends Magma M, One M where
  idem (x : M) : op x x = x
  one_op : ∀ {x : M}, op 1 x = x
"""


def test_classes_and_what_they_extend() -> None:
    text = CLASSES + "theorem t [Band M] (x : M) : Magma.op x 1 = x := sorry"
    text = text.replace("theorem t", "theorem t {M : Type u}")
    assert given(text) == ["op(x,x) = x", "op(1,x) = x"]
    goal = read(text).goals[0]
    assert goal.gap.cited["one_op"].text == "Band.one_op" and goal.gap.kind == "M"
    assert goal.theory.name == "Band"


def test_structures_as_arguments() -> None:
    text = CLASSES.replace("class", "structure")
    text += "theorem t {A : Type} (B : Band A) (C : Magma A) (x : A) : B.op x x = C.op x x := sorry"
    assert said(text) == ['for all x: op(x,x) = "C.op"(x,x)']


def test_namespaces_and_operators() -> None:
    text = """
namespace Outer
class Sq (M : Type u) where
  (op : M → M → M) (inv : M → M)
  law : ∀ x : M, op x (inv x) = x
namespace Sq
local infixl:65 (priority := high) " ⋆ " => op
scoped postfix:max "ˣ" => inv
variable {M : Type u} [Sq M]
theorem t (x y : M) : x ⋆ yˣ ⋆ y = x ⋆ (y ⋆ y)ˣ := sorry
end Sq
open Sq in
theorem u {M : Type u} [Sq M] (x : M) : Sq.op x x = x := sorry
end Outer
theorem v {M : Type u} [Outer.Sq M] (x : M) : Outer.Sq.op x x = x := sorry
"""
    assert said(text) == [
        "for all x, y: op(op(x,inv(y)),y) = op(x,inv(op(y,y)))",
        "for all x: op(x,x) = x",
        "for all x: op(x,x) = x",
    ]
    goals = read(text).goals
    assert [goal.problem.name for goal in goals] == ["Outer.Sq.t", "Outer.u", "v"]
    assert [goal.gap.cited["law"].text for goal in goals] == ["law", "Sq.law", "Outer.Sq.law"]
    assert goals[1].theory is goals[2].theory


def test_operators_bind_as_in_lean() -> None:
    text = "theorem t [Mul M] [Add M] [Neg M] [Inv M] (f : M → M) (x y : M) : {} := sorry"
    text = text.replace("theorem t", "theorem t {M : Type u}")
    for one, other in (
        ("x * y + -x * y⁻¹ = x", "(x * y) + ((-x) * (y⁻¹)) = x"),
        ("f x⁻¹ * f y = x", "(f (x⁻¹)) * (f y) = x"),
        ("x + y + x = (f x : M)", "(x + y) + x = f x"),
    ):
        assert said(text.replace("{}", one)) == said(text.replace("{}", other)) != []


def test_names_in_unicode() -> None:
    text = "theorem ümlaut {α₁ : Type u} (τ' «a b» : α₁ → α₁) (x₀ : α₁) : τ' x₀ = «a b» x₀ := sorry"
    assert len(said(text)) == 1
    assert read(text).goals[0].problem.name == "ümlaut"


def test_comments_and_strings_hide_what_is_in_them() -> None:
    text = '/- /- theorem a : x = y := sorry -/ sorry -/\n#eval "theorem b := sorry"\n-- sorry\n'
    assert read(text).notes == () and said(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theorem t (a : M) : f a = a := by\n  simp\n  sorry", "its proof is more than a sorry"),
        ("theorem t (f : M → M) (a : M) : f a = a ∧ f a = a := sorry", "expected an operator"),
        ("theorem t (f : M → M) (a : M) (h : a ≠ a) : f a = a := sorry", "found '≠'"),
        ("theorem t (f : M → M) (a : M) (N : Type) : f a = a := sorry", "one type of elements"),
        ("theorem t (f : M → M) (a : M) [Group M] : f a = a := sorry", "Group is no class of this"),
        ("theorem t (f : M → M) (a : M) : f a = q := sorry", "q is not known here"),
        ("theorem t (f : M → M) (a : M) : f a a = a := sorry", "no operation that could have"),
        ("theorem t (f : M → M) : ∃ x, f x = x := sorry", "the type may be empty"),
        ("theorem t (f : M → M) : ∃ x, ∀ y, f x = y := sorry", "∀ behind ∃ is not read"),
        ("theorem t (f : M → M) (a : M := 3) : f a = a := sorry", "with a default"),
        ("def t : Nat := sorry", "the proof of a theorem only"),
        ("theorem t (sorry : M → M) (a : M) : sorry a = a := sorry", "sorry can't stand in"),
        ("theorem t [Mul M] [Mul M] (a : M) : a * a = a := sorry", "two operations *"),
    ],
)
def test_what_is_not_read_is_named_by_line(text: str, message: str) -> None:
    rest = "\ntheorem rest (f : M → M) (a : M) : f (f a) = a := sorry"
    file = read("variable {M : Type u}\n\n" + text + rest)
    assert [goal.problem.name for goal in file.goals] == ["rest"]
    assert len(file.notes) == 1 and message in file.notes[0]
    assert re.match(r"line [345] is left as it is: ", file.notes[0])


def test_two_theorems_of_one_name() -> None:
    text = "theorem t {M : Type u} (a : M) : a = a := sorry\n"
    assert read(text + text).notes == (
        "line 2 is left as it is: there is a theorem t already, at line 1",
    )


def test_a_comment_that_is_never_closed() -> None:
    with pytest.raises(InputError, match="never closed"):
        read("theorem t : x = y := sorry /- /- -/")


def test_a_file_is_known_by_its_first_word() -> None:
    for text in ("/- a -/ -- b\nimport X", "@[simp] theorem t", "variable (M : Type)"):
        assert notation_of(text) == "lean"
    assert notation_of("variable = x") is None


def test_as_a_document() -> None:
    text = CLASSES + "variable {M : Type u} [Band M]\n"
    text += "theorem t (x : M) : Magma.op x x = x := sorry\n"
    document = parse(text + text[-50:].replace("t (", "u (")[text[-50:].index("theorem") :])
    assert [p.name for p in document.problems] == ["t", "u"] and document.notation == "lean"
    assert len(parse(CLASSES).theory.equations) == 2
    with pytest.raises(InputError, match="other hypotheses"):
        parse(text + "theorem u (x : M) (h : x = 1) : x = x := sorry\n")


def test_what_is_written_is_read_again() -> None:
    """Proofs of all kinds are written for Lean; their statements are what they were."""
    for one in [*varied()[:40], left_inverses()]:
        text = write_lean([one])
        cut = re.sub(r"(theorem [^\n]* :=)\n.*?(?=\n\n)", r"\1 sorry", text, flags=re.DOTALL)
        file = read(cut)
        assert file.notes == ()
        assert _shape(file, one), text


def _shape(file: LeanFile, proof: Proof) -> bool:
    last = file.goals[-1]
    sides = [proof.problem.start, proof.problem.target or proof.derivation.end]
    now = [last.problem.start, last.problem.target]
    same_sizes = [side.size for side in sides] == [side.size for side in now if side is not None]
    return same_sizes and len(last.theory.equations) == len(proof.axioms)


def test_groups_are_read_again_word_for_word() -> None:
    text = write_lean([left_inverses()])
    cut = re.sub(r"(theorem [^\n]* :=)\n.*?(?=\n\n)", r"\1 sorry", text, flags=re.DOTALL)
    goal = read(cut).goals[-1]
    assert format_term(goal.problem.start, goal.theory.signature) == "mul(x,i(x))"
    assert [e.name for e in goal.theory.equations] == [e.name for e in GROUPS.equations]
