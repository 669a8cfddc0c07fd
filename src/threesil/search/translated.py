"""A search in a theory that corresponds to the problem's: another one's model may guide it.

A model reads the symbols of its own theory and judges that theory's actions. Where these are the
user's but for names, or some of them are, the problem is translated, looked for there, and what is
found is translated back and certified here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from threesil.engine import Budget, Found, Guided, Status
from threesil.kernel.matching import Correspondence, find_correspondence
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import Derivation
from threesil.kernel.theory import Direction, Goal, Problem, Theory
from threesil.proofs.translation import (
    translate_derivation,
    translate_problem,
    translate_proof,
    translate_theorem,
)
from threesil.search.learned import Learned
from threesil.search.single import GuidedTerms
from threesil.search.strategy import Strategy


class Translated(Strategy):
    """The strategy `inner` of the theory that `by` is a correspondence from."""

    name: ClassVar = "translated"
    about: ClassVar = "a search in a theory that corresponds to this one"
    shortens: ClassVar = False

    def __init__(self, inner: Strategy, by: Correspondence) -> None:
        super().__init__(by.whole, seed=inner.seed)
        self.inner, self.by = inner, by
        self.note = note_on(by)

    @property
    def called(self) -> str:
        return self.inner.called

    def search(self, problem: Problem, budget: Budget) -> Found:
        theirs = translate_problem(problem, self.by)
        if theirs is None:
            return Found(Status.EXHAUSTED, 0)
        found = self.inner.search(theirs, budget)
        if found.derivation is None:
            return found
        derivation = translate_derivation(found.derivation, problem, self.by)
        return replace(found, actions=[], derivation=derivation)

    def _prove(self, problem: Problem, budget: Budget) -> Outcome:
        theirs = translate_problem(problem, self.by)
        if theirs is None:
            reason = f"it has functions that {self.by.part.name} lacks"
            return Outcome(problem, SZS.GAVE_UP, by=self.called, reason=reason)
        outcome = self.inner.prove(theirs, budget)
        proof = outcome.proof and translate_proof(outcome.proof, problem, self.by)
        return replace(outcome, problem=problem, proof=proof)

    def explore(
        self, problem: Problem, budget: Budget, *, count: int, seed: int = 0
    ) -> list[tuple[Derivation, float]]:
        """As `Guided.explore`; nothing if there is no model or the problem can't be translated."""
        theirs, network = translate_problem(problem, self.by), self.inner.network
        if theirs is None or network is None:
            return []
        search = Guided(self.inner.theory, network)
        found = search.explore(theirs, budget, count=count, seed=seed)
        return [(translate_derivation(path, problem, self.by), log) for path, log in found]


def translated_learned(learned: Learned, by: Correspondence) -> Learned:
    """What was learned of a theory all of whose equations `by.whole` has, in the words of that."""
    lemmas = tuple(translate_theorem(lemma, by) for lemma in learned.lemmas)
    names = {
        old.problem.name: new.problem.name for old, new in zip(learned.lemmas, lemmas, strict=True)
    }
    costs: dict[tuple[str, Direction], float] = {}
    for (name, way), cost in learned.costs.items():
        if name in by.equations:
            other = by.equations[name]
            costs[other.name, way.reverse if other.swapped else way] = cost
        elif name in names:
            costs[names[name], way] = cost
    return replace(
        learned, theory=by.whole, lemmas=lemmas, costs=costs, by=by.symbols, note=note_on(by)
    )


def learned_search(learned: Learned, *, seed: int = 0) -> Strategy:
    """The search that a learned policy guides; lemmas are among its equations."""
    assert learned.policy is not None
    there, network = learned.policy.theory, learned.policy.network()
    if learned.by is None:
        return GuidedTerms(there, network, seed=seed)
    by = Correspondence(there, learned.extended, learned.by)
    return Translated(GuidedTerms(there, network, seed=seed), by)


def common_part(known: Theory, theory: Theory) -> Correspondence | None:
    """The correspondence from a known theory to another one that has equations in common with it.

    It is looked for in three cases: the other theory contains the known one; it is contained in
    it; it has all its axioms and definitions, whatever lemmas it knows. None in all others.
    """
    if known.goal is not Goal.EQUATION or theory.goal is not Goal.EQUATION:
        return None
    found = find_correspondence(known, theory)
    if found is None and (around := find_correspondence(theory, known)):
        found = around.inverse
    later = [lemma.name for lemma in known.lemmas]
    if found is None and later:
        core = find_correspondence(known.without(later, known.name), theory)
        found = core and Correspondence(known, theory, core.symbols)
    return found if found and found.equations else None


def theory_of_search(by: Correspondence) -> Theory:
    """The known theory, or its part with those equations that the other theory has too."""
    if by.total:
        return by.part
    missing = [e.name for e in by.part.equations if e.name not in by.equations]
    return by.part.without(missing, f"{by.part.name} in {by.whole.name}")


def note_on(by: Correspondence) -> str:
    """Which model is used, and why, for people."""
    renamed = any(symbol != image for symbol, image in by.symbols.items())
    names = " under other names" if renamed else ""
    if by.exact:
        how = f"its equations are these{names}"
    elif by.total:
        how = f"its equations are among these{names}"
    elif by.inverse.total:
        how = f"these equations are among its own{names}"
    else:
        how = f"{len(by.equations)} of its equations are among these{names}"
    return f"uses the model of {by.part.name}: {how}"
