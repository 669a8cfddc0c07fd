"""From a saturated completion to a checked decision: its rules, each with its proof."""

from __future__ import annotations

from threesil.confluence import EFFORT, Convergent, NotConvergent, check
from threesil.engine import Budget, Saturated
from threesil.proof import Proof, certify
from threesil.theory import Problem, Theory

_A_SECOND = 50_000  # overlaps and rewrites that are checked in a second, about
_AT_LEAST = 5_000


def convergent(
    theory: Theory, problem: Problem | None, saturated: Saturated, budget: Budget
) -> Convergent:
    """The rules as a system that decides the theory, and refutes the problem if one is given.

    `NotConvergent` says why there is none; the check takes about as long as the budget has left.
    """
    if saturated.unoriented:
        message = f"{saturated.unoriented} of {saturated.count} equations can't be oriented"
        raise NotConvergent(f"completion is saturated, but {message}: nothing is certified")
    if not saturated.lemmas and saturated.names:
        raise NotConvergent("completion is saturated, but the proofs of its rules are too long")
    proofs: dict[str, Proof] = {}
    for lemma, derivation in saturated.lemmas:
        cited = dict.fromkeys(step.equation for step in derivation.steps)
        known = [proofs[name] for name in cited if name in proofs]
        proofs[lemma.name] = certify(theory, lemma, derivation, known)
    effort = int(min(EFFORT, max(_AT_LEAST, budget.seconds * _A_SECOND)))
    rules = [proofs[name] for name in saturated.names]
    return check(theory, problem, saturated.order, rules, effort)
