"""Tasks of workers: looks for proofs and models of an equation and others that it may imply."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from threesil.engine import Budget, Stop
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


class Search:
    """A worker for tasks about these equations."""

    def __init__(self, given: EquationList) -> None:
        self._given = given

    def __call__(self, task: Task, give: Callable[[Report], None], stop: Stop) -> None:
        give(do(task, self._given))


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
