"""Who solved what by when.

A problem counts as solved *at t* if its status decides it and its time is at most t, by the clock
of the comparison. A system *covers* t if it had that long for every problem: results that were
measured elsewhere with a shorter limit say nothing of later times but "at least".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import inf
from typing import Final, Literal

from threesil.kernel.outcome import SZS
from threesil.measure.compare.statistics import holm, mcnemar, union, unique
from threesil.measure.results import Row

Clock = Literal["cpu", "wall"]
TIMES: Final = (1.0, 2.0, 10.0, 60.0)
_ALMOST: Final = 0.95  # provers stop a little before their limit
_UNFINISHED: Final = frozenset({SZS.TIMEOUT, SZS.UNKNOWN})


def time_of(row: Row, clock: Clock) -> float:
    """What a row cost by a clock."""
    return row.cpu_seconds if clock == "cpu" else row.seconds


@dataclass(frozen=True)
class Entrant:
    """A system and its rows by the names of the problems.

    `description` says what it is: version, command, proofs. `limit` is the CPU seconds that it had
    for a problem. `file` is where imported results come from, `others` how many rows there were of
    problems that are not compared; `other_problems`: the file says that its set was another one.
    """

    name: str
    rows: Mapping[str, Row]
    description: Mapping[str, str] = field(default_factory=dict)
    file: str | None = None
    others: int = 0
    limit: float = inf
    other_problems: bool = False

    @property
    def imported(self) -> bool:
        return self.file is not None

    def solved(self, t: float, clock: Clock) -> set[str]:
        """The problems that it solved at t."""
        return {n for n, row in self.rows.items() if row.solved and time_of(row, clock) <= t}

    def reach(self) -> float:
        """How many seconds it had for every problem, as far as its rows can tell."""
        if not self.imported:
            return self.limit
        unfinished = (row for row in self.rows.values() if row.status in _UNFINISHED)
        return min((max(row.seconds, row.cpu_seconds) for row in unfinished), default=inf)

    def covers(self, t: float) -> bool:
        """Whether it had t seconds for every problem."""
        return self.reach() >= _ALMOST * t

    def certified(self) -> int:
        """How many problems it solved with a certificate that a kernel has checked."""
        return sum(row.certified for row in self.rows.values())

    def claimed(self) -> int:
        """How many it says to have solved, without such a certificate."""
        return sum(row.claimed for row in self.rows.values())

    def statuses(self) -> Counter[SZS]:
        return Counter(row.status for row in self.rows.values())


@dataclass(frozen=True)
class Pair:
    """Two systems on the problems that both have tried, at a time that both cover.

    `p` is McNemar's exact p-value, `corrected` the same after Holm.
    """

    first: str
    second: str
    at: float
    problems: int
    both: int
    only_first: int
    only_second: int
    neither: int
    p: float
    corrected: float = 1.0


@dataclass(frozen=True)
class Standing:
    """Entrants on the same problems. `limit` is the seconds that each had for a problem."""

    problems: tuple[str, ...]
    entrants: tuple[Entrant, ...]
    limit: float
    clock: Clock = "cpu"

    @cached_property
    def times(self) -> tuple[float, ...]:
        """The times of the tables: those of TIMES up to the limit, and the limit."""
        return tuple(sorted({t for t in TIMES if t < self.limit} | {self.limit}))

    def latest(self, entrants: Sequence[Entrant]) -> float:
        """The last of the times that all of these cover; the first if there is none."""
        covered = [t for t in self.times if all(entrant.covers(t) for entrant in entrants)]
        return covered[-1] if covered else self.times[0]

    @cached_property
    def at(self) -> float:
        """The time at which all systems are compared together."""
        return self.latest(self.entrants)

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The problems that every system has a row of."""
        return tuple(p for p in self.problems if all(p in e.rows for e in self.entrants))

    @cached_property
    def sets(self) -> dict[str, set[str]]:
        """What each system solved of the common problems, at the common time."""
        common = set(self.common)
        return {e.name: e.solved(self.at, self.clock) & common for e in self.entrants}

    @cached_property
    def union(self) -> set[str]:
        return union(self.sets)

    @cached_property
    def unique(self) -> dict[str, set[str]]:
        return unique(self.sets)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, in the order of the entrants."""
        raw = [self._compare(*pair) for pair in combinations(self.entrants, 2)]
        corrected = holm([pair.p for pair in raw])
        return tuple(replace(pair, corrected=p) for pair, p in zip(raw, corrected, strict=True))

    def _compare(self, first: Entrant, second: Entrant) -> Pair:
        """Without the correction."""
        at = self.latest((first, second))
        shared = first.rows.keys() & second.rows.keys()
        a, b = (entrant.solved(at, self.clock) & shared for entrant in (first, second))
        only = len(a - b), len(b - a)
        counts = len(shared), len(a & b), *only, len(shared - a - b)
        return Pair(first.name, second.name, at, *counts, mcnemar(*only))
