"""Processes that look for proofs and models of pairs, each with an engine of its own.

A process takes one task after the other: an equation, and others that it may imply. It ends with
the process that started it, or when it is told to.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, Literal, Protocol, Self

from threesil.engine import Budget
from threesil.implications.attempt import prove
from threesil.implications.equations import EquationList
from threesil.implications.shared import Shared
from threesil.implications.store import REFUTES
from threesil.kernel.proof import Proof
from threesil.kernel.tables import Tables
from threesil.kernel.theory import Problem
from threesil.notations.proof_json import proof_to_json
from threesil.notations.system_json import system_to_json
from threesil.search.finite.finder import Finder

Kind = Literal["prove", "refute"]


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
    convergent system as JSON, which names the equations that it refutes."""

    task: Task
    cpu_seconds: float
    proofs: dict[int, dict[str, Any]] = field(default_factory=dict)
    models: tuple[Tables, ...] = ()
    system: dict[str, Any] | None = None


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
        return bool(self._idle)

    @property
    def busy(self) -> bool:
        return bool(self._busy)

    def give(self, task: Task) -> None:
        pipe = self._idle.pop()
        pipe.send(task)
        self._busy.append(pipe)

    def reports(self, seconds: float) -> Iterator[Report]:
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
    if task.kind == "refute":
        models = _models(task, given)
        return Report(task, time.thread_time() - begin, models=models)
    theory, system = given.theory(task.source), None
    proofs: dict[int, dict[str, Any]] = {}
    search: Callable[[Problem, float], Proof | None] = partial(prove, theory)
    if task.shared:
        shared = Shared(theory, task.shared)
        search = shared.prove
        system = _system(task, given, shared)
    refuted = set(system[REFUTES]) if system else set()
    skipped = {goal for goal in task.goals if given.equations[goal].name in refuted}
    for number, goal in enumerate(task.goals):
        problem = given.problem((task.source, goal))
        if goal in skipped or (
            system is not None and given.equations[goal].name in system[REFUTES]
        ):
            continue
        proof = search(problem, task.seconds)
        if proof is not None:
            proofs[goal] = proof_to_json(proof)
            skipped |= task.follows[number] if task.follows else set()
    return Report(task, time.thread_time() - begin, proofs, system=system)


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
