"""The end of a training in one theory: the judge of critical pairs, what helps, and the table.

What helps `best`, the lemmas, the policy or neither, is seen on the development part. Before and
after are compared on the test part, which nothing else looks at. Both are done again when the
policy has been trained on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from threesil.engine import Stop
from threesil.learn.pair_tuning import tune_pairs
from threesil.learn.preparing import DEV, TEST, Listen, held_back
from threesil.learn.task import Task
from threesil.search.learned import PAIRS, Learned, read_judgement, read_learned, write_judgement
from threesil.theory import Problem
from threesil.workflows.held_out import (
    FILE,
    Shares,
    compared,
    read_shares,
    spread,
    times_of,
    write_shares,
)

_TIMES = (0.001, 0.01, 0.1)  # CPU seconds in which it is to help
_PASSES = 2
_SLACK = 50
_LOOKED_AT = 60  # problems of the development part


def conclude(
    directory: Path, task: Task, seconds: float, listen: Listen, stop: Stop | None
) -> list[Shares]:
    """Does what is left to be done; the rows of the table, none if nothing was held back."""
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
    assert learned is not None and learned.policy is not None
    if judgement.get("of") != learned.policy.digest:  # of another policy, or of none
        (directory / FILE).unlink(missing_ok=True)
        judgement = {"selection": judgement["selection"], "of": learned.policy.digest}
        write_judgement(directory, judgement)
        learned = replace(learned, leads=True, helps=True)
    if "policy" not in judgement:
        known = held_back(directory, task.theory, DEV) or task.problems
        learned = choose_use(learned, spread(known, _LOOKED_AT), listen, stop)
        judgement |= {"policy": learned.leads, "helps": learned.helps}
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
    learned: Learned, problems: Sequence[Problem], listen: Listen, stop: Stop | None
) -> Learned:
    """What was learned, used as it pays: with the policy, with the lemmas alone, not at all.

    A use pays if in none of the times fewer problems are proved than without it, up to one in
    `_SLACK`: times that short are never quite the same. Of those that do, that is best which proves
    the most in all times together, then that which is the fastest.
    """
    uses = (replace(learned, helps=False), replace(learned, leads=False), learned)
    times: list[list[float]] = [[math.inf] * len(problems) for _ in uses]
    for look in range(_PASSES):  # the machine has other things to do: the better of them counts
        for use, found in zip(uses, times, strict=True):
            listen("what helps?", look * len(uses), _PASSES * len(uses))
            again = [k for k, t in enumerate(found) if look == 0 or t < math.inf]
            some = [problems[k] for k in again]
            taken = times_of(learned.theory, some, use, seconds=_TIMES[-1], stop=stop)
            for k, t in zip(again, taken, strict=True):
                found[k] = min(found[k], math.inf if t is None else t)
    without, *others = (_score(found) for found in times)
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
