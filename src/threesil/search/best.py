"""The default solver, a schedule.

It opens with looks so short that weights which do not help cost little, or with what a training
has found to be quick. Searches give each other the shortest facts that they have found, and a part
of the time goes to models in which the equation fails.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from threesil.engine import Hints, Network, OrderChoice, SaturationRun
from threesil.kernel.theory import Problem, Theory
from threesil.nets.policy import Policy
from threesil.search.guided import GuidedTerms, learned_search
from threesil.search.learned import Learned
from threesil.search.refute import Refute
from threesil.search.schedule import Entry, Part, Schedule
from threesil.search.searcher import Search, Searcher
from threesil.search.sharing import SharedEquations, SharedRules
from threesil.search.single import Complete, Completing, Plain, Saturate, Select
from threesil.search.solver import Explorer
from threesil.search.translated import with_policy
from threesil.search.weights import Uses, Weights

_LOOKS_GUIDED = (8, 40)  # expansions of the looks: guided, saturation, guided
_LOOK_SATURATE = 256
_LOOK_PLAIN = 6
# Saturations: (cost of a generation, cost of bringing in a value). Chosen on the AIM dev split.
_SETTINGS = ((6, 12.0), (10, 20.0), (4, 12.0), (10, 8.0))
_RULES = 40  # that completion offers to a saturation
_OLDEST = 8  # pairs by size for each oldest one
_LEMMAS = 30, 16  # equations that a saturation offers to a completion; nodes of one


# Chosen by when each search by itself proves what, on unit equalities of TPTP to train on.
_SATURATE = Part(0.5, 200, 10e-6)
_WHOLE = Part(4.0, 50, 200e-6)  # completion that does not take the goal apart
_SELECT = Part(8.0, 50, 250e-6, later=0.003)
_GUIDED = Part(1.0, 160, 30e-6, later=0.004)
_REFUTE = Part(2.4, 25, 200e-6, later=0.002)
_COMPLETE = Part(5.0, 50, 200e-6, later=0.01)
_OTHERS = replace(_SATURATE, later=0.05)  # saturations with other settings
_SHARED = Part(0.5, 1000, 10e-6, later=0.05)
_RARE = Part(1.0, 100, 200e-6, later=0.06)  # with rare symbols last
_FAIR = Part(1.0, 100, 200e-6, later=0.06)  # with the oldest pair now and then
_PATH = Part(1.6, 100, 200e-6, later=0.1)  # with the path order
_BACK = Part(0.5, 100, 200e-6, later=0.1)  # with equations of a saturation
SATURATE, WHOLE, COMPLETE = TAKE_LEMMAS = ("saturate", "whole", "complete")
"""searches that take learned lemmas; `whole` is completion that does not take the goal apart"""
GUIDED = "guided"
_OPENING = {SATURATE: _SATURATE, WHOLE: _WHOLE, COMPLETE: _COMPLETE, GUIDED: _GUIDED}


def with_lemmas_for(name: str, learned: Learned, hints: Hints | None = None) -> Searcher:
    """A search that takes lemmas, with as many of them as help it; a completion takes hints too."""
    theory = learned.for_search(name)
    if name == SATURATE:
        return Saturate(theory, rule_costs=learned.costs)
    return Complete(theory, order=OrderChoice(flatten=name != WHOLE), hints=hints)


class Unguided(Schedule):
    name = "unguided"
    about = "as best, but without a policy"
    options = ("refute", "size", "hints")
    opens = _OPENING

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        weights: Weights | None = None,
        refute: bool = True,
        size: int | None = None,
        hints: Hints | None = None,
    ) -> None:
        """`weights` are what a training has found out: lemmas, and guidance for each search.

        `refute`: counter-models are looked for too, with at most `size` elements. Completions by
        size take `hints`.
        """
        super().__init__(theory, network, seed=seed)
        weights = weights or Weights()
        learned = weights.learned if weights.learned and weights.learned.helps else None
        known = learned or Learned(theory, pairs=weights.pairs)
        saturations: list[Searcher] = [
            Saturate(theory, depth_cost=depth, own_cost=own) for depth, own in _SETTINGS
        ]
        if learned is not None:
            self.use(learned)
            saturations.insert(0, with_lemmas_for(SATURATE, learned))
        parts: list[tuple[Searcher, Part]] = [
            (saturations[0], _SATURATE),
            (with_lemmas_for(WHOLE, known, hints), _WHOLE),
            (Select(theory, seed=seed, judge=known.pairs), _SELECT),
            (with_lemmas_for(COMPLETE, known, hints), _COMPLETE),
            (Complete(theory, order=OrderChoice(frequent_last=False), hints=hints), _RARE),
            (Complete(theory, fair=_OLDEST, hints=hints), _FAIR),
            (Complete(theory, order=OrderChoice(by_path=True), hints=hints), _PATH),
        ]
        if refute:
            parts.append((Refute(theory, seed=seed, size=size), _REFUTE))
        parts += [(one, _OTHERS) for one in saturations[1:]]
        looks: list[tuple[Searcher, int]] = [(Plain(theory), _LOOK_PLAIN)]
        self._guided = self._guide(learned, weights.policy)
        if self._guided is not None:
            self.note = self._guided.note
            parts.insert(2, (self._guided, _GUIDED))
            looks = [(self._guided, look) for look in _LOOKS_GUIDED]
            looks.insert(1, (saturations[0], _LOOK_SATURATE))
        self.opening = known.opening
        if self.opening:
            looks = []
        elif learned is not None:  # what has the lemmas is quick
            plain = [(one, look) for one, look in looks if one is not saturations[0]]
            looks = [(saturations[0], _LOOK_SATURATE), *plain]
        self.parts, self.looks = parts, looks

    def _guide(self, learned: Learned | None, policy: Policy | None) -> Searcher | None:
        """The search that a policy guides, if there is one that helps."""
        if learned is not None and learned.policy is not None and learned.leads:
            return learned_search(learned, seed=self.seed)
        return with_policy(GuidedTerms, self.theory, policy, self.seed) if policy else None

    @property
    def explorer(self) -> Explorer | None:
        return self._guided.explorer if self._guided else None

    def _entries(self, problem: Problem, terms: int) -> list[Entry]:
        """With those that take what others have found, each after the one that it takes from."""
        entries = []
        for entry in super()._entries(problem, terms):
            entries.append(entry)
            if entry.part is _COMPLETE and not problem.exists:
                shared = partial(self._shared, problem, entry)
                entries.append(Entry(SharedRules.name, shared, _SHARED))
            if entry.part is _SATURATE and self.parts[0][0].theory is self.theory:
                back = partial(self._back, problem, entry, terms)
                entries.append(Entry(SharedEquations.name, back, _BACK))
        return entries

    def _shared(self, problem: Problem, entry: Entry) -> Search:
        assert isinstance(entry.search, Completing)
        return SharedRules(self.theory, problem, entry.search.completion, _RULES)

    def _back(self, problem: Problem, entry: Entry, terms: int) -> Search:
        assert isinstance(entry.search, SaturationRun)

        def begin(theory: Theory) -> Search:
            return Complete(theory).begin(problem, terms)

        return SharedEquations(self.theory, problem, entry.search, begin, *_LEMMAS)


class Best(Unguided):
    name = "best"
    about = "the learned search, saturations and completion in turn"
    uses = frozenset({Uses.LEMMAS, Uses.PAIRS, Uses.POLICY})

    @classmethod
    def make(cls, theory: Theory, weights: Weights, seed: int, **options: Any) -> Searcher:
        return cls(theory, seed=seed, weights=weights, **options)
