"""The searches that need no policy: over terms, by saturation, by completion."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from threesil.engine import (
    Budget,
    Completion,
    CompletionRun,
    Found,
    Hints,
    Network,
    OrderChoice,
    Saturation,
    SaturationRun,
    Selection,
    Status,
    TermSearch,
)
from threesil.kernel.theory import Problem, Theory
from threesil.nets.judge import Judge
from threesil.runs.weights import find_judge
from threesil.search.deciding import relevant
from threesil.search.learned import Costs
from threesil.search.searcher import Searcher, WithLemmas
from threesil.search.weights import Uses, Weights

_TURNS = 1  # critical pairs that the network picks for each one by size


class Plain(Searcher):
    name = "plain"
    about = "bidirectional search over terms with fixed costs, no learning"
    shortens = False

    def __init__(self, theory: Theory, network: Network | None = None, *, seed: int = 0) -> None:
        super().__init__(theory, network, seed=seed)

    @cached_property
    def _search(self) -> TermSearch:
        return TermSearch(self.theory)

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self._search.prove(problem, budget)


class Saturate(Searcher):
    name = "saturate"
    about = "a congruence closure that grows, no learning"
    uses = frozenset({Uses.LEMMAS})

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
        self._make = partial(
            Saturation, theory, depth_cost=depth_cost, own_cost=own_cost, rule_costs=rule_costs
        )

    @cached_property
    def _search(self) -> Saturation:
        return self._make()

    @classmethod
    def make(cls, theory: Theory, weights: Weights, seed: int, **options: Any) -> Searcher:
        known = weights.learned
        if known is None:
            return cls(theory, seed=seed, **options)
        search = cls(known.extended, seed=seed, rule_costs=known.costs, **options)
        return WithLemmas(search, known)

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.begin(problem, budget.terms).run(budget)

    def begin(self, problem: Problem, terms: int) -> SaturationRun:
        del terms
        return self._search.begin(problem)


class Complete(Searcher):
    name = "complete"
    about = "unfailing completion: rules and lemmas of its own, no learning"
    existential = True
    shortens = False
    options: tuple[str, ...] = ("hints",)

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        order: OrderChoice | None = None,
        fair: int = 0,
        hints: Hints | None = None,
    ) -> None:
        super().__init__(theory, network, seed=seed)
        self._order, self._fair, self._hints = order, fair, hints

    @property
    def selection(self) -> Selection | None:
        """How critical pairs are taken, if not by size."""
        return None

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.begin(problem, budget.terms).run(budget)

    def begin(self, problem: Problem, terms: int) -> Completing:
        assert problem.target is not None
        theory = relevant(self.theory, problem.start, problem.target)
        completion = Completion(
            theory,
            order=self._order,
            selection=self.selection,
            fair=self._fair,
            hints=self._hints,
        )
        return Completing(completion.begin(problem, pairs=terms))


class Select(Complete):
    name = "select"
    about = "completion that takes critical pairs as a network has learned, and by size"
    uses = frozenset({Uses.LEMMAS, Uses.PAIRS})
    requires = frozenset({Uses.PAIRS})
    options = ()

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        order: OrderChoice | None = None,
        judge: Judge | None = None,
        turns: int = _TURNS,
    ) -> None:
        """`turns` pairs by the network for each one by size; by default the bundled weights.

        The seed decides the vectors of symbols, for networks that read terms.
        """
        super().__init__(theory, network, seed=seed, order=order)
        self._judge, self._turns = judge, turns

    @cached_property
    def selection(self) -> Selection:  # slow to load, and easy problems do not come to it
        judge = self._judge or find_judge(None)
        return Selection(judge.network(), turns=self._turns, seed=self.seed)

    @classmethod
    def make(cls, theory: Theory, weights: Weights, seed: int, **options: Any) -> Searcher:
        judge = weights.learned.pairs if weights.learned else weights.pairs
        return cls(theory, seed=seed, judge=judge, **options)


class Completing:
    """A completion under way that gives its rules when nothing is left to do."""

    def __init__(self, completion: CompletionRun) -> None:
        self.completion = completion

    def run(self, budget: Budget) -> Found:
        found = self.completion.run(budget)
        if found.status is Status.EXHAUSTED:
            found = replace(found, saturated=self.completion.saturated(budget.stop, budget.whole))
        return found
