"""A search in a theory that corresponds to the problem's: another one's policy may guide it.

A policy reads the symbols of its own theory and judges that theory's actions. Where these are the
user's but for names, or some of them are, the problem is translated, looked for there, and what is
found is translated back and certified here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from threesil.engine import Budget, Found, Guided, Status
from threesil.kernel.matching import Correspondence
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import Derivation
from threesil.kernel.theory import Problem, Theory
from threesil.nets.policy import Policy
from threesil.proofs.translation import translate_derivation, translate_problem, translate_proof
from threesil.search.correspondence import common_part, note_on, theory_of_search
from threesil.search.searcher import Searcher
from threesil.search.solver import Explorer


class Translated(Searcher):
    """The search `inner` of the theory that `by` is a correspondence from."""

    shortens = False

    def __init__(self, inner: Searcher, by: Correspondence) -> None:
        super().__init__(by.whole, seed=inner.seed)
        self.inner, self.by = inner, by
        self.name = inner.name
        self.note = note_on(by)

    @property
    def explorer(self) -> Explorer | None:
        return self

    def search(self, problem: Problem, budget: Budget) -> Found:
        theirs = translate_problem(problem, self.by)
        if theirs is None:
            return Found(Status.EXHAUSTED, 0)
        found = self.inner.search(theirs, budget)
        if found.derivation is None:
            return found
        derivation = translate_derivation(found.derivation, problem, self.by)
        return replace(found, actions=[], derivation=derivation)

    def _solve(self, problem: Problem, budget: Budget) -> Outcome:
        theirs = translate_problem(problem, self.by)
        if theirs is None:
            reason = f"it has functions that {self.by.part.name} lacks"
            return Outcome(problem, SZS.GAVE_UP, by=self.name, reason=reason)
        outcome = self.inner.solve(theirs, budget)
        proof = outcome.proof and translate_proof(outcome.proof, problem, self.by)
        return replace(outcome, problem=problem, proof=proof)

    def explore(
        self, problem: Problem, budget: Budget, *, count: int, seed: int = 0
    ) -> list[tuple[Derivation, float]]:
        """As `Guided.explore`; nothing without weights, or if the translation fails."""
        theirs, network = translate_problem(problem, self.by), self.inner.network
        if theirs is None or network is None:
            return []
        search = Guided(self.inner.theory, network)
        found = search.explore(theirs, budget, count=count, seed=seed)
        return [(translate_derivation(path, problem, self.by), log) for path, log in found]


def with_policy(
    kind: type[Searcher], theory: Theory, policy: Policy, seed: int, **options: Any
) -> Searcher:
    """A search that the policy guides: in the theory itself, or in the one that it was made for."""
    network = policy.network()
    if policy.theory.digest in (theory.digest, (theory.base or theory).digest):
        return kind(theory, network, seed=seed, **options)
    by = common_part(policy.theory, theory)
    assert by is not None
    return Translated(kind(theory_of_search(by), network, seed=seed, **options), by)
