"""From a saturated completion to a checked decision: its rules, each with its proof.

Completion can't turn a definition such as c(x,y) := i(y*x)*(x*y) into a rule that unfolds it, for
the right side is the larger one; left in, it keeps completion from coming to an end. Definitions
that neither the goal nor the other equations need are left out.
"""

from __future__ import annotations

from threesil.confluence import (
    EFFORT,
    Convergent,
    NotConvergent,
    Order,
    base_symbols,
    check,
)
from threesil.engine import Budget, Saturated
from threesil.proof import Proof, certify
from threesil.terms import Term
from threesil.theory import Problem, Theory

_A_SECOND = 50_000  # overlaps and rewrites that are checked in a second, about
_AT_LEAST = 5_000
_ALL = "completion has nothing left to do"


def convergent(
    theory: Theory, problem: Problem | None, saturated: Saturated, budget: Budget
) -> Convergent:
    """The rules as a system that decides the theory, and refutes the problem if one is given.

    `NotConvergent` says why there is none; the check takes about as long as the budget has left.
    """
    if saturated.unoriented:
        message = f"{saturated.unoriented} of {len(saturated.names)} equations can't be oriented"
        raise NotConvergent(f"{_ALL}, but {message}")
    if not saturated.lemmas and saturated.names:
        raise NotConvergent(f"{_ALL}, but the proofs of its rules are too long")
    proofs: dict[str, Proof] = {}
    for lemma, derivation in saturated.lemmas:
        cited = dict.fromkeys(step.equation for step in derivation.steps)
        known = [proofs[name] for name in cited if name in proofs]
        proofs[lemma.name] = certify(theory, lemma, derivation, known)
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
    needed = {t.head for term in terms for t in term.distinct()}
    waiting = list(theory.equations)
    while True:
        ready = [e for e in waiting if e.kind != "definition" or e.lhs.head in needed]
        if not ready:
            break
        waiting = [equation for equation in waiting if equation not in ready]
        for equation in ready:
            needed |= {t.head for side in (equation.lhs, equation.rhs) for t in side.distinct()}
    return theory.without([e.name for e in waiting], theory.name) if waiting else theory
