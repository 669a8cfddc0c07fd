"""Which of the things that were learned help the schedule `best` in a theory, and its opening.

The opening says which searches it begins with, and how long each. From the CPU seconds that each
search takes for each of some theorems, it is put together step by step: next comes that search, for
that long, which proves the most theorems that are still open for each second that it takes.
(Greedy schedules: Streeter, Golovin, Smith 2007)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from threesil.engine import Budget, Status, Stop, Stopped
from threesil.kernel.theory import Problem
from threesil.learn.held_out import times_of
from threesil.learn.watching import Listen
from threesil.search.best import GUIDED, TAKE_LEMMAS, with_lemmas_for
from threesil.search.guided import learned_search
from threesil.search.learned import Learned
from threesil.search.searcher import Searcher

Times = Mapping[str, Sequence[float]]
"""by search, for each theorem: CPU seconds until it was proved, or infinity"""
Opening = tuple[tuple[str, float], ...]

LONGEST = 0.03  # CPU seconds of an opening, and for a theorem where times are taken
_LONGER = 1.2  # times are never quite the same: so much longer
_SHORTEST = 0.0002
_GROWTH = 1.25  # of the times that a turn may end at
_TIMES = (0.001, 0.01, 0.1)  # CPU seconds in which it is to help
_PASSES = 2
_SLACK = 50


def search_times(
    learned: Learned,
    problems: Sequence[Problem],
    progress: Callable[[int, int], None] = lambda done, problems: None,
    stop: Stop | None = None,
) -> Times:
    """How long the searches that may open take, each as a training has left it."""
    searches = {name: with_lemmas_for(name, learned) for name in TAKE_LEMMAS}
    if learned.policy is not None:
        searches[GUIDED] = learned_search(learned)
    times: dict[str, list[float]] = {name: [] for name in searches}
    for done, problem in enumerate(problems):
        for name, search in searches.items():
            times[name].append(time_of(search, problem, LONGEST, stop))
        progress(done + 1, len(problems))
    return times


def time_of(search: Searcher, problem: Problem, limit: float, stop: Stop | None = None) -> float:
    """CPU seconds until a search proves a problem; infinity if it does not within the limit."""
    begin = time.thread_time()
    found = search.search(problem, Budget(None, limit, stop=stop))
    if found.status is Status.STOPPED:
        raise Stopped
    return time.thread_time() - begin if found.derivation else math.inf


def choose_opening(times: Times, longest: float = LONGEST) -> Opening:
    """The turns of an opening of at most so many seconds; none if nothing is proved in it."""
    ends = [_SHORTEST]
    while ends[-1] * _GROWTH <= longest:
        ends.append(ends[-1] * _GROWTH)
    open_ones = set(range(len(next(iter(times.values()), ()))))
    had = dict.fromkeys(times, 0.0)
    turns: list[tuple[str, float]] = []
    left = longest
    while True:
        best, gain = None, 0.0
        for name, taken in times.items():
            for end in ends:
                seconds = end if name == GUIDED else end - had[name]  # which begins anew
                if had[name] < end and seconds <= left:
                    proved = sum(taken[k] * _LONGER <= end for k in open_ones)
                    if proved > gain * seconds:
                        best, gain = (name, end, seconds), proved / seconds
        if best is None:
            return tuple((name, round(seconds, 5)) for name, seconds in turns)
        name, end, seconds = best
        open_ones = {k for k in open_ones if times[name][k] * _LONGER > end}
        had[name] = end
        left -= seconds
        if turns and turns[-1][0] == name:
            seconds += 0.0 if name == GUIDED else turns[-1][1]
            turns.pop()
        turns.append((name, seconds))


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
    for use, (counts, seconds) in zip(uses[1:], others, strict=True):
        pays = (
            max(m - n for n, m in zip(counts, without[0], strict=True)) <= len(problems) // _SLACK
        )
        if pays and (sum(counts), -seconds) > (sum(best[0]), -best[1]):
            best, chosen = (counts, seconds), use
    return chosen


def _score(times: Sequence[float]) -> tuple[list[int], float]:
    """How many were proved in each of the times, and how long all took."""
    counts = [sum(t <= limit for t in times) for limit in _TIMES]
    return counts, sum(min(t, _TIMES[-1]) for t in times)
