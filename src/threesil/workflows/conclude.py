"""The end of a training in one theory: the judge of critical pairs, what helps, and the table.

Whether the policy helps is seen on the development part. Before and after are compared on the test
part, which nothing else looks at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from threesil.engine import Stop
from threesil.learn.pair_tuning import tune_pairs
from threesil.learn.preparing import DEV, TEST, Listen, held_back
from threesil.learn.task import Task
from threesil.search.learned import PAIRS, Learned, read_judgement, read_learned, write_judgement
from threesil.theory import Problem
from threesil.workflows.held_out import FILE, Shares, compared, read_shares, times_of, write_shares

_TIME = 0.01  # CPU seconds in which a policy is to help
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
    assert learned is not None
    if "policy" not in judgement:
        dev = held_back(directory, task.theory, DEV)[:_LOOKED_AT]
        judgement["policy"] = _helps(learned, dev, listen, stop)
        write_judgement(directory, judgement)
    if (directory / FILE).exists():
        return read_shares(directory)
    problems = held_back(directory, task.theory, TEST)
    if not problems:
        return []
    before = _times(None, task, problems, "before", listen, stop)
    learned = replace(learned, leads=judgement["policy"] is not False)
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


def _helps(
    learned: Learned, problems: Sequence[Problem], listen: Listen, stop: Stop | None
) -> bool:
    """Whether at least as much is proved in a short time with the policy as without it."""
    listen("does the policy help?", 0, 1)
    counts = []
    for leads in (True, False):
        times = times_of(learned.theory, problems, replace(learned, leads=leads), stop=stop)
        counts.append(sum(t is not None and t <= _TIME for t in times))
    return counts[0] >= counts[1]
