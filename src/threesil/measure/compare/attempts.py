"""Attempts of solvers on problems: each in a process of its own, several at a time.

Each worker has a process for each solver, and makes one attempt at a time, so that with a worker
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
from threesil.measure.results import Row, row_of
from threesil.provers.request import Request
from threesil.provers.solvers import Warm, request_of
from threesil.work.machine import limit_memory
from threesil.work.places import place_for
from threesil.work.processes import Child, Died

_KILLED: Final = -9  # how a process ended that the system has killed, to have its memory
_Asked = tuple[Problem, Theory | None]
_Give = Callable[[Outcome], None]


@dataclass(frozen=True)
class Conditions:
    """What holds for every attempt: the theory, and the request but for its solver."""

    theory: Theory
    request: Request

    @property
    def most_cpu(self) -> float:
        """CPU seconds after which a process that has not answered is killed.

        No solver should come to that: each keeps its limit itself.
        """
        return 2 * self.request.seconds + 30

    @property
    def most_wall(self) -> float:
        """The same by the wall clock, for one that waits for something that never comes."""
        return 60 * self.request.seconds + 300


@dataclass(frozen=True)
class Attempt:
    """A problem for a solver; `theory` is that of the problem, where it is not everyone's."""

    solver: str
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
    """(solver, row) as they come; an outcome that shows something else than was asked is refused.

    Closing the generator stops everything, and so does `stop`.
    """
    with place_for(on, max(1, min(workers, len(attempts)))) as place:
        for done in place.map(partial(_Lane, conditions), attempts, stop):
            one = attempts[done.index]
            theory = one.theory or conditions.theory
            yield one.solver, row_of(done.get(), theory, one.problem)


class _Lane:
    """A worker: makes one attempt at a time, in a process for each solver."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._children: dict[str, Child] = {}

    def __call__(self, attempt: Attempt, give: _Give, stop: Stop) -> None:
        name, problem, conditions = attempt.solver, attempt.problem, self._conditions
        if name not in self._children:
            cpu, wall = conditions.most_cpu, conditions.most_wall
            self._children[name] = Child(partial(_Solver, name, conditions), cpu=cpu, wall=wall)
        found: list[Outcome] = []
        try:
            self._children[name]((problem, attempt.theory), found.append, stop)
        except Died as died:
            found = [_died(died, problem, name)]
        if found[0].status is SZS.RESOURCE_OUT:
            self._children[name].close()  # it may be too full to continue
        give(found[0])

    def close(self) -> None:
        for child in self._children.values():
            child.close()


def _died(died: Died, problem: Problem, by: str) -> Outcome:
    """What a process makes of the problem with which it ended."""
    status, reason = SZS.ERROR, str(died)
    if died.code is None:
        status, reason = SZS.TIMEOUT, "it ran much longer than its limit"
    elif died.code == _KILLED:
        status, reason = SZS.RESOURCE_OUT, "its process was killed"
    took = round(died.seconds, 6)
    return Outcome(problem, status, took, took, by=by, reason=reason)


class _Solver:
    """A solver in its process; a failure is an outcome too."""

    def __init__(self, name: str, conditions: Conditions) -> None:
        self._name, self._theory = name, conditions.theory
        self._warm = Warm(request_of(name, conditions.request))
        solver = self._warm.take(conditions.theory)
        if solver.in_process:
            limit_memory(conditions.request.memory)
        self._warm.keep(solver)

    def __call__(self, asked: _Asked, give: _Give, stop: Stop) -> None:
        problem, theory = asked
        begin = time.thread_time()
        try:
            solver = self._warm.take(theory or self._theory)
            outcome = solver.solve(problem, self._warm.request.budget(stop))
            self._warm.give(solver, outcome)
        except InputError as error:  # larger than what it takes
            outcome = Outcome(problem, SZS.INPUT_ERROR, reason=str(error))
        except Exception as error:
            outcome = failure(problem, error, seconds=time.thread_time() - begin)
        give(replace(outcome, parts=(), turns=(), words=None, by=self._name))
