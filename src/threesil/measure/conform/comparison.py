"""An episode in the engine beside its recording, and where they differ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from threesil.engine import Batch, Limits
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.measure.conform.records import Record
from threesil.notations.infix import format_term


@dataclass(frozen=True)
class Difference:
    """The first place where the engine and the recording disagree."""

    source: str
    line: int
    step: int
    what: str
    recorded: str
    engine: str
    state: str

    def __str__(self) -> str:
        return (
            f"{self.source}:{self.line}: step {self.step}: {self.what} differs\n"
            f"  recorded: {self.recorded}\n"
            f"  engine:   {self.engine}\n"
            f"  state:    {self.state}"
        )


@dataclass(frozen=True)
class Report:
    """The outcome of one file; `difference` is None if all agree."""

    source: str
    theory: str
    episodes: int
    decisions: int
    difference: Difference | None = None


class Differs(Exception):
    """What ends a replay: the engine is not where the recording is."""

    def __init__(self, step: int, what: str, recorded: object, engine: object) -> None:
        self.step, self.what, self.recorded, self.engine = step, what, str(recorded), str(engine)


def expect(step: int, what: str, recorded: object, engine: object) -> None:
    """`Differs` unless the two agree."""
    if recorded != engine:
        raise Differs(step, what, recorded, engine)


class Replay(ABC):
    """One episode: the engine's copy of it, and the recording."""

    problem: Problem
    actions: list[int]

    def __init__(self, theory: Theory, record: Record) -> None:
        self.theory = theory
        self.record = record
        self.steps = record.records("steps")
        if not self.steps:
            raise record.error("'steps' is empty")
        self.batch: Batch | None = None

    def start(self) -> Batch:
        limits = Limits(steps=2**31 - 1)
        batch = Batch(self.theory, [self.problem], limits=limits, compatible=True)
        batch.reset(0, 0)
        self.batch = batch
        return batch

    def state(self) -> str:
        """The engine's state, as a person reads it."""
        if self.batch is None:
            return "not begun"
        term = self.batch.term(0)
        shown = replace(self.theory.signature, numerals=None)
        sides = term.args if self.theory.goal is Goal.EQUATION else (term,)
        text = " = ".join(format_term(side, shown) for side in sides)
        return f"{text}  cursor {list(self.batch.cursor(0))}"

    def legal(self) -> list[int]:
        assert self.batch is not None
        return [int(a) for a in np.flatnonzero(self.batch.masks()[0])]

    def take(self, step: int, action: int, legal: Sequence[int]) -> None:
        assert self.batch is not None
        if action not in legal:
            raise Differs(step, "the action", action, "not legal")
        self.batch.step(np.array([action], dtype=np.int32))

    @abstractmethod
    def run(self) -> int:
        """Compares the whole episode; the number of its decisions."""
