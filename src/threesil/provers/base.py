"""External provers: what they are asked, what they answer, and how they are run.

A `Task` is a problem in a theory with lemmas (further assumptions) and hints (guidance that proves
nothing). An adapter says how a prover is called, how a task is written for it and how its output is
read; this module runs it and judges what it said. The answer is an `Outcome` without a `Proof`: the
prover's *claim*, if it decides the problem. That counts only if the prover ended by itself, as it
does after a success, and a Theorem only with the proof that it printed.
"""

from __future__ import annotations

import re
import shutil
import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.provers.process import Allowance, Cause, Ended, run_process
from threesil.provers.registry import MEMORY
from threesil.provers.scratch import scratch

_WALL = 5.0  # wall seconds for a second of processor time, where the machine has other work
_WALL_AT_LEAST = 10.0
_OUT_OF_MEMORY = re.compile(
    "out of memory|bad_alloc|memory ?error|cannot allocate|heap (exhausted|overflow)", re.IGNORECASE
)
_NOT_RUN = (126, 127)  # how a program ends that could not be started
_BY_CAUSE = {
    Cause.SECONDS: SZS.TIMEOUT,
    Cause.MEMORY: SZS.RESOURCE_OUT,
    Cause.STOPPED: SZS.USER,
}


@dataclass(frozen=True)
class Task:
    """An equation to prove, from the theory's equations and the lemmas; hints guide only.

    The variables of the problem stand for arbitrary elements.
    """

    theory: Theory
    problem: Problem
    lemmas: tuple[Equation, ...] = ()
    hints: tuple[Equation, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What an output says: a status, or None if it says nothing about the end, and the proof."""

    status: SZS | None
    proof: str | None = None


class ExternalProver(ABC):
    """One external prover, found at `path`; `options` make variants of it, each with its name."""

    program: ClassVar[str]  # its own name, for people
    install: ClassVar[str]  # how to get it
    suffix: ClassVar[str]  # of its input files
    version_options: ClassVar[tuple[str, ...]] = ("--version",)
    version_line: ClassVar[str] = r"\b(\d+(?:\.\d+)+)"
    uses_hints: ClassVar[bool] = False
    codes: ClassVar[Mapping[SZS, tuple[int, ...]]] = {  # with which it exits after a success
        SZS.THEOREM: (0,),
        SZS.COUNTER_SATISFIABLE: (0, 1),
    }

    def __init__(self, path: Path, name: str, options: Sequence[str] = ()) -> None:
        self.path = path
        self.name = name
        self.options = tuple(options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r}, {self.name!r}, {self.options!r})"

    @abstractmethod
    def write(self, task: Task, seconds: float, memory: int) -> str:
        """The task in the prover's language; `InputError` if that can't be."""

    @abstractmethod
    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        """The command line behind the program's name, limits included."""

    @abstractmethod
    def read(self, output: str) -> Reading:
        """What the output says about the end of the run."""

    def read_version(self, output: str) -> str | None:
        """The version in what the program prints with `version_options`."""
        found = re.search(self.version_line, output, re.MULTILINE)
        return found.group(1) if found else None

    def version(self) -> str:
        """The program's version, `unknown` if it does not say; `MissingTool` if it can't be run."""
        with scratch() as directory:
            command = [self._executable(directory), *self.version_options]
            ended = run_process(command, Allowance(10, 10, MEMORY), directory=directory)
        found = self.read_version(ended.output)
        if found is None and ended.code in _NOT_RUN:
            said = f"{_how(ended)}: {_last_lines(ended)}"
            raise MissingTool(f"{self.program} at {self.path} can't be run: {said}")
        return found or "unknown"

    def require_hints(self) -> None:
        """`InputError` unless the prover can use hints."""
        if not self.uses_hints:
            raise InputError(
                f"{self.name} can't use hints, only Prover9 can; give it the equations as lemmas"
            )

    def run(
        self,
        task: Task,
        seconds: float,
        memory: int = MEMORY,
        stop: Stop | None = None,
    ) -> Outcome:
        """Tries to prove the task within so many seconds of processor time.

        `memory` is in megabytes. Setting `stop`, from another thread, ends the run early; so do
        several times the `seconds` of wall time, if the prover hardly gets to run. `InputError` for
        hints that the prover can't use.
        """
        if task.hints:
            self.require_hints()
        with scratch() as directory:
            file = f"problem{self.suffix}"
            try:
                (directory / file).write_text(self.write(task, seconds, memory))
            except InputError as error:
                return Outcome(task.problem, SZS.INPUT_ERROR, by=self.name, reason=str(error))
            command = [self._executable(directory), *self.arguments(file, seconds, memory)]
            wall = max(_WALL * seconds, _WALL_AT_LEAST)
            allowance = Allowance(wall, seconds, memory)
            ended = run_process(command, allowance, directory=directory, stop=stop)
        return self.judge(task.problem, ended, seconds)

    def judge(self, problem: Problem, ended: Ended, seconds: float) -> Outcome:
        """What came of a run that had so many seconds of processor time."""
        reading = self.read(ended.output)
        status, reason = _status(reading, ended, seconds), ""
        if status.decides and ended.code not in self.codes.get(status, ()):
            reason = f"it says {status}, but ended with {_how(ended)}"
            status = SZS.ERROR
        elif status is SZS.THEOREM and not reading.proof:
            status, reason = SZS.UNKNOWN, "it says Theorem, but printed no proof"
        elif status in (SZS.ERROR, SZS.INPUT_ERROR):
            reason = f"{_how(ended)}: {_last_lines(ended)}"
        return Outcome(
            problem,
            status,
            ended.seconds,
            ended.cpu_seconds,
            by=self.name,
            words=reading.proof if status is SZS.THEOREM else None,
            reason=reason,
        )

    def _executable(self, directory: Path) -> str:
        return str(self.path)


def _status(reading: Reading, ended: Ended, seconds: float) -> SZS:
    """Why the process was ended comes first, then what it said, then how it ended by itself."""
    if ended.cause is not Cause.EXIT:
        return _BY_CAUSE[ended.cause]
    if reading.status is not None:
        return reading.status
    killed = ended.code == -signal.SIGKILL and ended.cpu_seconds >= seconds
    if ended.code == -signal.SIGXCPU or killed:  # the clocks of the two differ a little
        return SZS.TIMEOUT
    return SZS.RESOURCE_OUT if _OUT_OF_MEMORY.search(ended.output[-4000:]) else SZS.ERROR


def _how(ended: Ended) -> str:
    return f"signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"


def _last_lines(ended: Ended) -> str:
    lines = [line.strip() for line in ended.output[-2000:].splitlines() if line.strip()]
    return " | ".join(lines[-3:]) or "no output"


def runnable_copy(path: Path, directory: Path) -> str:
    """The path of a program that may be run: itself, or a copy if it lacks the permission."""
    copy = directory / path.name
    shutil.copyfile(path, copy)
    copy.chmod(0o700)
    return str(copy)
