"""All pairs of a list: certificates in a directory, files made of them, and the proof of it all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from threesil.errors import InputError
from threesil.implications.equations import EquationList
from threesil.implications.explore import Explorer, Standing
from threesil.implications.output import MATRIX, differing, status_of, write_all
from threesil.implications.store import TRIED, Store, lines
from threesil.implications.verify import Shown, shown
from threesil.work.places import place_for


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
    with Store(path, given) as store, place_for(on, workers, processes=True) as place:
        explorer = Explorer(given, store, progress)
        explorer.run(place, seconds, 3600 * hours)
        return write(given, path)


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
    """Makes all files again from the certificates, each of which a kernel checks.

    `InputError` if a certificate is wrong, or a file that was written says something else.
    """
    found = shown(given, path, kernel=True, progress=progress)
    others = differing(path, given, found.status, found.by)
    if others or not np.array_equal(found.status, status_of(found.relation)):
        named = path / (others or [MATRIX])[0]
        raise InputError(f"{named} is not what the certificates show; write it again")
    return _graph(found)


def _graph(found: Shown, notes: Iterable[str] = ()) -> Graph:
    proved, refuted = found.relation.counts
    counts = found.proofs, found.models, found.systems
    return Graph(found.relation.pairs, proved, refuted, *counts, tuple(notes))
