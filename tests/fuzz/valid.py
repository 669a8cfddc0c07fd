"""Valid certificates of each kind, in small theories: what mutants are made of."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Final

from proof_samples import BANDS, GROUPS, existential, left_inverses, proof, right_unit, theory_of
from threesil.engine import Budget, Completion, OrderChoice
from threesil.kernel.confluence import Convergent
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.proof import Proof, certify
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
from threesil.problems.files import parse_problem
from threesil.problems.generate import random_term, random_walk
from threesil.search.deciding import convergent
from threesil.search.finite.finder import find

INVOLUTION: Final = theory_of("involution", {"f": 1, "c": 0}, twice="f(f(x)) = x", fixed="f(c) = c")
QUASI: Final = theory_of("quasi", {"*": 2, "d": 2}, left="d(x, x * y) = y", right="x * d(x,y) = y")
STRINGS: Final = theory_of("s", {"f": 1, "g": 1, "h": 1}, one="f(g(x)) = h(x)", two="g(h(x)) = x")
UNITS: Final = theory_of("units", {"*": 2, "e": 0}, left="e * x = x", right="x * e = x")


def _with_kinds() -> Theory:
    """A definition and a known equation beside axioms."""
    signature = Signature({"*": 2, "e": 0, "d": 1}, {"*": 1})
    x, y, e = var("x"), var("y"), app("e")
    equations = (
        Equation("unit", app("*", e, x), x),
        Equation("comm", app("*", x, y), app("*", y, x)),
        Equation("d", app("d", x), app("*", x, x), "definition"),
        Equation("right", app("*", x, e), x, "known"),
    )
    actions = (*moves_of(signature), *rewrites_of(equations, Goal.EQUATION))
    return Theory("kinds", "kinds", signature, equations, actions, Goal.EQUATION)


def _counting() -> Theory:
    """Numbers, whose problems are terms to compute."""
    signature = Signature({"+": 2, "S": 1, "0": 0}, {"+": 1})
    x, y = var("x"), var("y")
    equations = (
        Equation("zero", app("+", x, app("0")), x),
        Equation("next", app("+", x, app("S", y)), app("S", app("+", x, y))),
    )
    actions = (*moves_of(signature), *rewrites_of(equations, Goal.NORMAL_FORM))
    return Theory(
        "counting", "c", signature, equations, actions, Goal.NORMAL_FORM, frozenset(("S", "0"))
    )


KINDS: Final = _with_kinds()
COUNTING: Final = _counting()
THEORIES: Final = (GROUPS, BANDS, INVOLUTION, QUASI, UNITS, KINDS, STRINGS)


# What is right to begin with


@cache
def proofs() -> tuple[Proof, ...]:
    """With lemmas, lemmas of lemmas and witnesses; of normal forms; from random walks."""
    made = [left_inverses(), right_unit(), *existential()]
    two = app("S", app("S", app("0")))
    made.append(_walked(COUNTING, app("+", two, two), 9, Random(1), normal=True))
    for number, theory in enumerate((*THEORIES, COUNTING)):
        for seed in range(4):
            random = Random(f"{number} {seed}")
            while not (walk := _walked(theory, random_term(theory, random), 4, random)):
                pass
            made.append(walk)
    flips = [("comm", "->", "", {"x": "x", "y": "x * e"}), ("right", "->", "0", {"x": "x"})]
    made.append(proof(KINDS, "x * (x * e) = d(x)", *flips, ("d", "<-", "", {"x": "x"})))
    return tuple(made)


def _walked(
    theory: Theory, start: Term, steps: int, random: Random, *, normal: bool = False
) -> Proof | None:
    chain = random_walk(theory, start, steps, random, 20)
    if not chain.steps:
        return None
    target = None if normal else chain.end
    return certify(theory, Problem("walk", chain.start, target), chain)


@cache
def models() -> tuple[Countermodel, ...]:
    goals = {
        GROUPS: ("x * x = x", "exists y: y * y = x", "x * (x * x) = e"),
        BANDS: ("x * y = y * x", "x = y", "exists x: x * y = z"),
        INVOLUTION: ("f(x) = x", "x = c"),
        QUASI: ("x * y = y * x", "x = y", "exists y: y * x = x * y"),
        UNITS: ("(x * y) * z = x * (y * z)", "x * x = e"),
        KINDS: ("d(x) = x", "(x * y) * z = x * (y * z)"),
    }
    found: list[Countermodel] = []
    for theory, texts in goals.items():
        problems = [None, *(parse_problem(text, theory) for text in texts)]
        for problem in problems:
            sought = find(theory, [problem], Budget(None, 2.0), smallest=2, largest=4).models
            found += [model for model in sought if model is not None]
    return tuple(found)


@cache
def systems() -> tuple[Convergent, ...]:
    """Small ones most of all: the kernel is quick with these."""
    made: list[Convergent] = []
    asked = {
        INVOLUTION: ("f(x) = x", "x = y"),
        QUASI: ("x * y = y * x", "d(x,y) = x"),
        UNITS: ("x * y = y * x", "x * x = x"),
        STRINGS: ("f(x) = h(x)", "g(g(x)) = f(x)"),
        GROUPS: ("x * y = y * x",),
    }
    for theory, texts in asked.items():
        run = Completion(theory, order=OrderChoice(flatten=False)).begin(
            Problem("all", var("x"), var("y"))
        )
        run.run(Budget(5000, None))
        saturated = run.saturated()
        assert saturated is not None and not saturated.unoriented
        system = convergent(theory, None, saturated, Budget())
        copies = 1 if theory is GROUPS else 6
        made += [system] * copies
        made += [system.refuting(parse_problem(text, theory)) for text in texts] * copies
    return tuple(made)
