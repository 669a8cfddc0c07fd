"""Before and after: what the search proves of the problems that were held back."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from threesil.engine import Budget, Stop, Stopped
from threesil.errors import InputError
from threesil.files import is_file, write_atomically
from threesil.files.json_text import read_json
from threesil.kernel.theory import Problem, Theory
from threesil.learn.preparing import TEST
from threesil.measure.compare.statistics import mcnemar
from threesil.nets.model import Model
from threesil.search.learned import LEMMAS, POLICY, read_judgement
from threesil.search.solvers import make_solver
from threesil.search.weights import Given

TIMES = (0.001, 0.01, 0.1, 1.0)  # CPU seconds
FILE = "held_out.json"


@dataclass(frozen=True)
class Shares:
    """Of so many problems: those proved in time without and with what was learned.

    `seconds` is None where an episode of the network is all that counts, however long it takes.
    `p`: of McNemar's exact test on the problems that only one of both proved.
    """

    seconds: float | None
    problems: int
    before: int
    after: int
    only_before: int
    only_after: int
    p: float


def times_of(
    theory: Theory,
    problems: Sequence[Problem],
    model: Given,
    *,
    seconds: float = TIMES[-1],
    progress: Callable[[int], None] = lambda done: None,
    stop: Stop | None = None,
) -> list[float | None]:
    """CPU seconds of certified proofs; None where there was none in time."""
    solver = make_solver("best" if model else "unguided", theory, weights=model)
    if problems:  # what is made at the first use counts for no problem
        solver.solve(problems[0], Budget(None, TIMES[0]))
    times = []
    for done, problem in enumerate(problems, 1):
        outcome = solver.solve(problem, Budget(None, seconds, stop=stop))
        if stop is not None and stop.is_set():
            raise Stopped
        times.append(outcome.cpu_seconds if outcome.proved else None)
        progress(done)
    return times


def episodes_of(
    model: Model, problems: Sequence[Problem], *, stop: Stop | None = None
) -> list[float | None]:
    """CPU seconds of greedy episodes, one a problem; None where it was not solved."""
    solver = make_solver("greedy", model.theory, weights=model)
    outcomes = solver.solve_all(problems, Budget(None, None, stop=stop))
    return [outcome.cpu_seconds if outcome.proved else None for outcome in outcomes]


def spread(problems: Sequence[Problem], count: int) -> list[Problem]:
    """So many of the problems, easy and hard ones alike, or all of them."""
    count = min(count, len(problems))
    return [problems[k * len(problems) // count] for k in range(count)]


def compared(
    before: Sequence[float | None],
    after: Sequence[float | None],
    times: Sequence[float | None] = TIMES,
) -> list[Shares]:
    """A row for each of the times."""
    rows = []
    for seconds in times:
        limit = math.inf if seconds is None else seconds
        first = [t is not None and t <= limit for t in before]
        second = [t is not None and t <= limit for t in after]
        lost = sum(a and not b for a, b in zip(first, second, strict=True))
        won = sum(b and not a for a, b in zip(first, second, strict=True))
        p = mcnemar(lost, won)
        rows.append(Shares(seconds, len(first), sum(first), sum(second), lost, won, p))
    return rows


def is_finished(directory: Path) -> bool:
    """Whether a run has a model, and what comes after it: judgements and the table."""
    if not is_file(directory / POLICY) or not is_file(directory / LEMMAS):
        return is_file(directory / POLICY)
    held = directory / TEST
    tabled = is_file(directory / FILE) or not (is_file(held) and held.stat().st_size)
    return tabled and "policy" in read_judgement(directory)


def read_shares(directory: Path) -> list[Shares]:
    """The table of a run."""
    path = directory / FILE
    try:
        return [Shares(**row) for row in read_json(path)]
    except (ValueError, TypeError, InputError) as error:
        message = f"not a table of shares: {error}; delete it, and resume the run"
        raise InputError(message, source=str(path)) from None


def write_shares(directory: Path, rows: Sequence[Shares]) -> None:
    text = json.dumps([asdict(row) for row in rows], indent=1) + "\n"
    write_atomically(directory / FILE, text.encode())
