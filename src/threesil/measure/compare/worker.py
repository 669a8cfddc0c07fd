"""A worker: a process that answers problems with outcomes, and dies with its parent.

An outcome brings its certificate, which is checked anew where it arrives.
"""

from __future__ import annotations

import signal
import sys
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome, failure
from threesil.kernel.theory import Problem, Theory
from threesil.provers.request import Request
from threesil.provers.solvers import Warm, request_of
from threesil.work.machine import ENDINGS, die_with, limit_memory


@dataclass(frozen=True)
class Conditions:
    """What holds for every attempt: the theory, and the request but for its solver."""

    theory: Theory
    request: Request

    @property
    def most_cpu(self) -> float:
        """CPU seconds after which a worker that has not answered is killed."""
        return 2 * self.request.seconds + 30

    @property
    def most_wall(self) -> float:
        """The same by the wall clock, for one that waits for something that never comes."""
        return 60 * self.request.seconds + 300


def serve(connection: Connection, name: str, conditions: Conditions, parent: int) -> None:
    """Answers problems until nobody asks any more."""
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    die_with(parent)
    request = request_of(name, conditions.request)
    warm = Warm(request)
    solver = warm.take(conditions.theory)
    if solver.in_process:
        limit_memory(request.memory)
    warm.keep(solver)
    connection.send("ready")
    while True:
        try:
            problem, theory = connection.recv()
        except EOFError:
            return
        outcome = _solve(warm, theory or conditions.theory, problem, name)
        connection.send(replace(outcome, parts=(), turns=(), words=None, by=name))


def _solve(warm: Warm, theory: Theory, problem: Problem, name: str) -> Outcome:
    """What a solver makes of a problem; a failure is an outcome too, and other problems go on."""
    begin = time.thread_time()
    try:
        solver = warm.take(theory)
        outcome = solver.solve(problem, warm.request.budget())
        warm.give(solver, outcome)
        return outcome
    except InputError as error:  # larger than what it takes
        return Outcome(problem, SZS.INPUT_ERROR, by=name, reason=str(error))
    except Exception as error:
        failed = error
    return failure(problem, failed, name, time.thread_time() - begin)
