"""A directory of certificates: what is known of all pairs of a list, and nothing that has none.

    setting.json     which equations, by their digest
    models.jsonl     interpretations, one a line: {"size": 2, "tables": {"*": [0, 0, 1, 1]}}
    proofs.jsonl     proofs as `threesil prove --json` writes them, one a line; named E12_E345
    systems.jsonl    convergent systems of an equation; `refutes` names those it does not imply
    tried.jsonl      pairs that were tried in vain, and how long
    progress.jsonl   what was decided when

Lines are only ever added, so that an interrupted exploration loses what is under way at most.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.metadata import version
from io import FileIO
from pathlib import Path
from typing import Any, Final

from threesil.errors import InputError
from threesil.files import limits, locked, read_bytes, write_atomically
from threesil.files.json_text import is_count, json_lines, read_json
from threesil.implications.equations import EquationList
from threesil.kernel.tables import Tables

FORMAT: Final = 1
MODELS, PROOFS, SYSTEMS = "models.jsonl", "proofs.jsonl", "systems.jsonl"
TRIED, PROGRESS = "tried.jsonl", "progress.jsonl"
REFUTES: Final = "refutes"


class Store(ExitStack):
    """The directory while it is written to: locked until it is closed."""

    def __init__(self, path: Path, given: EquationList) -> None:
        super().__init__()
        self.path = path
        self._files: dict[str, FileIO] = {}
        path.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(locked(path))
            if (path / "setting.json").exists():
                check_setting(path, given)
            elif any(entry.name != ".lock" for entry in path.iterdir()):
                raise InputError(
                    f"{path} has other files in it; --out names a directory of its own"
                )
            else:
                write_atomically(path / "setting.json", _setting(given))
            for name in (MODELS, PROOFS, SYSTEMS, TRIED, PROGRESS):
                _cut(path / name)
                file = stack.enter_context((path / name).open("ab", buffering=0))
                self._files[name] = file
            self.push(stack.pop_all())

    def add(self, name: str, value: dict[str, Any]) -> None:
        """Appends a line to one of the files."""
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[self._files[name].write(line) or 0 :]


def check_setting(path: Path, given: EquationList) -> None:
    """Refuses a directory that is none, or whose equations are others."""
    try:
        setting = read_json(path / "setting.json")
    except InputError:
        if (path / "setting.json").exists():
            raise
        message = f"{path} is no directory of implications: it has no setting.json"
        raise InputError(message) from None
    if not isinstance(setting, dict) or setting.get("format") != FORMAT:
        raise InputError(
            f"{path} was not written by this version of threesil; choose another --out"
        )
    if setting.get("digest") != digest(given):
        raise InputError(f"{path} is about other equations; choose another directory with --out")


def lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) for each line of a file of the directory."""
    if path.exists():
        yield from json_lines(path)


def read_models(path: Path) -> Iterator[Tables]:
    """The interpretations of a directory."""
    for number, value in lines(path / MODELS):
        size, tables = value.get("size"), value.get("tables")
        if not (
            is_count(size, limits.ELEMENTS)
            and isinstance(tables, dict)
            and all(isinstance(table, list) for table in tables.values())
            and all(is_count(cell, size) for table in tables.values() for cell in table)
        ):
            message = f"expected a size, {limits.ELEMENTS:,} at the most, and tables"
            raise InputError(message, source=str(path / MODELS), line=number)
        yield Tables(size, {symbol: tuple(table) for symbol, table in tables.items()})


def model_line(tables: Tables) -> dict[str, Any]:
    return {"size": tables.size, "tables": {s: list(t) for s, t in tables.of.items()}}


def digest(given: EquationList) -> str:
    """SHA-256 of the equations in their order, with their names."""
    facts = [(given.theory(i).name, given.theory(i).digest) for i in range(len(given))]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _setting(given: EquationList) -> bytes:
    value = {
        "format": FORMAT,
        "equations": len(given),
        "digest": digest(given),
        "version": version("threesil"),
    }
    return json.dumps(value).encode() + b"\n"


def _cut(path: Path) -> None:
    """Takes away what follows the last line break: a line that was not written to its end."""
    if path.exists():
        content = read_bytes(path, limits.CERTIFICATES)
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            write_atomically(path, whole)
