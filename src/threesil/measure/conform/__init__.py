"""Conformance: recorded episodes of the original programs, replayed in the engine.

Every state, cursor, mask, flag and outcome is compared; the first difference ends the replay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from threesil.errors import InputError
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.measure.conform.records import Record, read_trace, recognise
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
    theory: Theory | None = None
    episodes = decisions = 0
    for record in read_trace(path):
        theory = theory or recognise(record, theories)
        replay = _replay(theory, record)
        try:
            decisions += replay.run()
        except Differs as d:
            line = record.place.line
            state = replay.state()
            found = Difference(str(path), line, d.step, d.what, d.recorded, d.engine, state)
            return Report(str(path), theory.name, episodes, decisions, found)
        episodes += 1
        progress(episodes)
    if theory is None:
        raise InputError("no episode in this file", source=str(path))
    return Report(str(path), theory.name, episodes, decisions)


def recorded_streams(
    path: Path, theories: Sequence[Theory]
) -> tuple[Theory, list[Problem], list[list[int]]]:
    """(theory, problems, actions from 0) of a trace file, for replay without comparison."""
    theory: Theory | None = None
    problems, streams = [], []
    for record in read_trace(path):
        theory = theory or recognise(record, theories)
        replay = _replay(theory, record)
        problems.append(replay.problem)
        streams.append(replay.actions)
    if theory is None:
        raise InputError("no episode in this file", source=str(path))
    return theory, problems, streams


def _replay(theory: Theory, record: Record) -> Replay:
    if theory.goal is Goal.EQUATION:
        return EquationReplay(theory, record)
    return TermReplay(theory, record)
