"""All pairs of a list: certificates in a directory, files made of them, and the proof of it all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from threesil.errors import InputError
from threesil.implications.equations import EquationList
from threesil.implications.explore import Explorer, Standing
from threesil.implications.output import certificates, read_status, status_of, write_all
from threesil.implications.relation import Relation, numbers
from threesil.implications.store import TRIED, Store, lines
from threesil.implications.verify import (
    proved_pairs,
    refutations,
    refuted_by_systems,
    verify,
)
from threesil.implications.workers import Report, Task, Workers, do
from threesil.workflows.on_ray import Cluster


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
    relation = Relation(len(given))
    by_model, models = refutations(given, path, relation, kernel=False)
    edges = list(proved_pairs(given, path))
    for (i, j), _ in edges:
        relation.prove(i, j)
    systems = 0
    for i, goals, systems in refuted_by_systems(given, path):
        holding, new = relation.refute_all(i, goals)
        for row, bits in zip(holding.tolist(), new, strict=True):
            by_model[row, numbers(bits, relation.n)] = -systems
    status, by = certificates(len(given), edges, by_model)
    notes = write_all(path, given, status, by)
    proved = int((status == 1).sum()) - len(given)
    refuted = int((status == -1).sum())
    proofs = len({line for _, line in edges})
    notes = [*notes, *_failures(path)]
    return Graph(relation.pairs, proved, refuted, proofs, models, systems, tuple(notes))


def _failures(path: Path) -> list[str]:
    """A note if tasks were not done to their end, with the last reason."""
    reasons = [tried["failed"] for _, tried in lines(path / TRIED) if tried.get("failed")]
    if not reasons:
        return []
    return [f"{len(reasons)} tasks failed, see {path / TRIED}: {reasons[-1]}"]


def check(
    given: EquationList, path: Path, progress: Callable[[str, int], None] = lambda what, at: None
) -> Graph:
    """Makes the matrix anew from the certificates, each of which a kernel checks.

    `InputError` if a certificate is wrong, or the matrix that was written is another.
    """
    shown = verify(given, path, progress)
    status = read_status(path)
    if status is not None and not np.array_equal(status, status_of(shown.relation)):
        raise InputError(f"{path / 'matrix.npz'} is not what the certificates show; write it anew")
    proved, refuted = shown.relation.counts
    proofs = len({edge.line for edge in shown.edges})
    return Graph(shown.relation.pairs, proved, refuted, proofs, shown.models, shown.systems)
