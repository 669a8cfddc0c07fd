"""All pairs of a list: certificates in a directory, files made of them, and the proof of it all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from threesil.errors import InputError
from threesil.implications.equations import EquationList
from threesil.implications.explore import Explorer, Standing
from threesil.implications.output import MATRIX, differing, status_of, write_all
from threesil.implications.store import TRIED, Store, lines
from threesil.implications.verify import Shown, shown
from threesil.implications.workers import Report, Task, Workers, do
from threesil.work.on_ray import Cluster


@dataclass(frozen=True)
class Graph:
    """What is known: pairs of two equations; what could not be written is in `notes`."""

    pairs: int
    proved: int
    refuted: int
    proofs: int
    models: int
    systems: int = 0
    notes: tuple[str, ...] = ()

    @property
    def open(self) -> int:
        return self.pairs - self.proved - self.refuted


def explore(
    given: EquationList,
    path: Path,
    *,
    workers: int = 1,
    on: str | None = None,
    seconds: float = 10.0,
    hours: float = math.inf,
    progress: Callable[[Standing], None] = lambda standing: None,
) -> Graph:
    """Decides all pairs as far as it can, and writes what is known; Ctrl-C loses nothing.

    `on` is `ray`, or `ray://HOST:PORT`: proofs and models are looked for on a Ray cluster.
    """

    def pool() -> Workers | _OnRay:
        return Workers(given, workers) if on is None else _OnRay(given, on, workers)

    with Store(path, given) as store:
        explorer = Explorer(given, store, progress)
        explorer.run(pool, seconds, 3600 * hours)
        return write(given, path)


class _OnRay:
    """Those who search, on a cluster."""

    def __init__(self, given: EquationList, place: str, workers: int) -> None:
        self._cluster = Cluster(place, workers)
        self._cluster.begin(_Do(given))

    @property
    def idle(self) -> bool:
        return self._cluster.room > 0

    @property
    def busy(self) -> bool:
        return self._cluster.busy

    def give(self, task: Task) -> None:
        self._cluster.give([task])

    def reports(self, seconds: float) -> Iterator[Report]:
        for _, _, found in self._cluster.results(seconds):
            yield from found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._cluster.__exit__(*raised)


@dataclass(frozen=True)
class _Do:
    given: EquationList

    def __call__(self, task: Task) -> list[Report]:
        return [do(task, self.given)]


def write(given: EquationList, path: Path) -> Graph:
    """Writes matrix, tables and picture of what a directory's certificates show."""
    found = shown(given, path, kernel=False)
    notes = write_all(path, given, found.status, found.by)
    return _graph(found, [*notes, *_failures(path)])


def _failures(path: Path) -> list[str]:
    """A note if tasks were not done to their end, with the last reason."""
    reasons = [tried["failed"] for _, tried in lines(path / TRIED) if tried.get("failed")]
    if not reasons:
        return []
    return [f"{len(reasons)} tasks failed, see {path / TRIED}: {reasons[-1]}"]


def check(
    given: EquationList, path: Path, progress: Callable[[str, int], None] = lambda what, at: None
) -> Graph:
    """Makes all files anew from the certificates, each of which a kernel checks.

    `InputError` if a certificate is wrong, or a file that was written says something else.
    """
    found = shown(given, path, kernel=True, progress=progress)
    others = differing(path, given, found.status, found.by)
    if others or not np.array_equal(found.status, status_of(found.relation)):
        named = path / (others or [MATRIX])[0]
        raise InputError(f"{named} is not what the certificates show; write it anew")
    return _graph(found)


def _graph(found: Shown, notes: Iterable[str] = ()) -> Graph:
    proved, refuted = found.relation.counts
    counts = found.proofs, found.models, found.systems
    return Graph(found.relation.pairs, proved, refuted, *counts, tuple(notes))
