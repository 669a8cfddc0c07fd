"""Tasks of workers: looks for proofs and models of an equation and others that it may imply."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, Literal

from threesil.engine import Budget, Completion, OrderChoice, Saturated, Status, Stop
from threesil.implications.equations import EquationList
from threesil.implications.pairs import InTurn
from threesil.implications.store import REFUTES
from threesil.kernel.confluence import Convergent, NotConvergent
from threesil.kernel.lemmas import certified
from threesil.kernel.naming import variable_names
from threesil.kernel.outcome import OUT_OF_MEMORY, described
from threesil.kernel.tables import Tables
from threesil.kernel.terms import var
from threesil.kernel.theory import Problem, Theory
from threesil.notations.proof_json import proof_to_json
from threesil.notations.system_json import system_to_json
from threesil.search.deciding import convergent
from threesil.search.finite.finder import Finder
from threesil.search.learned import Learned

_RULES: Final = 40  # that become lemmas
_EFFORT: Final = 2.0  # seconds for the check of a convergent system, about
Kind = Literal["prove", "refute"]


class Shared:
    """A theory of one equation after so many CPU seconds of completion, for all it may imply.

    The shortest rules are lemmas for every goal. If completion comes to an end with rules that are
    all oriented, it decides all goals: those whose sides have different normal forms are refuted,
    also where no finite model does it.
    """

    def __init__(self, theory: Theory, seconds: float) -> None:
        self.theory = theory
        x, y = islice(variable_names(theory.signature.symbols), 2)
        run = Completion(theory, order=OrderChoice(flatten=False)).begin(
            Problem("all are equal", var(x), var(y))
        )
        status = run.run(Budget(None, seconds)).status
        self.system: Convergent | None = None
        if status is Status.EXHAUSTED:
            self.system = self._decided(run.saturated(seconds=seconds))
        rules = run.rules(_RULES)
        proofs = certified(theory, run.lemmas(rules, seconds=seconds))
        names = [rule.equation.name for rule in rules]
        self.learned = Learned(theory, tuple(proofs[name] for name in names if name in proofs))

    def _decided(self, saturated: Saturated | None) -> Convergent | None:
        if saturated is None or saturated.unoriented:
            return None
        try:
            return convergent(self.theory, None, saturated, Budget(None, _EFFORT))
        except NotConvergent:
            return None

    def refutes(self, problem: Problem) -> bool:
        """Whether the two sides have different normal forms in a convergent system."""
        if self.system is None:
            return False
        try:
            self.system.refuting(problem)
        except NotConvergent:
            return False
        return True


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
