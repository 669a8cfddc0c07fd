"""Tables and figures: what the paper says, and what is measured for it here.

An experiment has lines of a table, each with the paper's words and our measures, column by column,
and charts. A measure names the jobs that it needs and reads its value out of what is done; without
one of its jobs (a prover is not installed) it has none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import mean, stdev
from typing import Any, Protocol

from threesil.kernel.terms import Term
from threesil.measure.compare.statistics import mcnemar, wilson
from threesil.measure.results import Row
from threesil.problems.sets import load_set
from threesil.reproduce.jobs import Contest, Evaluation, Job, Training
from threesil.runs.findings import Shares
from threesil.theories import benchmark_of, get_theory

Metrics = Sequence[Mapping[str, Any]]
"""of each epoch of a training"""
_SAME = 1e-9  # shares that differ by less are alike


class Done(Protocol):
    """What the jobs have brought; None for a job that could not be run."""

    def rows(self, job: Evaluation | Contest) -> Mapping[str, Row] | None:
        """By the names of the problems."""

    def metrics(self, job: Training) -> Metrics | None: ...

    def shares(self, job: Training) -> Sequence[Shares] | None:
        """Its table before and after."""

    def novel(self, theory: str, problems: str) -> set[str]:
        """The problems of a set that are no instance of one that is trained on."""


@dataclass(frozen=True)
class Share:
    """So many of so many, once for each seed."""

    counts: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        shares = [solved / of if of else 0.0 for solved, of in self.counts]
        low, high = wilson(sum(s for s, _ in self.counts), sum(of for _, of in self.counts))
        if len(shares) > 1:
            return f"{mean(shares):.3f} ± {stdev(shares):.3f} ({len(shares)} seeds)"
        (solved, of) = self.counts[0]
        return f"{shares[0]:.3f} ({low:.3f} to {high:.3f}; {solved} of {of})"


@dataclass(frozen=True)
class Part:
    """So many of so many, known for certain."""

    count: int
    of: int

    def __str__(self) -> str:
        return f"{self.count / self.of if self.of else 0.0:.3f} ({self.count} of {self.of})"


@dataclass(frozen=True)
class Numbers:
    """A number for each seed; None where it was not reached within so many epochs.

    `of`: the largest that it could be.
    """

    values: tuple[float | None, ...]
    within: int
    of: int | None = None

    def __str__(self) -> str:
        words = [f"not in {self.within}" if v is None else f"{v:g}" for v in self.values]
        return ", ".join(words) + (f" of {self.of}" if self.of else "")


@dataclass(frozen=True)
class Difference:
    """Of two shares; problems that one or the other solves with more of its seeds; the test."""

    share: float
    more: int
    fewer: int
    p: float

    def __str__(self) -> str:
        return f"{self.share:+.3f} ({self.more} : {self.fewer}, {_p(self.p)})"


@dataclass(frozen=True)
class Change:
    """The shares of held-out theorems that were proved before a training and after it."""

    shares: Shares

    def __str__(self) -> str:
        row = self.shares
        before, after = (f"{n / row.problems:.3f}" for n in (row.before, row.after))
        only = f"{row.only_before} : {row.only_after}"
        return f"{before} to {after} ({only} of {row.problems}, {_p(row.p)})"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


Value = Share | Part | Numbers | Difference | Change


class Measure(ABC):
    """A cell of a table; `over` are the jobs that it reads."""

    over: tuple[Job, ...]

    @property
    def jobs(self) -> Sequence[Job]:
        return self.over

    @abstractmethod
    def read(self, done: Done) -> Value | None: ...


@dataclass(frozen=True)
class Solved(Measure):
    """The share of problems solved: of a stratum, of those whose names begin with `prefix`, within
    a time, of the novel ones alone."""

    over: tuple[Evaluation | Contest, ...]
    stratum: str | None = None
    within: float | None = None
    novel: bool = False
    prefix: str = ""

    def read(self, done: Done) -> Share | None:
        counts = []
        for job in self.over:
            rows = done.rows(job)
            if rows is None:
                return None
            kept = [row for row in rows.values() if self.stratum in (None, row.stratum)]
            kept = [row for row in kept if row.name.startswith(self.prefix)]
            if self.novel:
                names = done.novel(job.theory, job.problems)
                kept = [row for row in kept if row.name in names]
            limit = self.within or float("inf")
            counts.append((sum(r.solved and r.cpu_seconds <= limit for r in kept), len(kept)))
        return Share(tuple(counts))


@dataclass(frozen=True)
class AtMost(Measure):
    """The share of a stratum that its limit of steps allows, if problems need `least` steps."""

    theory: str
    problems: str
    stratum: str
    least: Callable[[Term], int]

    @property
    def jobs(self) -> Sequence[Job]:
        return ()

    def read(self, done: Done) -> Part:
        theory = get_theory(self.theory)
        benchmark = benchmark_of(theory)
        starts = [
            problem.start
            for problem in load_set(theory, self.problems)
            if benchmark.stratum(problem) == self.stratum
        ]
        limit = benchmark.steps[self.stratum]
        return Part(sum(self.least(start) <= limit for start in starts), len(starts))


class OfRuns(Measure):
    """A number for each training, out of its metrics."""

    over: tuple[Training, ...]

    def read(self, done: Done) -> Numbers | None:
        found = [metrics for job in self.over if (metrics := done.metrics(job))]
        if len(found) < len(self.over):
            return None
        return Numbers(tuple(map(self.figure, found)), self.over[0].epochs, self.whole(found[0]))

    @abstractmethod
    def figure(self, metrics: Metrics) -> float | None: ...

    def whole(self, metrics: Metrics) -> int | None:
        """The largest that it could be, if that is known."""
        return None


@dataclass(frozen=True)
class Finished(OfRuns):
    """The epoch at whose end the whole curriculum was passed."""

    over: tuple[Training, ...]

    def figure(self, metrics: Metrics) -> float | None:
        return next((row["epoch"] + 1 for row in metrics if row.get("finished")), None)


@dataclass(frozen=True)
class Figure(OfRuns):
    """A figure of an epoch, the last one if it is -1: its level, the problems solved so far, …

    `of`: what it is a part of, another figure that does not change.
    """

    over: tuple[Training, ...]
    key: str
    epoch: int = -1
    of: str | None = None

    def figure(self, metrics: Metrics) -> float | None:
        return float(metrics[self.epoch][self.key])

    def whole(self, metrics: Metrics) -> int | None:
        return metrics[self.epoch][self.of] if self.of else None


@dataclass(frozen=True)
class Spent(OfRuns):
    """The CPU seconds of trainings."""

    over: tuple[Training, ...]

    def figure(self, metrics: Metrics) -> float | None:
        return float(round(sum(row["cpu"] for row in metrics)))


@dataclass(frozen=True)
class HeldBack(Measure):
    """A row of a training's own table."""

    of: Training
    seconds: float

    @property
    def jobs(self) -> Sequence[Job]:
        return (self.of,)

    def read(self, done: Done) -> Change | None:
        rows = done.shares(self.of) or ()
        return next((Change(row) for row in rows if row.seconds == self.seconds), None)


@dataclass(frozen=True)
class Versus(Measure):
    """Two arms on the same problems and seeds, within a time: the exact sign test.

    A problem counts once: for the arm that solves it with a larger share of its seeds. p is
    multiplied by the number of `comparisons` that are made together.
    """

    over: tuple[Evaluation | Contest, ...]
    other: tuple[Evaluation | Contest, ...]
    within: float
    comparisons: int = 1

    @property
    def jobs(self) -> Sequence[Job]:
        return (*self.over, *self.other)

    def read(self, done: Done) -> Difference | None:
        ours, theirs = (self._solved(done, jobs) for jobs in (self.over, self.other))
        if ours is None or theirs is None or not ours:
            return None
        gains = [ours[name] - theirs[name] for name in ours.keys() & theirs.keys()]
        more, fewer = sum(g > _SAME for g in gains), sum(g < -_SAME for g in gains)
        p = min(1.0, self.comparisons * mcnemar(more, fewer))
        return Difference(sum(gains) / len(gains), more, fewer, p)

    def _solved(self, done: Done, jobs: Sequence[Evaluation | Contest]) -> dict[str, float] | None:
        """The share of seeds that solve each problem."""
        counts: dict[str, float] = {}
        for job in jobs:
            rows = done.rows(job)
            if rows is None:
                return None
            for name, row in rows.items():
                good = row.solved and row.cpu_seconds <= self.within
                counts[name] = counts.get(name, 0.0) + good / len(jobs)
        return counts


@dataclass(frozen=True)
class Line:
    """A row of a table: the paper's words, () if it has none, and our measures."""

    label: str
    paper: tuple[str, ...]
    ours: tuple[Measure | None, ...]


@dataclass(frozen=True)
class Curves:
    """A figure of every epoch: the mean over the seeds of each label, and their range."""

    key: str
    axis: str
    runs: Mapping[str, tuple[Training, ...]]

    @property
    def jobs(self) -> Iterator[Job]:
        return chain.from_iterable(self.runs.values())


@dataclass(frozen=True)
class Within:
    """The share solved by when, up to `seconds`: a panel for each theory, a curve for each label.

    A curve is the mean over the seeds, with their range.
    """

    panels: Mapping[str, Mapping[str, tuple[Evaluation, ...]]]
    seconds: float

    @property
    def jobs(self) -> Iterator[Job]:
        return (job for labels in self.panels.values() for over in labels.values() for job in over)


@dataclass(frozen=True)
class Venn:
    """Who solved what, each within its limit."""

    sets: Mapping[str, Evaluation | Contest]

    @property
    def jobs(self) -> Iterator[Job]:
        return iter(self.sets.values())


Chart = Curves | Within | Venn


@dataclass(frozen=True)
class Experiment:
    """One table or figure, or both."""

    name: str
    shows: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    charts: tuple[Chart, ...] = ()
    notes: tuple[str, ...] = ()

    def jobs(self) -> list[Job]:
        """All that is needed, each once."""
        measures = (measure for line in self.lines for measure in line.ours if measure)
        parts: Iterable[Measure | Chart] = chain(measures, self.charts)
        return list(dict.fromkeys(job for part in parts for job in part.jobs))
