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
from threesil.measure.compare.systems import System, make_system
from threesil.provers import MEMORY
from threesil.work.machine import ENDINGS, die_with, limit_memory


@dataclass(frozen=True)
class Conditions:
    """What holds for every attempt: the theory, CPU seconds, megabytes, the model's file."""

    theory: Theory
    seconds: float
    memory: int = MEMORY
    model: str | None = None

    @property
    def most_cpu(self) -> float:
        """CPU seconds after which a worker that has not answered is killed."""
        return 2 * self.seconds + 30

    @property
    def most_wall(self) -> float:
        """The same by the wall clock, for one that waits for something that never comes."""
        return 60 * self.seconds + 300


def serve(connection: Connection, spec: str, conditions: Conditions, parent: int) -> None:
    """Answers problems until nobody asks any more."""
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    die_with(parent)
    system = make_system(spec, conditions.theory, conditions.memory, conditions.model)
    if system.in_process:
        limit_memory(conditions.memory)
    connection.send("ready")
    while True:
        try:
            problem, theory = connection.recv()
        except EOFError:
            return
        outcome = _solve(system, theory or conditions.theory, problem, conditions.seconds)
        connection.send(replace(outcome, parts=(), turns=(), words=None))


def _solve(system: System, theory: Theory, problem: Problem, seconds: float) -> Outcome:
    """What a system makes of a problem; a failure is an outcome too, and other problems go on."""
    begin = time.thread_time()
    try:
        return system.solve(theory, problem, seconds)
    except InputError as error:  # larger than what it takes
        return Outcome(problem, SZS.INPUT_ERROR, by=system.name, reason=str(error))
    except Exception as error:
        failed = error
    return failure(problem, failed, system.name, time.thread_time() - begin)
