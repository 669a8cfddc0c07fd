"""What a counter-model shows, in type theory: the equations do not imply the problem.

    forall (U : Type) (mul : U -> U -> U) (e : U),
      (forall (x : U), (mul e x) = x) -> forall (x y : U), (mul x y) = (mul y x)

is false, for the model is such a U. Without a problem, x = y for all x and y stands in its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.terms import var
from threesil.kernel.theory import Problem
from threesil.notations.identifiers import Identifiers
from threesil.notations.writing.curried import Calculus

_ONE_ELEMENT = Problem("one element", var("x"), var("y"))


def _unused(*_: str) -> str:
    raise AssertionError("there is no chain of rewrites here")


def calculus_of(names: Identifiers, for_all: str, exists: str) -> Calculus:
    """How terms and claims are written; there is nothing to prove by rewriting."""
    return Calculus(
        symbol=lambda symbol: names.of("op", symbol),
        variable=lambda variable: names.of("var", variable),
        equation=lambda equation: names.of("eq", equation),
        for_all=for_all,
        exists=exists,
        congruence=_unused,
        symmetry=_unused,
        transitivity=_unused,
        reflexivity=_unused,
        witness=_unused,
    )


def refuted_problem(model: Countermodel) -> tuple[Problem, Sequence[int]]:
    """The problem, and the values of its variables for which it fails."""
    problem = model.problem
    if problem is None:
        return _ONE_ELEMENT, [0, 1]
    return problem, [model.values[v] for v in problem.variables if v not in problem.exists]


def implication(model: Countermodel, calculus: Calculus, arrow: str) -> str:
    """The claim that is refuted: all types with such operations and equations have the property."""
    problem, _ = refuted_problem(model)
    assert problem.target is not None
    operations = "".join(
        f" ({calculus.symbol(symbol)} : {f'U {arrow} ' * arity}U)"
        for symbol, arity in model.theory.signature.symbols.items()
    )
    given = "".join(f"  ({calculus.axiom(e)}) {arrow}\n" for e in model.theory.equations)
    claim = calculus.claim(problem, problem.target)
    return f"{calculus.for_all} (U : Type){operations},\n{given}  {claim}"
