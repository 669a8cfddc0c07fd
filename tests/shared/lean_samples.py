"""Lean files with many statements, in all the ways in which one says what they are about."""

from __future__ import annotations

import re

from threesil.engine import Budget
from threesil.kernel.outcome import Outcome
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Problem, Theory
from threesil.notations.lines import Text
from threesil.notations.reading.lean import read_lean
from threesil.notations.reading.lean_statements import Gap
from threesil.notations.writing.calc import Calc
from threesil.notations.writing.filling import filled
from threesil.problems.theorems import random_theorems
from threesil.search.prover import Prover
from threesil.search.refute import Refute

# Each says what theorems are about; some arguments of the theorems themselves stand behind it.
HEADERS = {
    "Grp": (
        """class Grp (G : Type u) extends Mul G, Inv G, One G where
  mul_assoc : ∀ a b c : G, a * b * c = a * (b * c)
  one_mul (a : G) : 1 * a = a
  inv_mul : ∀ {a : G}, a⁻¹ * a = 1
variable {G : Type u} [Grp G]
""",
        "",
    ),
    "Lat": (
        """class Semilat (L : Type u) where
  meet : L → L → L
  idem : ∀ x : L, meet x x = x
  comm : ∀ x y : L, meet x y = meet y x
  assoc : ∀ x y z : L, meet (meet x y) z = meet x (meet y z)
class Lat (L : Type u) extends Semilat L where
  join : L → L → L
  join_comm : ∀ x y : L, join x y = join y x
  absorb : ∀ x y : L, meet x (join x y) = x
  absorb' : ∀ x y : L, join x (meet x y) = x
local infixl:69 " ⊓ " => Semilat.meet
local infixl:68 " ⊔ " => Lat.join
variable {L : Type u} [Lat L]
""",
        "",
    ),
    "Loops": (
        """structure Quasigroup (Q : Type u) where
  (mul ld rd : Q → Q → Q)
  ld_mul : ∀ x y, ld x (mul x y) = y
  mul_ld : ∀ x y, mul x (ld x y) = y
  rd_mul : ∀ x y, rd (mul x y) y = x
structure Loop (Q : Type u) extends Quasigroup Q where
  e : Q
  left : ∀ x, mul e x = x
  comm : ∀ x y, mul x y = mul y x
variable {Q : Type u} (q : Loop Q)
""",
        "",
    ),
    "Given": (
        """variable {M : Type u} (mul : M → M → M) (f : M → M) (e : M)
local infixl:70 " ⋆ " => mul
""",
        "(comm : ∀ x y, x ⋆ y = y ⋆ x) (h₁ : ∀ ⦃x⦄, f (f x) = x) (unit : ∀ x : M, x ⋆ e = f x)",
    ),
    "Silly": (
        "variable {α : Type _}\n",
        "(wobble : α → α → α → α) («a b» : α) (τ : ∀ x y z, wobble x y z = wobble y z x) "
        "(again : ∀ (x y : α) (_unused : α), wobble x y «a b» = wobble y x «a b»)",
    ),
}
_ENDS = (":= sorry", ":= by sorry", ":= by\n  sorry", ":=\n  by sorry -- to do")


def goals_file(name: str, count: int, wrong: bool = False) -> str:
    """A namespace with so many statements that follow from what is given, or that do not."""
    header, given = HEADERS[name]
    goal = read_lean(Text(name, f"universe u\n{header}{first(name, given)}"), name).goals[0]
    lines = [f"namespace {name}Samples", header]
    for number, proof in enumerate(random_theorems(goal.theory, steps=4, count=count, seed=1)):
        start, target = proof.problem.start, proof.problem.target
        assert target is not None
        if wrong:
            start = _refuted(goal.theory, start, target)
        said = _statement(goal.gap, proof.problem.variables, (start, target), number % 3 == 0)
        lines.append(f"theorem s_{number} {given} {said} {_ENDS[number % len(_ENDS)]}\n")
    return "\n".join([*lines, f"end {name}Samples\n"])


def _refuted(theory: Theory, start: Term, target: Term) -> Term:
    """Another left side with the same variables, of which a model shows that it is wrong."""
    refute = Refute(theory)
    for position, subterm in reversed(list(start.positions())):
        for name in start.variables():
            other = start.replace(position, var(name))
            if subterm.is_variable or set(other.variables()) != set(start.variables()):
                continue
            problem = Problem("wrong", other, target)
            if refute.solve(problem, Budget(None, 5.0)).model is not None:
                return other
    raise AssertionError(f"nothing wrong was found like {start}")


def first(name: str, given: str) -> str:
    """A statement that mentions all that is given."""
    said = {
        "Grp": "(x : G) : x = x",
        "Lat": "(x : L) : x = x",
        "Loops": "(x : Q) : q.mul x x = q.mul x x",
        "Given": "(x : M) : x = x",
        "Silly": "(x : α) : x = x",
    }
    return f"theorem first {given} {said[name]} := sorry\n"


def _statement(gap: Gap, variables: tuple[str, ...], sides: tuple[Term, Term], bound: bool) -> str:
    """`(x y : M) : s = t`, or `: ∀ x y : M, s = t`."""
    calc = Calc(gap.symbols, str, lambda one: gap.cited[one.name], "t", gap.kind)
    names = f"{' '.join(variables)} : {gap.kind}"
    said = calc.equation(*sides)
    if not variables:
        return f": {said}"
    return f": ∀ {names}, {said}" if bound else f"({names}) : {said}"


def answered(text: str, seconds: float = 60.0) -> tuple[str, list[Outcome]]:
    """The file filled in, and what came of its statements."""
    file = read_lean(Text("Sample.lean", f"universe u\n{text}"), "Sample")
    assert not file.notes, file.notes
    outcomes = [Prover(one.theory).prove(one.problem, seconds=seconds) for one in file.goals]
    return filled(file, outcomes), outcomes


def with_other_proofs(right: str, wrong: str) -> str:
    """The wrong statements with the proofs that the right ones with the same numbers have."""
    proofs = [part.split(":=", 1)[1] for part in _parts(right) if part.startswith("theorem")]
    made, left = list[str](), iter(proofs)
    for part in _parts(wrong):
        said = part.split(":=", 1)[0]
        made.append(f"{said}:={next(left)}" if part.startswith("theorem") else part)
    return "".join(made)


def _parts(text: str) -> list[str]:
    """What stands before the theorems, and each theorem."""
    return re.split(r"(?=^theorem |^end )", text, flags=re.M)
