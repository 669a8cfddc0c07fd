"""The directory of a comparison: what was compared, and a file of rows for each system.

    DIR/compare.json            the setting, the systems with their versions, the runs
    DIR/results/SYSTEM.jsonl    a row for each problem, appended as soon as it is known

What a directory holds is never tried again. It can be continued after an interruption and get
more systems, but the setting under which its rows arose stays the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from threesil.errors import InputError
from threesil.files import read_rows, write_atomically
from threesil.theory import Problem, Theory

Clock = Literal["cpu", "wall"]
SOLVED: Final = "Theorem"
SETTING: Final = "compare.json"


@dataclass(frozen=True)
class Row:
    """What a system made of a problem. `status` is an SZS status."""

    system: str
    name: str
    status: str
    seconds: float
    cpu_seconds: float

    @property
    def solved(self) -> bool:
        return self.status == SOLVED

    def time(self, clock: Clock) -> float:
        return self.cpu_seconds if clock == "cpu" else self.seconds


def row_from(value: Mapping[str, Any], system: str) -> Row:
    """A row as a result file has it, of `threesil compare` or of `threesil evaluate`."""
    try:
        wall, cpu = float(value["seconds"]), float(value["cpu_seconds"])
        return Row(system, str(value["name"]), str(value["status"]), wall, cpu)
    except (KeyError, TypeError, ValueError):
        message = "expected name, status, seconds and cpu_seconds"
        raise InputError(f"{message} in the row {json.dumps(value)}") from None


@dataclass(frozen=True)
class Setting:
    """What all systems of a comparison have in common.

    `problems` is the set or file as the user named it, `digest` SHA-256 of what it holds and of
    the theory; `seconds` of CPU time and megabytes of `memory` are the limits of each attempt.
    """

    theory: str
    problems: str
    count: int
    digest: str
    seconds: float
    memory: int


def make_setting(
    theory: Theory, problems: Sequence[Problem], name: str, seconds: float, memory: int
) -> Setting:
    """The setting for these problems, each of which needs a name of its own."""
    if not problems:
        raise InputError(f"{name} has no problems")
    names = [problem.name for problem in problems]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise InputError(f"{name} has two problems with the name {twice}")
    facts = (theory.digest, [(p.name, repr(p.start), repr(p.target)) for p in problems])
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()
    return Setting(theory.name, name, len(problems), digest, seconds, memory)


def this_machine(workers: int) -> dict[str, Any]:
    """What the report says about where a run took place, and when."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": _processor(),
        "cpus": os.cpu_count(),
        "workers": workers,
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


class Comparison:
    """A comparison on disk."""

    def __init__(self, directory: Path, setting: Setting) -> None:
        """Makes the directory, or continues one with the same setting."""
        self.directory = directory
        self.setting = setting
        self.systems: dict[str, dict[str, Any]] = {}
        self.runs: list[dict[str, Any]] = []
        if (directory / SETTING).exists():
            self._continue()
        elif directory.is_dir() and any(directory.iterdir()):
            raise InputError(f"{directory} holds something else; choose a new directory")
        elif directory.exists() and not directory.is_dir():
            raise InputError(f"{directory} is not a directory")

    def _continue(self) -> None:
        path = self.directory / SETTING
        try:
            value = json.loads(path.read_text())
            before = Setting(**value["setting"])
            self.systems = dict(value["systems"])
            self.runs = list(value["runs"])
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path} was not written by threesil compare") from None
        now = self.setting
        words = {
            "theory": "theory",
            "count": "number of problems",
            "digest": "problems",
            "seconds": "seconds",
            "memory": "memory in megabytes",
        }
        for key, word in words.items():
            old, new = getattr(before, key), getattr(now, key)
            if old != new:
                difference = f"with {word} {old}, not {new}"
                if key == "digest":
                    difference = f"with other problems or another theory ({before.problems})"
                raise InputError(
                    f"{self.directory} was made {difference}; choose another directory with --out"
                )

    def enter(self, name: str, description: dict[str, Any]) -> None:
        """Adds a system; one that is there already must be the same program as before."""
        before = self.systems.get(name)
        if before is not None and before != description:
            old, new = json.dumps(before), json.dumps(description)
            raise InputError(
                f"{self.directory} has results of another {name}:\n  then {old}\n  now  {new}\n"
                f"choose another directory with --out, or remove {self.path(name)} and the entry "
                f"in {self.directory / SETTING}"
            )
        self.systems[name] = description

    def begin(self, machine: dict[str, Any] | None) -> None:
        """Writes the setting down, and where a run takes place, if there is something to run.

        Runs on the same day and machine are mentioned once.
        """
        if machine is not None and machine not in self.runs:
            self.runs.append(machine)
        value = {"setting": asdict(self.setting), "systems": self.systems, "runs": self.runs}
        text = json.dumps(value, indent=1) + "\n"
        (self.directory / "results").mkdir(parents=True, exist_ok=True)
        write_atomically(self.directory / SETTING, text.encode())

    def path(self, system: str) -> Path:
        """The result file of a system."""
        return self.directory / "results" / f"{system}.jsonl"

    def rows(self, system: str) -> dict[str, Row]:
        """The rows that a system has already, by the names of the problems."""
        found = read_rows(self.path(system))
        return {name: row_from(value, system) for name, value in found.items()}

    def add(self, row: Row) -> None:
        """Appends a row to its system's file."""
        with self.path(row.system).open("a") as file:
            file.write(json.dumps(asdict(row)) + "\n")

    def missing(
        self, problems: Iterable[Problem], systems: Iterable[str]
    ) -> list[tuple[Problem, str]]:
        """What is still to be tried: all systems on the first problem, then on the second, …

        In this order a change of the machine's load falls on all systems alike.
        """
        done = {system: self.rows(system) for system in systems}
        return [(p, s) for p in problems for s, rows in done.items() if p.name not in rows]
