"""Which of the things that were learned help the schedule `best` in a theory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from threesil.engine import Stop
from threesil.kernel.theory import Problem
from threesil.learn.held_out import times_of
from threesil.learn.opening import Times, choose_opening
from threesil.learn.watching import Listen
from threesil.search.best import GUIDED
from threesil.search.learned import Learned

_TIMES = (0.001, 0.01, 0.1)  # CPU seconds in which it is to help
_PASSES = 2
_SLACK = 50


def choose_use(
    learned: Learned, times: Times, problems: Sequence[Problem], listen: Listen, stop: Stop | None
) -> Learned:
    """What was learned, used as it pays: with the policy, with the lemmas alone, not at all.

    `times` are those of single searches for the problems; the opening comes from them.

    A use pays if in none of the times fewer problems are proved than without it, up to one in
    `_SLACK`: times that short are never quite the same. Of those that do, that is best which proves
    the most in all times together, then that which is the fastest.
    """
    alone = choose_opening({name: taken for name, taken in times.items() if name != GUIDED})
    uses = (
        replace(learned, helps=False),
        replace(learned, leads=False, opening=alone),
        replace(learned, opening=choose_opening(times)),
    )
    needed: list[list[float]] = [[math.inf] * len(problems) for _ in uses]
    for look in range(_PASSES):  # the machine has other things to do: the better of them counts
        for use, found in zip(uses, needed, strict=True):
            listen("what helps?", look * len(uses), _PASSES * len(uses))
            again = [k for k, t in enumerate(found) if look == 0 or t < math.inf]
            some = [problems[k] for k in again]
            taken = times_of(learned.theory, some, use, seconds=_TIMES[-1], stop=stop)
            for k, t in zip(again, taken, strict=True):
                found[k] = min(found[k], math.inf if t is None else t)
    without, *others = (_score(found) for found in needed)
    best, chosen = without, uses[0]
    for use, score in zip(uses[1:], others, strict=True):
        lost = (m - n for n, m in zip(score.counts, without.counts, strict=True))
        pays = max(lost) <= len(problems) // _SLACK
        if pays and score.order > best.order:
            best, chosen = score, use
    return chosen


@dataclass(frozen=True)
class _Score:
    """How many were proved in each of the times, and how long that took."""

    counts: tuple[int, ...]
    seconds: float

    @property
    def order(self) -> tuple[int, float]:
        return sum(self.counts), -self.seconds


def _score(times: Sequence[float]) -> _Score:
    limited = [min(t, _TIMES[-1]) for t in times]
    return _Score(tuple(sum(t <= limit for t in times) for limit in _TIMES), sum(limited))
