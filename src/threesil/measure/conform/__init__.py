"""Conformance: recorded episodes of the original programs, replayed in the engine.

Every state, cursor, mask, flag and outcome is compared; the first difference ends the replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from threesil.errors import InputError
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.measure.conform.records import read_trace, recognise
from threesil.measure.conform.replay import (
    Difference,
    Differs,
    EquationReplay,
    Replay,
    Report,
    TermReplay,
)

__all__ = ["Difference", "Report", "conform", "recorded_streams"]


def conform(
    path: Path,
    theories: Sequence[Theory],
    progress: Callable[[int], None] = lambda episodes: None,
) -> Report:
    """Replays all episodes of a file and stops at the first difference."""
    source, name = str(path), ""
    episodes = decisions = 0
    for replay in _replays(path, theories):
        name = replay.theory.name
        try:
            decisions += replay.run()
        except Differs as d:
            place = source, replay.record.place.line
            found = Difference(*place, d.step, d.what, d.recorded, d.engine, replay.state())
            return Report(source, name, episodes, decisions, found)
        episodes += 1
        progress(episodes)
    return Report(source, name, episodes, decisions)


def recorded_streams(
    path: Path, theories: Sequence[Theory]
) -> tuple[Theory, list[Problem], list[list[int]]]:
    """(theory, problems, actions from 0) of a trace file, for replay without comparison."""
    replays = list(_replays(path, theories))
    return replays[0].theory, [r.problem for r in replays], [r.actions for r in replays]


def _replays(path: Path, theories: Sequence[Theory]) -> Iterator[Replay]:
    """The episodes of a file, which is about one theory."""
    theory: Theory | None = None
    for record in read_trace(path):
        theory = theory or recognise(record, theories)
        of = EquationReplay if theory.goal is Goal.EQUATION else TermReplay
        yield of(theory, record)
    if theory is None:
        raise InputError("no episode in this file", source=str(path))
