"""Before and after: what the search proves of the problems that were held back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from threesil.compare.statistics import mcnemar
from threesil.engine import Budget, Stop, Stopped
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.search.learned import Learned
from threesil.search.strategies import make_strategy
from threesil.theory import Problem, Theory

TIMES = (0.001, 0.01, 0.1, 1.0)  # CPU seconds
FILE = "held_out.json"


@dataclass(frozen=True)
class Shares:
    """Of so many problems: those proved in time without and with what was learned.

    `p`: of McNemar's exact test on the problems that only one of both proved.
    """

    seconds: float
    problems: int
    before: int
    after: int
    only_before: int
    only_after: int
    p: float


def times_of(
    theory: Theory,
    problems: Sequence[Problem],
    learned: Learned | None,
    *,
    progress: Callable[[int], None] = lambda done: None,
    stop: Stop | None = None,
) -> list[float | None]:
    """CPU seconds of certified proofs; None where there was none in time."""
    strategy = make_strategy("best" if learned else "unguided", theory, model=learned)
    if problems:  # what is made at the first use counts for no problem
        strategy.prove(problems[0], Budget(None, TIMES[0]))
    times = []
    for done, problem in enumerate(problems, 1):
        outcome = strategy.prove(problem, Budget(None, TIMES[-1], stop=stop))
        if stop is not None and stop.is_set():
            raise Stopped
        times.append(outcome.cpu_seconds if outcome.proved else None)
        progress(done)
    return times


def compared(before: Sequence[float | None], after: Sequence[float | None]) -> list[Shares]:
    """A row for each of the times."""
    rows = []
    for seconds in TIMES:
        first = [t is not None and t <= seconds for t in before]
        second = [t is not None and t <= seconds for t in after]
        lost = sum(a and not b for a, b in zip(first, second, strict=True))
        won = sum(b and not a for a, b in zip(first, second, strict=True))
        p = mcnemar(lost, won)
        rows.append(Shares(seconds, len(first), sum(first), sum(second), lost, won, p))
    return rows


def read_shares(directory: Path) -> list[Shares]:
    """The table of a run."""
    path = directory / FILE
    try:
        return [Shares(**row) for row in json.loads(path.read_text())]
    except (OSError, ValueError, TypeError) as error:
        message = f"not a table of shares: {error}; delete it, and resume the run"
        raise InputError(message, source=str(path)) from None


def write_shares(directory: Path, rows: Sequence[Shares]) -> None:
    text = json.dumps([asdict(row) for row in rows], indent=1) + "\n"
    write_atomically(directory / FILE, text.encode())
