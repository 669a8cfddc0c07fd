"""Processes that look for proofs and models of pairs, each with an engine of its own.

A process takes one task after the other: an equation, and others that it may imply. It ends with
the process that started it, or when it is told to.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Literal, Self

from threesil.countermodel import Tables
from threesil.engine import Budget
from threesil.formats.proof_json import proof_to_json
from threesil.implications.attempt import prove
from threesil.implications.equations import EquationList
from threesil.models.finder import Finder

Kind = Literal["prove", "refute"]


@dataclass(frozen=True)
class Task:
    """Does equation `source` imply these others? `seconds` of CPU time for each proof, or for all
    models together; these have `smallest` elements at least."""

    kind: Kind
    source: int
    goals: tuple[int, ...]
    seconds: float
    smallest: int = 2


@dataclass(frozen=True)
class Report:
    """What was found: proofs as JSON, by the numbers of the goals, and interpretations."""

    task: Task
    proofs: dict[int, dict[str, Any]]
    models: tuple[Tables, ...]
    cpu_seconds: float


class Workers:
    """So many processes; `give` hands one a task, `reports` waits for what they found."""

    def __init__(self, given: EquationList, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._idle: list[Connection] = []
        self._busy: list[Connection] = []
        self._processes = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, given), daemon=True)
            process.start()
            theirs.close()
            self._idle.append(ours)
            self._processes.append(process)

    @property
    def idle(self) -> bool:
        """Whether one has nothing to do."""
        return bool(self._idle)

    @property
    def busy(self) -> bool:
        """Whether one is at work."""
        return bool(self._busy)

    def give(self, task: Task) -> None:
        pipe = self._idle.pop()
        pipe.send(task)
        self._busy.append(pipe)

    def reports(self, seconds: float) -> Iterator[Report]:
        """What has been found, after so many seconds at most."""
        for pipe in wait(self._busy, timeout=seconds):
            assert isinstance(pipe, Connection)
            try:
                report: Report = pipe.recv()
            except EOFError:
                raise RuntimeError("a process that looks for proofs has died") from None
            self._busy.remove(pipe)
            self._idle.append(pipe)
            yield report

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the processes, whatever they are doing."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
        for pipe in (*self._idle, *self._busy):
            pipe.close()


def _work(pipe: Connection, given: EquationList) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one hears of it
    while True:
        try:
            task: Task = pipe.recv()
        except EOFError:
            return
        pipe.send(do(task, given))


def do(task: Task, given: EquationList) -> Report:
    """Does a task in this process."""
    begin = time.thread_time()
    proofs: dict[int, dict[str, Any]] = {}
    models: list[Tables] = []
    theory = given.theory(task.source)
    if task.kind == "prove":
        for goal in task.goals:
            proof = prove(theory, given.problem((task.source, goal)), task.seconds)
            if proof is not None:
                proofs[goal] = proof_to_json(proof)
    else:
        problems = [given.problem((task.source, goal)) for goal in task.goals]
        finder = Finder(theory, problems, smallest=task.smallest)
        for found in finder.run(Budget(None, task.seconds)).models:
            if found is not None and found.tables not in models:
                models.append(found.tables)
    return Report(task, proofs, tuple(models), time.thread_time() - begin)
