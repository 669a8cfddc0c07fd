"""Theories that say the same as others in other words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import (
    Equation,
    Goal,
    Problem,
    Signature,
    Theory,
    moves_of,
    rewrites_of,
)

COMMUTATIVE = "x_by_y"


def theory_of(
    equations: Iterable[Equation], symbols: Mapping[str, int], name: str = "mine"
) -> Theory:
    """A theory to prove equations in; each may be used both ways."""
    listed, signature = tuple(equations), Signature(symbols)
    actions = (*moves_of(signature), *rewrites_of(listed, Goal.EQUATION))
    return Theory(name, "Mine", signature, listed, actions, Goal.EQUATION)


def renamed(term: Term, symbols: Mapping[str, str], variables: Mapping[str, str]) -> Term:
    """The term with other names of symbols and variables."""

    def combine(t: Term, args: tuple[Term, ...]) -> Term:
        return var(variables.get(t.head, t.head)) if t.is_variable else Term(symbols[t.head], args)

    return term.fold(combine)


def disguised(theory: Theory, seed: int) -> tuple[Theory, dict[str, str]]:
    """The theory with other names, shuffled equations and swapped sides; its symbols' new names."""
    random = Random(seed)
    numbers = random.sample(range(len(theory.signature.symbols)), len(theory.signature.symbols))
    symbols = {s: f"f{k}" for s, k in zip(theory.signature.symbols, numbers, strict=True)}
    equations = []
    for number, equation in enumerate(theory.equations):
        names = random.sample("ABCDEFGH", len(equation.variables))
        variables = dict(zip(equation.variables, names, strict=True))
        sides = [renamed(side, symbols, variables) for side in (equation.lhs, equation.rhs)]
        random.shuffle(sides)
        lhs, rhs = sides
        equations.append(Equation(f"law{number}", lhs, rhs))
    random.shuffle(equations)
    arities = [(symbols[s], arity) for s, arity in theory.signature.symbols.items()]
    random.shuffle(arities)
    return theory_of(equations, dict(arities)), symbols


def with_commutativity(theory: Theory, product: str, **constants: int) -> Theory:
    """The theory with one more equation, and constants that only goals mention."""
    x, y = var("x"), var("y")
    added = Equation(COMMUTATIVE, app(product, x, y), app(product, y, x))
    return theory.extended([added], name="more", symbols=constants)


def in_disguise(problem: Problem, symbols: Mapping[str, str]) -> Problem:
    assert problem.target is not None
    start, target = (renamed(side, symbols, {}) for side in (problem.start, problem.target))
    return Problem(problem.name, start, target, exists=problem.exists)
