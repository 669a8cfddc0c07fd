"""Provers that are none: they answer what a test wants."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from threesil.engine import Stop
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Theory
from threesil.provers.base import ExternalProver, Reading, Task
from threesil.provers.outside import Outside
from threesil.provers.registry import MEMORY, find

PROOF = "== PROOF ==\n1 $F.\n== end of proof ==\n\nProcess 1 exit (max_proofs) now"
_LONG = 200.0  # seconds that nobody waits for


class Fake(ExternalProver):
    """Answers `status` at once, or, without one, when it is stopped; notes what it was asked.

    It waits until `after` has been started. One that is `broken` raises an error.
    """

    program, executables, install, suffix = "Fake", (), "", ".fake"

    def __init__(self, name: str, status: SZS | None = None, after: Fake | None = None) -> None:
        super().__init__(Path("fake"), name)
        self.status = status
        self.after = after
        self.broken = False
        self.asked: list[tuple[Task, float, int]] = []
        self.started = threading.Event()

    def run(
        self,
        task: Task,
        seconds: float,
        memory: int = MEMORY,
        stop: Stop | None = None,
    ) -> Outcome:
        self.asked.append((task, seconds, memory))
        self.started.set()
        if self.after is not None:
            assert self.after.started.wait(_LONG)
        if self.broken:
            raise RuntimeError("broken")
        status = self.status or (SZS.USER if _stopped(stop) else SZS.TIMEOUT)
        words = "proof" if status is SZS.THEOREM else None
        return Outcome(task.problem, status, 0.1, 0.2, by=self.name, words=words)

    def write(self, task: Task, seconds: float, memory: int) -> str:
        raise NotImplementedError

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        raise NotImplementedError

    def read(self, output: str) -> Reading:
        raise NotImplementedError


def _stopped(stop: Stop | None) -> bool:
    """Waits for the flag."""
    assert stop is not None
    end = time.monotonic() + _LONG
    while not stop.is_set() and time.monotonic() < end:
        time.sleep(0.005)
    return stop.is_set()


def burn(seconds: float) -> None:
    """Takes so much CPU time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def outside(theory: Theory, *provers: ExternalProver, memory: int = MEMORY) -> list[Outside]:
    """The provers as solvers of the theory."""
    return [Outside(prover, theory, memory) for prover in provers]


def stub(directory: Path, script: str, name: str = "prover9") -> ExternalProver:
    """The prover of that name, its program a script."""
    directory.mkdir(exist_ok=True)
    program = directory / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return find(name, program)
