"""The directory of a comparison: a results file for each system.

    DIR/compare.json            the systems in their order, and where and when they ran
    DIR/results/SYSTEM.jsonl    the results of a system, with their setting

What a directory holds is not tried again. It can be resumed after an interruption and get
more systems, but all of them have the same problems and limits; only the seconds may grow.
"""

from __future__ import annotations

import json
import os
import platform
import re
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from threesil.errors import InputError
from threesil.files import limits, locked, write_atomically
from threesil.files.json_text import read_json
from threesil.measure.results import Results, Row, read_results
from threesil.measure.setting import FORMAT, Setting

INDEX: Final = "compare.json"
# In these, all systems of a directory agree.
_COMMON: Final = ("count", "digest", "theory", "theory_digest", "expansions", "format")
SYSTEM: Final = re.compile(r"[^\W_][\w.+@-]*")
"""What a system can be called: its results are a file of that name."""

_RISING: Final = ("seconds", "memory")  # limits that may be higher than the earlier ones


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


class Comparison(ExitStack):
    """A comparison on disk, locked until it is closed.

    `settings` has the systems that the directory holds, in their order; `runs` says where and when
    they ran.
    """

    def __init__(self, directory: Path) -> None:
        """Opens the directory, which is made if needed; `InputError` if it is something else."""
        super().__init__()
        self.directory = directory
        self.settings: dict[str, Setting] = {}
        self.runs: list[dict[str, Any]] = []
        if directory.exists() and not directory.is_dir():
            raise InputError(f"{directory} is not a directory")
        index = directory / INDEX
        if not index.exists() and directory.is_dir():
            others = [path for path in directory.iterdir() if not path.name.startswith(".")]
            if others:
                raise InputError(f"{directory} holds something else; choose a new directory")
        directory.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(locked(directory))
            if index.exists():
                self._read()
            self.push(stack.pop_all())

    def _read(self) -> None:
        systems, self.runs = _read_index(self.directory)
        for name in systems:
            if self.path(name).exists():
                self.settings[name] = read_results(self.path(name))[0]

    def path(self, system: str) -> Path:
        """The results file of a system."""
        return _path(self.directory, system)

    def check(self, setting: Setting) -> None:
        """Refuses a system that does not belong into this directory."""
        for before in self.settings.values():
            differences = before.differences(setting)
            wrong = [differences[key] for key in _COMMON if key in differences]
            for key in _RISING:
                if (getattr(setting, key) or 0) < (getattr(before, key) or 0):
                    wrong.append(differences[key])
            if wrong:
                raise InputError(
                    f"{self.directory} was made with another setting ({before.problems}): "
                    f"{', '.join(wrong)}; choose another directory with --out"
                )
        same = self.settings.get(setting.system, setting)
        differences = same.differences(setting)
        if differences and not setting.extends(same):
            raise InputError(
                f"{self.directory} has results of another {setting.system}: "
                f"{', '.join(differences.values())}; choose another directory with --out, or "
                f"remove {self.path(setting.system)}"
            )

    def enter(self, setting: Setting, names: tuple[str, ...]) -> Results:
        """The results of a system, open until the comparison is closed."""
        self.check(setting)
        results = Results(self.path(setting.system), setting, names)
        self.enter_context(results)
        self.settings[setting.system] = setting
        return results

    def begin(self, machine: dict[str, Any] | None) -> None:
        """Writes down which systems there are, and where a run takes place, if there is one.

        Runs on the same day and machine are mentioned once.
        """
        if machine is not None and machine not in self.runs:
            self.runs.append(machine)
        value = {"format": FORMAT, "systems": list(self.settings), "runs": self.runs}
        write_atomically(self.directory / INDEX, f"{json.dumps(value, indent=1)}\n".encode())

    def rows(self, system: str) -> dict[str, Row]:
        """What the directory holds of a system."""
        return read_results(self.path(system))[1]


def read_comparison(directory: Path) -> dict[str, tuple[Setting, dict[str, Row]]]:
    """The setting and the rows of each system that a directory holds, which is left as it is."""
    paths = {system: _path(directory, system) for system in _read_index(directory)[0]}
    return {system: read_results(path) for system, path in paths.items() if path.exists()}


def _path(directory: Path, system: str) -> Path:
    return directory / "results" / f"{system}.jsonl"


def _can_be_system(name: object) -> bool:
    """Whether a value can be the name of a system, and so of its file."""
    fits = isinstance(name, str) and SYSTEM.fullmatch(name) is not None
    return fits and len(str(name)) <= limits.NAME


def _read_index(directory: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """The systems of a comparison in their order, and where and when they ran."""
    index = directory / INDEX
    try:
        value = read_json(index)
        if value["format"] != FORMAT:
            raise InputError(
                f"{index} has format {value['format']}, this threesil writes {FORMAT}; choose "
                "another directory with --out"
            )
        systems, runs = value["systems"], [dict(run) for run in value["runs"]]
        if not isinstance(systems, list) or not all(map(_can_be_system, systems)):
            raise ValueError("expected names of solvers")
        return systems, runs
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{index} was not written by threesil compare") from None
