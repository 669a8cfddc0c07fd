"""The end of a training in one theory: the judge of critical pairs, and the table.

Before and after are compared on the test part, which nothing else looks at.
"""

from __future__ import annotations

import json
from pathlib import Path

from threesil.engine import Stop
from threesil.files import write_atomically
from threesil.learn.pair_tuning import tune_pairs
from threesil.learn.preparing import TEST, Listen, held_back
from threesil.learn.task import Task
from threesil.search.learned import PAIRS, read_learned
from threesil.workflows.held_out import FILE, Shares, compared, read_shares, times_of, write_shares

_TRIED = "selection.json"  # what came of the judge, so that it is not trained again


def conclude(
    directory: Path, task: Task, seconds: float, listen: Listen, stop: Stop | None
) -> list[Shares]:
    """Does what is left to be done; the rows of the table, none if nothing was held back."""
    if not (directory / _TRIED).exists():
        pairs = tune_pairs(
            task.theory,
            task.problems,
            seconds,
            task.seed,
            progress=lambda done, total: listen("critical pairs", done, total),
            stop=stop,
        )
        if pairs is not None:
            pairs.save(directory / PAIRS)
        said = {"kept": "tuned" if pairs is not None else "general"}
        write_atomically(directory / _TRIED, (json.dumps(said) + "\n").encode())
    problems = held_back(directory, task.theory, TEST)
    if not problems:
        return []
    if (directory / FILE).exists():
        return read_shares(directory)
    learned = read_learned(directory, task.theory)
    times = []
    for what, model in (("before", None), ("after", learned)):
        times.append(
            times_of(
                task.theory,
                problems,
                model,
                progress=lambda done, what=what: listen(what, done, len(problems)),  # type: ignore[misc]
                stop=stop,
            )
        )
    rows = compared(times[0], times[1])
    write_shares(directory, rows)
    return rows
