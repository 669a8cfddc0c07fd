"""The searches, each by itself: plain, saturate, guided over terms; completion of the theory."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from threesil.engine import (
    Budget,
    Completion,
    CompletionRun,
    Found,
    Guided,
    Network,
    OrderChoice,
    Saturation,
    SaturationRun,
    Selection,
    Status,
    TermSearch,
)
from threesil.kernel.theory import Problem, Theory
from threesil.nets.pair_model import PairModel, find_pair_model
from threesil.search.deciding import relevant
from threesil.search.learned import Costs, Learned
from threesil.search.strategy import Need, Strategy

_TURNS = 1  # critical pairs that the network picks for each one by size


class Plain(Strategy):
    name: ClassVar = "plain"
    about: ClassVar = "bidirectional search over terms with fixed costs, no learning"
    shortens: ClassVar = False

    def __init__(self, theory: Theory, network: Network | None = None, *, seed: int = 0) -> None:
        super().__init__(theory, network, seed=seed)
        self._search = TermSearch(theory)

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self._search.prove(problem, budget)


class Saturate(Strategy):
    name: ClassVar = "saturate"
    about: ClassVar = "a congruence closure that grows, no learning"

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        depth_cost: int = 6,
        own_cost: float = 12.0,
        rule_costs: Costs | None = None,
    ) -> None:
        super().__init__(theory, network, seed=seed)
        self._search = Saturation(
            theory, depth_cost=depth_cost, own_cost=own_cost, rule_costs=rule_costs
        )

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.begin(problem, budget.terms).run(budget)

    def begin(self, problem: Problem, terms: int) -> SaturationRun:
        del terms
        return self._search.begin(problem)


class GuidedTerms(Strategy):
    name: ClassVar = "guided"
    about: ClassVar = "bidirectional search over terms with learned costs"
    needs_model: ClassVar = Need.ALWAYS

    def __init__(self, theory: Theory, network: Network | None = None, *, seed: int = 0) -> None:
        super().__init__(theory, network, seed=seed)
        assert self.network is not None
        self.guided = Guided(theory, self.network)

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.guided.prove(problem, budget, seed=self.seed)


class Complete(Strategy):
    name: ClassVar = "complete"
    about: ClassVar = "unfailing completion: rules and lemmas of its own, no learning"
    existential: ClassVar = True
    shortens: ClassVar = False

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        order: OrderChoice | None = None,
        fair: int = 0,
    ) -> None:
        super().__init__(theory, network, seed=seed)
        self._order, self._fair = order, fair
        self._selection: Selection | None = None

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.begin(problem, budget.terms).run(budget)

    def begin(self, problem: Problem, terms: int) -> Completing:
        assert problem.target is not None
        theory = relevant(self.theory, problem.start, problem.target)
        completion = Completion(
            theory, order=self._order, selection=self._selection, fair=self._fair
        )
        return Completing(completion.begin(problem, pairs=terms))


class Select(Complete):
    name: ClassVar = "select"
    about: ClassVar = "completion that takes critical pairs as a network has learned, and by size"
    needs_model: ClassVar = Need.GENERAL

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        order: OrderChoice | None = None,
        model: PairModel | None = None,
        turns: int = _TURNS,
    ) -> None:
        """`turns` pairs by the network for each one by size; by default the model that comes along.

        The seed decides the vectors of symbols, for networks that read terms.
        """
        super().__init__(theory, network, seed=seed, order=order)
        found = model or find_pair_model(None)
        self._selection = Selection(found.network(), turns=turns, seed=seed)


class WithLemmas(Strategy):
    """A search that uses learned lemmas like equations; its proofs hold the proofs of these."""

    name: ClassVar = "with lemmas"
    about: ClassVar = "a search in the theory and what is known to follow from it"

    def __init__(self, inner: Strategy, learned: Learned) -> None:
        super().__init__(learned.theory, seed=inner.seed)
        self.inner = inner
        self.use(learned)

    @property
    def called(self) -> str:
        return self.inner.called

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.inner.search(problem, budget)


class Completing:
    """A completion under way that hands over its rules when nothing is left to do."""

    def __init__(self, completion: CompletionRun) -> None:
        self.completion = completion

    def run(self, budget: Budget) -> Found:
        found = self.completion.run(budget)
        if found.status is Status.EXHAUSTED:
            found = replace(found, saturated=self.completion.saturated(budget.stop, budget.whole))
        return found
