"""The schedule: searches in turn, each with more and more expansions.

It opens with short looks of the learned search and of a saturation, or of the plain search where
there is no model. Then the searches take turns, three of them in the first round, all in the later
ones, each with twice the expansions of its last turn. The looks are so short that a model which
does not help costs little. Only completion looks for witnesses. In between, the finder looks for
models in which the equation fails; it has all the time that is left when no search has anything to
try any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import ClassVar

from threesil.engine import Budget, Found, Network, Status
from threesil.search.meter import Meter
from threesil.search.refute import Refute, Share
from threesil.search.single import Complete, GuidedTerms, Plain, Saturate
from threesil.search.strategy import Need, Strategy
from threesil.theory import Problem, Theory

_LOOKS_GUIDED = (8, 40)  # expansions of the looks: guided, saturation, guided
_LOOK_SATURATE = 256
_LOOK_PLAIN = 6
_TURN_GUIDED = 1000  # expansions of a search in the first round
_TURN = 800
_TURN_COMPLETE = 200
# Saturations: (cost of a generation, cost of bringing in a value). Chosen on the AIM dev split.
_SETTINGS = ((6, 12.0), (10, 20.0), (4, 12.0), (10, 8.0))
_Turn = tuple[Strategy, int]


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
        refute: bool = True,
        size: int | None = None,
    ) -> None:
        """`guided` is a learned search that stands in for that of a model of this theory.

        `refute`: counter-models are looked for too, with at most `size` elements.
        """
        super().__init__(theory, network, seed=seed)
        self._refute = Refute(theory, seed=seed, size=size) if refute else None
        saturations = [Saturate(theory, depth_cost=depth, own_cost=own) for depth, own in _SETTINGS]
        self._turns: list[_Turn] = [(search, _TURN) for search in saturations]
        self._turns.insert(1, (Complete(theory), _TURN_COMPLETE))
        self._looks: list[_Turn] = [(Plain(theory), _LOOK_PLAIN)]
        if self.network is not None:
            guided = GuidedTerms(theory, self.network, seed=seed)
        self.guided = guided
        if guided is not None:
            self.note = guided.note
            self._turns.insert(2, (guided, _TURN_GUIDED))
            self._looks = [(guided, look) for look in _LOOKS_GUIDED]
            self._looks.insert(1, (saturations[0], _LOOK_SATURATE))

    def search(self, problem: Problem, budget: Budget) -> Found:
        meter = Meter(budget)
        waiting = [turn for turn in self._turns if turn[0].existential or not problem.exists]
        looks = [] if problem.exists else self._looks
        share = Share(self._refute, problem, meter)
        found = Found(Status.EXHAUSTED, 0)
        for strategy, expansions in self._order(looks, waiting):
            if meter.spent is not None:
                found = Found(meter.spent, 0)
                break
            found = strategy.search(problem, meter.left(expansions))
            meter.turn(strategy.name, found)
            if found.status is Status.PROVED:
                break
            if found.status in (Status.EXHAUSTED, Status.MEMORY, Status.LENGTH):
                waiting[:] = [turn for turn in waiting if turn[0] is not strategy]
            if isinstance(strategy, Complete) and found.status is Status.EXHAUSTED:
                share.grow()
            if (refuted := share.take()) is not None:
                found = refuted
                break
        else:
            found = share.rest() or found
        return replace(found, expansions=meter.expansions, turns=tuple(meter.turns))

    @staticmethod
    def _order(looks: list[_Turn], waiting: list[_Turn]) -> Iterator[_Turn]:
        """The looks, then rounds of those that wait, as long as there are any."""
        yield from looks
        for number in count():
            if not waiting:
                return
            for strategy, expansions in waiting[: None if number else 3]:
                yield strategy, expansions << number


class Best(Unguided):
    name: ClassVar = "best"
    about: ClassVar = "the learned search and saturations in turn"
    needs_model: ClassVar = Need.IF_ANY
