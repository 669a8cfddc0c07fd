"""Refutations for Lean 4, without any library: the theory does not imply the equation.

    namespace refutation_1
    def mul (a0 a1 : Fin 3) : Fin 3 := threesil_digit 2 … ((0 * 3 + a0.val) * 3 + a1.val)
    theorem unit : ∀ (x : Fin 3), mul e x = x := by decide +kernel
    theorem refuted : ¬ ∀ (U : Type) (mul : U → U → U) (e : U),
        (∀ (x : U), mul e x = x) → ∀ (x y : U), mul x y = mul y x :=
      fun h => absurd (h (Fin 3) mul e unit 1 2) (by decide +kernel)
    end refutation_1

A table is one large number, a digit for each value, so that the kernel reads it with its own
arithmetic; `decide` goes through all values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from threesil.kernel.countermodel import Countermodel
from threesil.notations.identifiers import Identifiers
from threesil.notations.writing.model_statement import calculus_of, implication, refuted_problem
from threesil.notations.writing.proof_lean import LEGAL, RESERVED

_HEAD = """set_option maxRecDepth 1000000
/-- The digit of a number in the base n + 1 at a place. -/
def threesil_digit (n number place : Nat) : Fin (n + 1) :=
  ⟨number / (n + 1) ^ place % (n + 1), Nat.mod_lt _ (Nat.succ_pos n)⟩
"""
_OWN = ("refuted", "Fin", "threesil_digit", "h")


def write_lean_models(models: Iterable[Countermodel]) -> str:
    """One file for all models, a namespace for each."""
    sections = (_section(model, f"refutation_{k}") for k, model in enumerate(models, 1))
    return "\n".join([_HEAD, *sections])


def _section(model: Countermodel, space: str) -> str:
    n, theory = model.tables.size, model.theory
    names = Identifiers(LEGAL, [*RESERVED, *_OWN, space])
    calculus = calculus_of(names, "∀", "∃")
    symbols = [calculus.symbol(symbol) for symbol in theory.signature.symbols]
    problem, values = refuted_problem(model)
    for variable in problem.variables:  # named before they are bound
        calculus.variable(variable)
    lines = [f"namespace {space}"]
    for symbol, arity in theory.signature.symbols.items():
        lines.append(_table(calculus.symbol(symbol), model.tables.of[symbol], n, arity))
    equations = [calculus.equation(e.name) for e in theory.equations]
    for name, equation in zip(equations, theory.equations, strict=True):
        said = calculus.axiom(equation).replace(" : U), ", f" : Fin {n}), ")
        lines.append(f"theorem {name} : {said} := by decide +kernel")
    instance = " ".join(["h", f"(Fin {n})", *symbols, *equations, *map(str, values)])
    lines.append(f"theorem refuted : ¬ {implication(model, calculus, '→')} :=")
    lines.append(f"  fun h => absurd ({instance}) (by decide +kernel)")
    return "\n".join([*lines, f"end {space}", ""])


def _table(name: str, table: Sequence[int], n: int, arity: int) -> str:
    number = sum(value * n**place for place, value in enumerate(table))
    args = " ".join(f"a{k}" for k in range(arity))
    place = "0"
    for k in range(arity):
        place = f"({place} * {n} + a{k}.val)"
    head = f"def {name} ({args} : Fin {n})" if arity else f"def {name}"
    return f"{head} : Fin {n} := threesil_digit {n - 1} {number} {place}"
