"""The end of a training in one theory: the judge of critical pairs, what helps, and the table.

How many lemmas each search takes is seen on the training part. Which searches `best` begins with,
and what helps it, the lemmas, the policy or neither, is seen on the development part. Before and
after are compared on the test part, which nothing else looks at. All but the first is done again
when the policy has been trained on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from threesil.engine import Stop
from threesil.kernel.theory import Problem
from threesil.learn.held_out import (
    FILE,
    Shares,
    compared,
    read_shares,
    spread,
    times_of,
    write_shares,
)
from threesil.learn.lemma_choice import choose_amounts
from threesil.learn.opening import Times, choose_opening, search_times
from threesil.learn.pair_tuning import tune_pairs
from threesil.learn.preparing import DEV, TEST, Listen, held_back
from threesil.learn.task import Task
from threesil.search.best import GUIDED
from threesil.search.learned import PAIRS, Learned, read_judgement, read_learned, write_judgement

_TIMES = (0.001, 0.01, 0.1)  # CPU seconds in which it is to help
_PASSES = 2
_SLACK = 50
_LOOKED_AT = 100  # problems of the development part
_AMOUNTS = 0.25  # of the seconds for critical pairs: how many lemmas help


def conclude(
    directory: Path, task: Task, seconds: float, listen: Listen, stop: Stop | None
) -> list[Shares]:
    """Does what is left to be done; the rows of the table, none if nothing was held back.

    `seconds` are for the judge of critical pairs.
    """
    judgement = read_judgement(directory)
    if "selection" not in judgement:
        pairs = tune_pairs(
            task.theory,
            task.problems,
            seconds,
            task.seed,
            progress=partial(listen, "critical pairs"),
            stop=stop,
        )
        if pairs is not None:
            pairs.save(directory / PAIRS)
        judgement["selection"] = "tuned" if pairs is not None else "general"
        write_judgement(directory, judgement)
    learned = read_learned(directory, task.theory)
    assert learned is not None
    if "lemmas" not in judgement:
        listened = partial(listen, "how many lemmas")
        judgement["lemmas"] = choose_amounts(
            learned, task.problems, _AMOUNTS * seconds, listened, stop
        )
        write_judgement(directory, judgement)
        learned = replace(learned, amounts=judgement["lemmas"])
    assert learned.policy is not None
    if judgement.get("of") != learned.policy.digest:  # of another policy, or of none
        (directory / FILE).unlink(missing_ok=True)
        kept = {key: judgement[key] for key in ("selection", "lemmas")}
        judgement = {**kept, "of": learned.policy.digest}
        write_judgement(directory, judgement)
        learned = replace(learned, leads=True, helps=True)
    if "policy" not in judgement:
        known = spread(held_back(directory, task.theory, DEV) or task.problems, _LOOKED_AT)
        times = search_times(learned, known, partial(listen, "which search first?"), stop)
        learned = choose_use(learned, times, known, listen, stop)
        judgement |= {"policy": learned.leads, "helps": learned.helps, "opening": learned.opening}
        write_judgement(directory, judgement)
    if (directory / FILE).exists():
        return read_shares(directory)
    problems = held_back(directory, task.theory, TEST)
    if not problems:
        return []
    before = _times(None, task, problems, "before", listen, stop)
    after = before  # as long as the same is done
    if learned.helps:
        after = _times(learned, task, problems, "after", listen, stop)
    rows = compared(before, after)
    write_shares(directory, rows)
    return rows


def _times(
    learned: Learned | None,
    task: Task,
    problems: Sequence[Problem],
    what: str,
    listen: Listen,
    stop: Stop | None,
) -> list[float | None]:
    def progress(done: int) -> None:
        listen(f"held out, {what}", done, len(problems))

    return times_of(task.theory, problems, learned, progress=progress, stop=stop)


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
