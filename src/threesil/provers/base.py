"""External provers: what they are asked, what they answer, and how they are run.

A `Task` is a problem in a theory with lemmas (further assumptions) and hints (guidance that proves
nothing). A `Verdict` is the answer: an SZS status and what it cost. An adapter says how a prover
is called, how a task is written for it and how its output is read; this module does the rest.
"""

from __future__ import annotations

import re
import shutil
import signal
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from threesil.errors import InputError
from threesil.provers.process import Cause, Ended, Limits, run_process
from threesil.theory import Equation, Problem, Theory

MEMORY = 2048  # megabytes, unless the caller says otherwise
_SHOWN = (16_000, 48_000)  # characters of the output that a verdict keeps: first, last
_OUT_OF_MEMORY = re.compile(
    "out of memory|bad_alloc|memory ?error|cannot allocate|heap (exhausted|overflow)", re.IGNORECASE
)
_BY_CAUSE = {Cause.SECONDS: "Timeout", Cause.MEMORY: "ResourceOut", Cause.STOPPED: "User"}


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
class Verdict:
    """What a prover said.

    `status` is an SZS status: Theorem; CounterSatisfiable, if a complete search came to its end;
    GaveUp, Timeout, ResourceOut; User, if it was stopped; InputError, if it can't take the task;
    Error for all else. `proof` is its proof in its own words, `reason` a line for people,
    `output` the first and the last part of what it printed.
    """

    prover: str
    status: str
    seconds: float
    cpu_seconds: float
    output: str
    proof: str | None
    command: tuple[str, ...]
    reason: str = ""

    @property
    def proved(self) -> bool:
        return self.status == "Theorem"


@dataclass(frozen=True)
class Reading:
    """What an output says: a status, or None if it says nothing about the end, and the proof."""

    status: str | None
    proof: str | None = None


class ExternalProver(ABC):
    """One external prover, found at `path`; `options` make variants of it, each with its name."""

    program: ClassVar[str]  # its own name, for people
    executables: ClassVar[tuple[str, ...]]  # what it is called on the search path
    install: ClassVar[str]  # how to get it
    suffix: ClassVar[str]  # of its input files
    version_options: ClassVar[tuple[str, ...]] = ("--version",)

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

    @abstractmethod
    def read_version(self, output: str) -> str | None:
        """The version in what the program prints with `version_options`."""

    def version(self) -> str:
        """The program's version, `unknown` if it does not say."""
        with tempfile.TemporaryDirectory(prefix="threesil-") as name:
            directory = Path(name)
            command = [self._executable(directory), *self.version_options]
            ended = run_process(command, Limits(10, 10, MEMORY), directory=directory)
        return self.read_version(ended.output) or "unknown"

    def run(
        self,
        task: Task,
        seconds: float,
        memory: int = MEMORY,
        stop: threading.Event | None = None,
        *,
        wall: float | None = None,
    ) -> Verdict:
        """Tries to prove the task within so many seconds of processor time and of wall time.

        `memory` is in megabytes. Setting `stop`, from another thread, ends the run early. `wall`
        gives another wall time, for a machine that has other work.
        """
        with tempfile.TemporaryDirectory(prefix="threesil-") as name:
            directory = Path(name)
            file = f"problem{self.suffix}"
            try:
                (directory / file).write_text(self.write(task, seconds, memory))
            except InputError as error:
                return Verdict(self.name, "InputError", 0, 0, "", None, (), str(error))
            command = [self._executable(directory), *self.arguments(file, seconds, memory)]
            limits = Limits(seconds if wall is None else wall, seconds, memory)
            ended = run_process(command, limits, directory=directory, stop=stop)
        reading = self.read(ended.output)
        status = _status(reading, ended, seconds)
        return Verdict(
            self.name,
            status,
            ended.seconds,
            ended.cpu_seconds,
            _shorten(ended.output),
            reading.proof if status == "Theorem" else None,
            (str(self.path), *command[1:]),
            _reason(status, ended),
        )

    def _executable(self, directory: Path) -> str:
        return str(self.path)


def _status(reading: Reading, ended: Ended, seconds: float) -> str:
    """A proof counts whatever came behind it; else why the process ended comes first."""
    if reading.status == "Theorem":
        return "Theorem"
    if ended.cause is not Cause.EXIT:
        return _BY_CAUSE[ended.cause]
    if reading.status is not None:
        return reading.status
    if -ended.code in (signal.SIGXCPU, signal.SIGKILL) and ended.cpu_seconds >= seconds:
        return "Timeout"
    return "ResourceOut" if _OUT_OF_MEMORY.search(ended.output[-4000:]) else "Error"


def _reason(status: str, ended: Ended) -> str:
    if status not in ("Error", "InputError"):
        return ""
    how = f"signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
    last = [line.strip() for line in ended.output[-2000:].splitlines() if line.strip()][-3:]
    return f"{how}: {' | '.join(last) or 'no output'}"


def _shorten(output: str) -> str:
    first, last = _SHOWN
    if len(output) <= first + last:
        return output
    return f"{output[:first]}\n...\n{output[-last:]}"


def runnable_copy(path: Path, directory: Path) -> str:
    """The path of a program that may be run: itself, or a copy if it lacks the permission."""
    copy = directory / path.name
    shutil.copyfile(path, copy)
    copy.chmod(0o700)
    return str(copy)
