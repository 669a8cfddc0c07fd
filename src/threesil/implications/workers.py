"""Processes that look for proofs and models of pairs, each with an engine of its own.

A process takes one task after the other: an equation, and others that it may imply. It ends with
the process that started it, or when it is told to.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Final, Literal, Protocol, Self

from threesil.engine import Budget
from threesil.implications.attempt import InTurn
from threesil.implications.equations import EquationList
from threesil.implications.shared import Shared
from threesil.implications.store import REFUTES
from threesil.kernel.outcome import OUT_OF_MEMORY, described
from threesil.kernel.tables import Tables
from threesil.notations.proof_json import proof_to_json
from threesil.notations.system_json import system_to_json
from threesil.search.finite.finder import Finder

Kind = Literal["prove", "refute"]
_CONTEXT: Final[SpawnContext] = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Task:
    """Does equation `source` imply these others?

    `seconds` of CPU time are for each proof, or for all models together; these have `smallest`
    elements at least. With `shared` seconds for one completion for all goals, `follows` says which
    goals each of them implies, and all of `undecided` may be refuted.
    """

    kind: Kind
    source: int
    goals: tuple[int, ...]
    seconds: float
    smallest: int = 2
    shared: float = 0.0
    follows: tuple[frozenset[int], ...] = ()
    undecided: tuple[int, ...] = ()


@dataclass(frozen=True)
class Report:
    """What was found: proofs as JSON, by the numbers of the goals, and interpretations; or a
    convergent system as JSON, which names the equations that it refutes.

    `failed` says why the task was not done to its end, where it was not."""

    task: Task
    cpu_seconds: float
    proofs: dict[int, dict[str, Any]] = field(default_factory=dict)
    models: tuple[Tables, ...] = ()
    system: dict[str, Any] | None = None
    failed: str = ""


class Pool(Protocol):
    """Those who do tasks: `give` hands one over, `reports` waits for what was found."""

    @property
    def idle(self) -> bool:
        """Whether one has nothing to do."""

    @property
    def busy(self) -> bool:
        """Whether one is at work."""

    def give(self, task: Task) -> None: ...

    def reports(self, seconds: float) -> Iterator[Report]:
        """What has been found, after so many seconds at most."""


class Workers:
    """So many processes of this machine."""

    def __init__(self, given: EquationList, count: int) -> None:
        self._given = given
        self._idle: list[Connection] = []
        self._busy: dict[Connection, Task] = {}
        self._processes: dict[Connection, SpawnProcess] = {}
        for _ in range(count):
            self._start()

    def _start(self) -> None:
        ours, theirs = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_work, args=(theirs, self._given), daemon=True)
        process.start()
        theirs.close()
        self._idle.append(ours)
        self._processes[ours] = process

    @property
    def idle(self) -> bool:
        return bool(self._idle)

    @property
    def busy(self) -> bool:
        return bool(self._busy)

    def give(self, task: Task) -> None:
        pipe = self._idle.pop()
        pipe.send(task)
        self._busy[pipe] = task

    def reports(self, seconds: float) -> Iterator[Report]:
        for pipe in wait(list(self._busy), timeout=seconds):
            assert isinstance(pipe, Connection)
            task = self._busy.pop(pipe)
            try:
                report: Report = pipe.recv()
                self._idle.append(pipe)
            except (EOFError, OSError):  # the system may have needed its memory
                report = Report(task, 0.0, failed=self._lost(pipe))
                self._start()
            yield report

    def _lost(self, pipe: Connection) -> str:
        """Takes a process out that has ended; how it did."""
        process = self._processes.pop(pipe)
        process.join()
        pipe.close()
        return f"its process ended with code {process.exitcode}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the processes, whatever they are doing."""
        for process in self._processes.values():
            process.kill()
        for pipe, process in self._processes.items():
            process.join()
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
    """Does a task in this process; what it found before a failure counts."""
    begin = time.thread_time()
    report = Report(task, 0.0)
    try:
        if task.kind == "refute":
            report = replace(report, models=_models(task, given))
        else:
            report = replace(report, system=_prove(task, given, report.proofs))
    except Exception as error:
        failed = OUT_OF_MEMORY if isinstance(error, MemoryError) else described(error)
        report = replace(report, failed=failed)
    return replace(report, cpu_seconds=time.thread_time() - begin)


def _prove(
    task: Task, given: EquationList, proofs: dict[int, dict[str, Any]]
) -> dict[str, Any] | None:
    """Proofs of the goals; a convergent system if there is one that refutes others."""
    theory, system = given.theory(task.source), None
    learned = None
    if task.shared:
        shared = Shared(theory, task.shared)
        learned = shared.learned
        system = _system(task, given, shared)
    solver = InTurn(theory, learned)
    refuted = set(system[REFUTES]) if system else set()
    skipped = {goal for goal in task.goals if given.equations[goal].name in refuted}
    for number, goal in enumerate(task.goals):
        problem = given.problem((task.source, goal))
        if goal in skipped or (
            system is not None and given.equations[goal].name in system[REFUTES]
        ):
            continue
        outcome = solver.solve(problem, Budget(None, task.seconds))
        if outcome.proof is not None:
            proofs[goal] = proof_to_json(outcome.proof)
            skipped |= task.follows[number] if task.follows else set()
    return system


def _models(task: Task, given: EquationList) -> tuple[Tables, ...]:
    models: list[Tables] = []
    problems = [given.problem((task.source, goal)) for goal in task.goals]
    finder = Finder(given.theory(task.source), problems, smallest=task.smallest)
    for found in finder.run(Budget(None, task.seconds)).models:
        if found is not None and found.tables not in models:
            models.append(found.tables)
    return tuple(models)


def _system(task: Task, given: EquationList, shared: Shared) -> dict[str, Any] | None:
    """A convergent system of the equation, if it refutes something."""
    refuted = [
        given.equations[goal].name
        for goal in task.undecided
        if shared.refutes(given.problem((task.source, goal)))
    ]
    if shared.system is None or not refuted:
        return None
    return system_to_json(shared.system) | {REFUTES: refuted}
