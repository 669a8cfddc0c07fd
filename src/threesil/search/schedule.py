"""A schedule: searches in turn, each with more and more expansions.

After short looks, or an opening, that search is next which has had the least time for its share,
and its turn is twice as long as its last one. Searches that can be resumed continue where they
stopped. A search that does nothing several times, or runs out of memory, gets no further turn. When
no search for a proof has anything left to try, the search for models gets the rest of the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial

from threesil.engine import Budget, Found, Network, Status
from threesil.engine.meter import Meter
from threesil.kernel.outcome import Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.search.refute import Refute
from threesil.search.searcher import Search, Searcher, within_memory

_DOUBLED = 100  # times, at the most: longer than anybody waits
_IDLE = 20  # turns one after the other that a search does nothing in; then it has ended
_FIRST_LOOK, _TOGETHER = 0.005, 0.1  # of the time, where several goals are to fail in one model
_LAST_LOOK = 0.2  # seconds for a model, where normal forms refute the equation
_MODELS = 8.0  # the share for models, once completion has nothing left to try


@dataclass(frozen=True)
class Part:
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


@dataclass
class Entry:
    """A search under way, and what it has had of the time."""

    name: str
    begin: Callable[[], Search]
    part: Part
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
        """Continues; a search that ran out of memory says so."""
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


Parts = Sequence[tuple[Searcher, Part]]
Looks = Sequence[tuple[Searcher, int]]


class Schedule(Searcher):
    """Searches with their parts; `looks` come first, each with so many expansions.

    `opening` has turns by the names of `opens` instead, each of so many seconds.
    """

    existential = True
    last_look = _LAST_LOOK
    opens: Mapping[str, Part] = {}

    def __init__(self, theory: Theory, network: Network | None = None, *, seed: int = 0) -> None:
        super().__init__(theory, network, seed=seed)
        self.parts: Parts = ()
        self.looks: Looks = ()
        self.opening: tuple[tuple[str, float], ...] = ()

    def search(self, problem: Problem, budget: Budget) -> Found:
        meter = Meter(budget)
        found, why, full = Found(Status.EXHAUSTED, 0), "", False
        for searcher, expansions in [] if problem.exists else self.looks:
            if meter.spent is None:
                meter.begin(searcher.name)
                look = partial(searcher.search, problem)
                found = within_memory(look, meter.left(expansions))
                meter.turn(searcher.name, found)
            if found.status in (Status.PROVED, Status.REFUTED):
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
                found = self._decided(problem, self._last_look(entries, meter, found), meter)
                if found.model is not None or found.system is not None:
                    break
                why = found.reason
            ended = found.status in (Status.EXHAUSTED, Status.MEMORY, Status.LENGTH)
            if ended or entry.idle == _IDLE:
                entries.remove(entry)
                if not entries:
                    found = replace(found, status=Status.MEMORY if full else Status.EXHAUSTED)
        open_still = found.derivation is None and found.model is None
        return meter.total(replace(found, reason=found.reason or why) if open_still else found)

    def solve_any(self, problems: Sequence[Problem], budget: Budget) -> Outcome:
        """A model in which all goals fail refutes them: it is looked for before and after."""
        meter = Meter(budget)
        refuter = next((one for one, _ in self.parts if isinstance(one, Refute)), None)
        if refuter is None:
            return super().solve_any(problems, budget)
        models = refuter.together(problems)
        refuted = models.run(meter.left(seconds=_FIRST_LOOK * budget.seconds))
        if refuted.refuted:
            return refuted
        proving = copy(self)
        proving.parts = [(one, part) for one, part in self.parts if one is not refuter]
        outcome = proving.solve_any(problems, meter.left(seconds=(1 - _TOGETHER) * budget.seconds))
        if outcome.proved:
            return outcome
        refuted = models.run(meter.left(seconds=_TOGETHER * budget.seconds))
        return refuted if refuted.refuted else outcome

    def _turns(
        self, entries: list[Entry], counted: bool
    ) -> Iterator[tuple[Entry, tuple[float, float]]]:
        """Whose turn it is, of those that are left, and for how long."""
        for name, seconds in self.opening:
            for entry in entries:
                if entry.part is self.opens.get(name):
                    yield entry, entry.limits(seconds, counted)
                    break
        while True:
            entry = min(entries, key=lambda one: one.claim)
            yield entry, entry.turn(counted)

    def _last_look(self, entries: list[Entry], meter: Meter, found: Found) -> Found:
        """A model that people can look at, where there is hardly a proof; else what was found."""
        for entry in entries:
            if entry.name == Refute.name and self.last_look:
                entry.part = replace(entry.part, share=max(entry.part.share, _MODELS))
                meter.begin(entry.name)
                sought = entry.search.run(meter.left(seconds=self.last_look))
                meter.turn(entry.name, sought)
                return sought if sought.model is not None else found
        return found

    def _entries(self, problem: Problem, terms: int) -> list[Entry]:
        """The searches for a problem, none of which is made yet."""
        return [
            Entry(searcher.name, partial(searcher.begin, problem, terms), part)
            for searcher, part in self.parts
            if searcher.existential or not problem.exists
        ]
