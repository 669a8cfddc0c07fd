"""The search over terms that a policy guides."""

from __future__ import annotations

from typing import Any

from threesil.engine import Budget, Found, Guided, Network
from threesil.errors import InputError
from threesil.kernel.matching import Correspondence
from threesil.kernel.theory import Problem, Theory
from threesil.search.learned import Learned
from threesil.search.searcher import Searcher, WithLemmas
from threesil.search.translated import Translated, with_policy
from threesil.search.weights import Uses, Weights


class GuidedTerms(Searcher):
    name = "guided"
    about = "bidirectional search over terms with learned costs"
    uses = frozenset({Uses.LEMMAS, Uses.POLICY})
    requires = frozenset({Uses.POLICY})

    def __init__(self, theory: Theory, network: Network | None = None, *, seed: int = 0) -> None:
        super().__init__(theory, network, seed=seed)
        assert self.network is not None
        self.guided = Guided(theory, self.network)

    @classmethod
    def make(cls, theory: Theory, weights: Weights, seed: int, **options: Any) -> Searcher:
        if weights.learned is not None:
            if weights.learned.policy is None:
                raise InputError("this run has no policy yet: expected a finished run")
            return WithLemmas(learned_search(weights.learned, seed=seed), weights.learned)
        if weights.policy is None:
            return cls(theory, seed=seed, **options)
        return with_policy(cls, theory, weights.policy, seed, **options)

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.guided.prove(problem, budget, seed=self.seed)


def learned_search(learned: Learned, *, seed: int = 0) -> Searcher:
    """The search that a learned policy guides; lemmas are among its equations."""
    assert learned.policy is not None
    there, network = learned.policy.theory, learned.policy.network()
    if learned.by is None:
        return GuidedTerms(there, network, seed=seed)
    by = Correspondence(there, learned.extended, learned.by)
    return Translated(GuidedTerms(there, network, seed=seed), by)
