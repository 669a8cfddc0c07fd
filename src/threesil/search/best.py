"""The schedule: searches in turn, each with more and more expansions.

It opens with looks so short that weights which do not help cost little, or with what a training
has found to be quick. Then that search is next which has had the least time for its share, and its
turn is twice as long as its last one. Searches hand each other the shortest facts that they have
found, and a part of the time goes to models in which the equation fails.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from threesil.engine import Budget, Found, Network, OrderChoice, SaturationRun, Status
from threesil.engine.meter import Meter
from threesil.kernel.outcome import Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.nets.model import Model
from threesil.search.guided import GuidedTerms, learned_search
from threesil.search.learned import Learned
from threesil.search.refute import Refute
from threesil.search.searcher import Search, Searcher, within_memory
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


@dataclass(frozen=True)
class _Part:
    """A search's part in the schedule.

    `share` of the time; expansions of its `first` turn, and about what one of them costs, in
    seconds. Where expansions are counted, they stand for the time, so that the schedule is
    repeatable; else the time alone decides. It joins when others have had `later` seconds for each
    unit of their share.
    """

    share: float
    first: int
    cost: float
    later: float = 0.0


# Chosen by when each search by itself proves what, on unit equalities of TPTP to train on.
_SATURATE = _Part(0.5, 200, 10e-6)
_WHOLE = _Part(4.0, 50, 200e-6)  # completion that does not take the goal apart
_SELECT = _Part(8.0, 50, 250e-6, later=0.003)
_GUIDED = _Part(1.0, 160, 30e-6, later=0.004)
_REFUTE = _Part(1.6, 25, 200e-6, later=0.002)
_COMPLETE = _Part(5.0, 50, 200e-6, later=0.01)
_OTHERS = replace(_SATURATE, later=0.05)  # saturations with other settings
_SHARED = _Part(0.5, 1000, 10e-6, later=0.05)
_RARE = _Part(1.0, 100, 200e-6, later=0.06)  # with rare symbols last
_FAIR = _Part(1.0, 100, 200e-6, later=0.06)  # with the oldest pair now and then
_PATH = _Part(1.6, 100, 200e-6, later=0.1)  # with the path order
_BACK = _Part(0.5, 100, 200e-6, later=0.1)  # with equations of a saturation
_MODELS = replace(_REFUTE, share=8.0)  # once completion has nothing left to try
_DOUBLED = 100  # times, at the most: longer than anybody waits
_IDLE = 20  # turns one after the other that a search does nothing in; then it has ended
_FIRST_LOOK, _MODELS_SHARE = 0.005, 0.1  # of the time, where several goals are to fail together
_LAST_LOOK = 0.2  # seconds for a model, where normal forms refute the equation
SATURATE, WHOLE, COMPLETE = TAKE_LEMMAS = ("saturate", "whole", "complete")
"""searches that take learned lemmas; `whole` is completion that does not take the goal apart"""
GUIDED = "guided"
_OPENING = {SATURATE: _SATURATE, WHOLE: _WHOLE, COMPLETE: _COMPLETE, GUIDED: _GUIDED}


def with_lemmas_for(name: str, learned: Learned) -> Searcher:
    """A search that takes lemmas, with as many of them as help it."""
    theory = learned.for_search(name)
    if name == SATURATE:
        return Saturate(theory, rule_costs=learned.costs)
    return Complete(theory, order=OrderChoice(flatten=name != WHOLE))


@dataclass
class _Entry:
    name: str
    begin: Callable[[], Search]
    part: _Part
    turns: int = 0
    spent: float = 0.0
    idle: int = 0  # turns since it did something

    @cached_property
    def search(self) -> Search:
        """What has its turns here; it is made when the first one comes."""
        return self.begin()

    @property
    def claim(self) -> float:
        return self.part.later + self.spent / self.part.share

    def turn(self, counted: bool) -> tuple[float, float]:
        """Expansions and seconds of the next turn."""
        seconds = math.ldexp(self.part.first * self.part.cost, min(self.turns, _DOUBLED))
        self.turns += 1
        return self.limits(seconds, counted)

    def run(self, budget: Budget) -> Found:
        """Goes on; a search that ran out of memory says so."""
        return within_memory(lambda budget: self.search.run(budget), budget)

    def charge(self, found: Found, took: float, counted: bool, seconds: float) -> None:
        """Notes what a turn of so many seconds came to that might have taken more.

        One in which nothing was done, such as that of a search which waits for another, counts as
        if it had been used: else it would come again at once.
        """
        spent = found.expansions * self.part.cost if counted else took
        waits = found.expansions == 0 and (counted or took < seconds / 2)
        self.idle = self.idle + 1 if waits else 0
        self.spent += max(spent, seconds) if waits else spent

    def limits(self, seconds: float, counted: bool) -> tuple[float, float]:
        """A turn of so many seconds; expansions stand for them where these are counted."""
        return (round(seconds / self.part.cost), math.inf) if counted else (math.inf, seconds)


class Unguided(Searcher):
    name = "unguided"
    about = "as best, but without a policy"
    existential = True
    options = ("refute", "size")

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        weights: Weights | None = None,
        refute: bool = True,
        size: int | None = None,
    ) -> None:
        """`weights` are what a training has found out: lemmas, and guidance for each search.

        `refute`: counter-models are looked for too, with at most `size` elements.
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
        self._parts: list[tuple[Searcher, _Part]] = [
            (saturations[0], _SATURATE),
            (with_lemmas_for(WHOLE, known), _WHOLE),
            (Select(theory, seed=seed, judge=known.pairs), _SELECT),
            (with_lemmas_for(COMPLETE, known), _COMPLETE),
            (Complete(theory, order=OrderChoice(frequent_last=False)), _RARE),
            (Complete(theory, fair=_OLDEST), _FAIR),
            (Complete(theory, order=OrderChoice(by_path=True)), _PATH),
        ]
        self._refute = Refute(theory, seed=seed, size=size) if refute else None
        if self._refute is not None:
            self._parts.append((self._refute, _REFUTE))
        self._parts += [(one, _OTHERS) for one in saturations[1:]]
        self._looks: list[tuple[Searcher, int]] = [(Plain(theory), _LOOK_PLAIN)]
        self._guided = self._guide(learned, weights.policy)
        if self._guided is not None:
            self.note = self._guided.note
            self._parts.insert(2, (self._guided, _GUIDED))
            self._looks = [(self._guided, look) for look in _LOOKS_GUIDED]
            self._looks.insert(1, (saturations[0], _LOOK_SATURATE))
        self._opening = known.opening
        if self._opening:
            self._looks = []
        elif learned is not None:  # what has the lemmas is quick
            plain = [(one, look) for one, look in self._looks if one is not saturations[0]]
            self._looks = [(saturations[0], _LOOK_SATURATE), *plain]

    def _guide(self, learned: Learned | None, policy: Model | None) -> Searcher | None:
        """The search that a policy guides, if there is one that helps."""
        if learned is not None and learned.policy is not None and learned.leads:
            return learned_search(learned, seed=self.seed)
        return with_policy(GuidedTerms, self.theory, policy, self.seed) if policy else None

    @property
    def explorer(self) -> Explorer | None:
        return self._guided.explorer if self._guided else None

    def search(self, problem: Problem, budget: Budget) -> Found:
        meter = Meter(budget)
        found, saturated, full = Found(Status.EXHAUSTED, 0), None, False
        for searcher, expansions in [] if problem.exists else self._looks:
            if meter.spent is None:
                meter.begin(searcher.name)
                look = partial(searcher.search, problem)
                found = within_memory(look, meter.left(expansions))
                meter.turn(searcher.name, found)
            if found.status is Status.PROVED:
                return meter.total(found)
        entries = self._entries(problem, budget.terms)
        counted = math.isfinite(budget.expansions)
        turns = self._turns(entries, counted)
        while entries:
            if meter.spent is not None:
                found = Found(meter.spent, 0)
                break
            entry, limits = next(turns)
            before = meter.seconds
            meter.begin(entry.name)
            found = entry.run(meter.left(*limits))
            meter.turn(entry.name, found)
            seconds = limits[0] * entry.part.cost if counted else limits[1]
            entry.charge(found, meter.seconds - before, counted, seconds)
            full = full or found.status is Status.MEMORY
            if found.status in (Status.PROVED, Status.REFUTED):
                break
            if found.saturated:
                saturated = found.saturated
                found = self._last_look(entries, meter, found)
                if found.model is not None or not saturated.unoriented:
                    break
            ended = found.status in (Status.EXHAUSTED, Status.MEMORY, Status.LENGTH)
            if ended or entry.idle == _IDLE:
                entries.remove(entry)
                if not entries:
                    found = replace(found, status=Status.MEMORY if full else Status.EXHAUSTED)
        return meter.total(replace(found, saturated=None if found.model else saturated))

    def solve_any(self, problems: Sequence[Problem], budget: Budget) -> Outcome:
        """A model in which all goals fail refutes them: it is looked for before and after."""
        if self._refute is None:
            return super().solve_any(problems, budget)
        meter, models = Meter(budget), self._refute.together(problems)
        refuted = models.run(meter.left(seconds=_FIRST_LOOK * budget.seconds))
        if refuted.refuted:
            return refuted
        proving = copy(self)
        proving._refute = None
        proving._parts = [(one, part) for one, part in self._parts if one is not self._refute]
        outcome = proving.solve_any(
            problems, meter.left(seconds=budget.seconds * (1 - _MODELS_SHARE))
        )
        if outcome.proved:
            return outcome
        refuted = models.run(meter.left(seconds=budget.seconds * _MODELS_SHARE))
        return refuted if refuted.refuted else outcome

    def _turns(
        self, entries: list[_Entry], counted: bool
    ) -> Iterator[tuple[_Entry, tuple[float, float]]]:
        """Whose turn it is, of those that are left, and for how long."""
        for name, seconds in self._opening:
            for entry in entries:
                if entry.part is _OPENING.get(name):
                    yield entry, entry.limits(seconds, counted)
                    break
        while True:
            entry = min(entries, key=lambda one: one.claim)
            yield entry, entry.turn(counted)

    @staticmethod
    def _last_look(entries: list[_Entry], meter: Meter, found: Found) -> Found:
        """A model that people can look at, where there is hardly a proof; else what was found."""
        for entry in entries:
            if entry.name == Refute.name:
                entry.part = _MODELS
                meter.begin(entry.name)
                sought = entry.search.run(meter.left(seconds=_LAST_LOOK))
                meter.turn(entry.name, sought)
                return sought if sought.model is not None else found
        return found

    def _entries(self, problem: Problem, terms: int) -> list[_Entry]:
        entries = []
        for searcher, part in self._parts:
            if problem.exists and not searcher.existential:
                continue
            entry = _Entry(searcher.name, partial(searcher.begin, problem, terms), part)
            entries.append(entry)
            if part is _COMPLETE and not problem.exists:
                shared = partial(self._shared, problem, entry)
                entries.append(_Entry(SharedRules.name, shared, _SHARED))
            if part is _SATURATE and searcher.theory is self.theory:
                back = partial(self._back, problem, entry, terms)
                entries.append(_Entry(SharedEquations.name, back, _BACK))
        return entries

    def _shared(self, problem: Problem, entry: _Entry) -> Search:
        assert isinstance(entry.search, Completing)
        return SharedRules(self.theory, problem, entry.search.completion, _RULES)

    def _back(self, problem: Problem, entry: _Entry, terms: int) -> Search:
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
