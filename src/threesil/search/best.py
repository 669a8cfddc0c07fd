"""The schedule: searches in turn, each with more and more expansions.

It opens with short looks of the learned search and of a saturation, or of the plain search where
there is no model; where lemmas were learned, the saturation that has them comes first. They are so
short that a model which does not help costs little. Where a training has found out which search is
quick in the theory, it opens with that instead. Then that search is next which has had the least
time for its share, and its turn is twice as long as its last one. Completions and saturations
go on where they stopped. What does nothing again and again, or runs out of memory, has had its last
turn. A saturation takes the shortest rules of the completion as further
equations, another completion the shortest equations of a saturation. Learned lemmas are further
equations of the first saturation, of two completions and of the learned search, as many as help
each. Only completion looks for witnesses. A
tenth of the time goes to models in which the equation fails; all that is left, when no search for a
proof has anything to try any more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar

from threesil.engine import Budget, Found, Network, OrderChoice, SaturationRun, Status
from threesil.engine.meter import Meter
from threesil.kernel.theory import Problem, Theory
from threesil.nets.pair_model import PairModel
from threesil.search.learned import Learned
from threesil.search.refute import Refute
from threesil.search.sharing import SharedEquations, SharedRules
from threesil.search.single import Complete, Completing, GuidedTerms, Plain, Saturate, Select
from threesil.search.strategy import Need, Search, Strategy, within_memory
from threesil.search.translated import learned_search

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
    """A strategy's part in the schedule.

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
_LAST_LOOK = 0.2  # seconds for a model, where normal forms refute the equation
SATURATE, WHOLE, COMPLETE = TAKE_LEMMAS = ("saturate", "whole", "complete")
"""searches that take learned lemmas; `whole` is completion that does not take the goal apart"""
GUIDED = "guided"
_OPENING = {SATURATE: _SATURATE, WHOLE: _WHOLE, COMPLETE: _COMPLETE, GUIDED: _GUIDED}


def with_lemmas_for(name: str, learned: Learned) -> Strategy:
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


class Unguided(Strategy):
    name: ClassVar = "unguided"
    about: ClassVar = "as best, but without a model"
    existential: ClassVar = True
    options: ClassVar = ("refute", "size")

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        guided: Strategy | None = None,
        learned: Learned | None = None,
        pairs: PairModel | None = None,
        refute: bool = True,
        size: int | None = None,
    ) -> None:
        """`guided` is a learned search that stands in for that of a model of this theory.

        `learned` is what a training has found out: lemmas, and guidance for each search. `pairs`
        is a judge of critical pairs in place of the general one.

        `refute`: counter-models are looked for too, with at most `size` elements.
        """
        super().__init__(theory, network, seed=seed)
        saturations: list[Strategy] = [
            Saturate(theory, depth_cost=depth, own_cost=own) for depth, own in _SETTINGS
        ]
        if learned is not None and not learned.helps:
            learned = None
        if learned is not None:
            self.use(learned)
            pairs = learned.pairs
            saturations.insert(0, with_lemmas_for(SATURATE, learned))
            if learned.policy is not None and learned.leads:
                guided = learned_search(learned, seed=seed)
        known = learned or Learned(theory)
        self._parts: list[tuple[Strategy, _Part]] = [(saturations[0], _SATURATE)]
        self._parts += [
            (with_lemmas_for(WHOLE, known), _WHOLE),
            (Select(theory, seed=seed, model=pairs), _SELECT),
            (with_lemmas_for(COMPLETE, known), _COMPLETE),
            (Complete(theory, order=OrderChoice(frequent_last=False)), _RARE),
            (Complete(theory, fair=_OLDEST), _FAIR),
            (Complete(theory, order=OrderChoice(by_path=True)), _PATH),
        ]
        if refute:
            self._parts.append((Refute(theory, seed=seed, size=size), _REFUTE))
        self._parts += [(one, _OTHERS) for one in saturations[1:]]
        self._looks: list[tuple[Strategy, int]] = [(Plain(theory), _LOOK_PLAIN)]
        if self.network is not None:
            guided = GuidedTerms(theory, self.network, seed=seed)
        self.guided = guided
        if guided is not None:
            self.note = guided.note
            self._parts.insert(2, (guided, _GUIDED))
            self._looks = [(guided, look) for look in _LOOKS_GUIDED]
            self._looks.insert(1, (saturations[0], _LOOK_SATURATE))
        self._opening = known.opening
        if self._opening:
            self._looks = []
        elif learned is not None:  # what has the lemmas is quick
            plain = [(one, look) for one, look in self._looks if one is not saturations[0]]
            self._looks = [(saturations[0], _LOOK_SATURATE), *plain]

    def search(self, problem: Problem, budget: Budget) -> Found:
        meter = Meter(budget)
        found, saturated, full = Found(Status.EXHAUSTED, 0), None, False
        for strategy, expansions in [] if problem.exists else self._looks:
            if meter.spent is None:
                meter.begin(strategy.name)
                look = partial(strategy.search, problem)
                found = within_memory(look, meter.left(expansions))
                meter.turn(strategy.name, found)
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
        for strategy, part in self._parts:
            if problem.exists and not strategy.existential:
                continue
            entry = _Entry(strategy.name, partial(strategy.begin, problem, terms), part)
            entries.append(entry)
            if part is _COMPLETE and not problem.exists:
                shared = partial(self._shared, problem, entry)
                entries.append(_Entry(SharedRules.name, shared, _SHARED))
            if part is _SATURATE and strategy.theory is self.theory:
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
    name: ClassVar = "best"
    about: ClassVar = "the learned search, saturations and completion in turn"
    needs_model: ClassVar = Need.IF_ANY
