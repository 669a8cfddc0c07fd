"""Attempts of systems on problems: each in a process of its own, several at a time.

Each worker has a process for each system, and makes one attempt at a time, so that with a worker
for each core an attempt has a core to itself. A process keeps what is slow to make.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from threesil.engine import Stop
from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome, failure
from threesil.kernel.theory import Problem, Theory
from threesil.measure.compare.systems import make_system
from threesil.measure.results import Row, row_of
from threesil.provers import MEMORY
from threesil.work.machine import limit_memory
from threesil.work.places import place_for
from threesil.work.processes import Child, Died

_KILLED: Final = -9  # how a process ended that the system has killed, to have its memory
_Asked = tuple[Problem, Theory | None]
_Give = Callable[[Outcome], None]


@dataclass(frozen=True)
class Conditions:
    """What holds for every attempt: the theory, CPU seconds, megabytes, the model's file."""

    theory: Theory
    seconds: float
    memory: int = MEMORY
    model: str | None = None

    @property
    def most_cpu(self) -> float:
        """CPU seconds after which a process that has not answered is killed.

        No system should come to that: each keeps its limit itself.
        """
        return 2 * self.seconds + 30

    @property
    def most_wall(self) -> float:
        """The same by the wall clock, for one that waits for something that never comes."""
        return 60 * self.seconds + 300


@dataclass(frozen=True)
class Attempt:
    """A problem for a system; `theory` is that of the problem, where it is not everyone's."""

    system: str
    problem: Problem
    theory: Theory | None = None


def run(
    attempts: Sequence[Attempt],
    conditions: Conditions,
    *,
    workers: int = 1,
    on: str | None = None,
    stop: Stop | None = None,
) -> Generator[tuple[str, Row], None, None]:
    """(system, row) as they come; an outcome that shows something else than was asked is refused.

    Closing the generator stops everything, and so does `stop`.
    """
    with place_for(on, max(1, min(workers, len(attempts)))) as place:
        for done in place.map(partial(_Lane, conditions), attempts, stop):
            one = attempts[done.index]
            theory = one.theory or conditions.theory
            yield one.system, row_of(done.get(), theory, one.problem)


class _Lane:
    """A worker: makes one attempt at a time, in a process for each system."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._children: dict[str, Child] = {}

    def __call__(self, attempt: Attempt, give: _Give, stop: Stop) -> None:
        name, problem, conditions = attempt.system, attempt.problem, self._conditions
        if name not in self._children:
            cpu, wall = conditions.most_cpu, conditions.most_wall
            self._children[name] = Child(partial(_System, name, conditions), cpu=cpu, wall=wall)
        found: list[Outcome] = []
        try:
            self._children[name]((problem, attempt.theory), found.append, stop)
        except Died as died:
            found = [_died(died, problem, name)]
        if found[0].status is SZS.RESOURCE_OUT:
            self._children[name].close()  # it may be too full to go on
        give(found[0])

    def close(self) -> None:
        for child in self._children.values():
            child.close()


def _died(died: Died, problem: Problem, by: str) -> Outcome:
    """What a process makes of the problem with which it ended."""
    status, reason = SZS.ERROR, str(died)
    if died.code is None:
        status, reason = SZS.TIMEOUT, "it went on long after its limit"
    elif died.code == _KILLED:
        status, reason = SZS.RESOURCE_OUT, "its process was killed"
    took = round(died.seconds, 6)
    return Outcome(problem, status, took, took, by=by, reason=reason)


class _System:
    """A system in its process; a failure is an outcome too."""

    def __init__(self, name: str, conditions: Conditions) -> None:
        self._theory, self._seconds = conditions.theory, conditions.seconds
        self._system = make_system(name, conditions.theory, conditions.memory, conditions.model)
        if self._system.in_process:
            limit_memory(conditions.memory)

    def __call__(self, asked: _Asked, give: _Give, stop: Stop) -> None:
        problem, theory = asked
        begin = time.thread_time()
        try:
            outcome = self._system.solve(theory or self._theory, problem, self._seconds)
        except InputError as error:  # larger than what it takes
            by, reason = self._system.name, str(error)
            outcome = Outcome(problem, SZS.INPUT_ERROR, by=by, reason=reason)
        except Exception as error:
            took = time.thread_time() - begin
            outcome = failure(problem, error, self._system.name, took)
        give(replace(outcome, parts=(), turns=(), words=None))
