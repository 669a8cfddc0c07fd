"""Results that were measured elsewhere: tables of tab-separated columns, or rows as JSON lines.

A table has a line for each problem: name, status, wall seconds, CPU seconds. The status is
`proved`, `timeout` or an SZS status.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Final

from threesil.compare.results import Row, row_from
from threesil.errors import InputError

_STATUS: Final = {"proved": "Theorem", "timeout": "Timeout"}
_SZS: Final = (
    *("Theorem", "CounterSatisfiable", "Timeout", "GaveUp", "ResourceOut"),
    *("InputError", "Error", "Unknown", "User"),
)


@dataclass(frozen=True)
class Imported:
    """Rows by the names of their problems; `others` counts rows of problems not in the set."""

    name: str
    file: str
    rows: dict[str, Row]
    others: int


def read_imported(argument: str, problems: Collection[str]) -> Imported:
    """Reads `FILE` or `NAME=FILE`; without a name, the system is called like the file."""
    name, _, file = argument.rpartition("=")
    path = Path(file)
    name = name or path.stem
    if not re.fullmatch(r"[\w.+@-]+", name):
        raise InputError(f"--import {argument}: {name!r} can't name a system; try NAME={file}")
    if not path.is_file():
        raise InputError(f"--import {argument}: there is no file {file}")
    try:
        lines = path.read_text().splitlines()
    except UnicodeDecodeError:
        raise InputError(f"--import {argument}: {file} is not a text file") from None
    rows: dict[str, Row] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _row(line, name)
        except InputError as error:
            raise InputError(error.message, source=file, line=number) from None
        if row.name in rows:
            raise InputError(f"a second row for {row.name}", source=file, line=number)
        rows[row.name] = row
    kept = {problem: rows[problem] for problem in problems if problem in rows}
    if not kept:
        raise InputError(f"--import {argument}: {file} has none of the problems")
    return Imported(name, path.name, kept, len(rows) - len(kept))


def _row(line: str, system: str) -> Row:
    if line.startswith("{"):
        try:
            value = json.loads(line)
        except ValueError:
            raise InputError("not a JSON object") from None
        row = row_from(value, system)
    else:
        cells = line.split("\t")
        if len(cells) != 4:
            raise InputError("expected name, status, wall seconds, CPU seconds between tabs")
        try:
            times = float(cells[2]), float(cells[3])
        except ValueError:
            raise InputError(f"expected numbers of seconds, not {cells[2]!r}, {cells[3]!r}") from (
                None
            )
        row = Row(system, cells[0], _STATUS.get(cells[1], cells[1]), *times)
    if row.status not in _SZS:
        raise InputError(f"unknown status {row.status!r}; expected proved, timeout or SZS")
    if not all(isfinite(t) and t >= 0 for t in (row.seconds, row.cpu_seconds)):
        raise InputError("times can't be negative or infinite")
    return row
