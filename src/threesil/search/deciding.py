"""From a saturated completion to a checked decision: its rules, each with its proof.

Completion can't turn a definition such as c(x,y) := i(y*x)*(x*y) into a rule that unfolds it, for
the right side is the larger one; left in, it keeps completion from coming to an end. Definitions
that neither the goal nor the other equations need are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from threesil.engine import Budget, Saturated
from threesil.kernel.confluence import (
    EFFORT,
    Convergent,
    NotConvergent,
    Order,
    base_symbols,
    check,
)
from threesil.kernel.lemmas import certified
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term
from threesil.kernel.theory import Problem, Theory

_A_SECOND = 50_000  # overlaps and rewrites that are checked in a second, about
_AT_LEAST = 5_000
_ALL = "completion has nothing left to do"


def convergent(
    theory: Theory,
    problem: Problem | None,
    saturated: Saturated,
    budget: Budget,
    library: Mapping[str, Proof] | None = None,
) -> Convergent:
    """The rules as a system that decides the theory, and refutes the problem if one is given.

    `NotConvergent` says why there is none; the check takes about as long as the budget has left.
    `library`: lemmas by name, with which completion began.
    """
    if saturated.unoriented:
        message = f"{saturated.unoriented} of {len(saturated.names)} equations can't be oriented"
        raise NotConvergent(f"{_ALL}, but {message}")
    if not saturated.lemmas and saturated.names:
        raise NotConvergent(f"{_ALL}, but the proofs of its rules are too long")
    proofs = certified(theory, saturated.lemmas, library)
    effort = int(min(EFFORT, max(_AT_LEAST, budget.seconds * _A_SECOND)))
    rules = [proofs[name] for name in saturated.names]
    order = _without_definitions(saturated.order, theory)
    try:
        return check(theory, problem, order, rules, effort)
    except NotConvergent as error:
        raise NotConvergent(f"{_ALL}, but {error}") from None


def _without_definitions(order: Order, theory: Theory) -> Order:
    base = base_symbols(theory)
    weights = {symbol: order.weights[symbol] for symbol in base}
    return Order(weights, order.variable, tuple(f for f in order.precedence if f in weights))


def relevant(theory: Theory, *terms: Term) -> Theory:
    """The theory without the definitions that these terms and the other equations do not need."""
    always, waiting = _layers(theory)
    needed = {t.head for term in terms for t in term.distinct()} | always
    while ready := [one for one in waiting if one.symbol in needed]:
        waiting = [one for one in waiting if one.symbol not in needed]
        needed.update(*(one.symbols for one in ready))
    return _without(theory, frozenset(one.name for one in waiting)) if waiting else theory


class _Definition(NamedTuple):
    """A definition's name, what it defines, and all of its symbols."""

    name: str
    symbol: str
    symbols: frozenset[str]


@lru_cache(maxsize=64)
def _layers(theory: Theory) -> tuple[frozenset[str], list[_Definition]]:
    """The symbols of all equations but definitions; the definitions."""
    always: set[str] = set()
    definitions = []
    for equation in theory.equations:
        symbols = {t.head for side in (equation.lhs, equation.rhs) for t in side.distinct()}
        if equation.kind == "definition":
            head = equation.lhs.head
            definitions.append(_Definition(equation.name, head, frozenset(symbols)))
        else:
            always |= symbols
    return frozenset(always), definitions


@lru_cache(maxsize=64)
def _without(theory: Theory, names: frozenset[str]) -> Theory:
    return theory.without(names, theory.name)
