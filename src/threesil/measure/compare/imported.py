"""Results that were measured elsewhere: tables of tab-separated columns, or rows as JSON lines.

A table has a line for each problem: name, status, wall seconds, CPU seconds. The status is
`proved`, `timeout` or an SZS status. JSON lines are the results of threesil, with their setting in
front, or any objects with these four. Nothing that was imported counts as certified.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from threesil.errors import InputError
from threesil.files import limits, read_text
from threesil.files.json_record import json_record
from threesil.files.json_text import json_object
from threesil.kernel.outcome import SZS
from threesil.measure.compare.directory import SYSTEM
from threesil.measure.results import Row
from threesil.measure.setting import Setting

_STATUS: Final = {"proved": SZS.THEOREM, "timeout": SZS.TIMEOUT}


@dataclass(frozen=True)
class Imported:
    """Rows by the names of their problems; `others` counts rows of problems not in the set.

    `digest` is that of the problems, if the file says it.
    """

    name: str
    file: str
    rows: dict[str, Row]
    others: int
    digest: str | None = None


def read_imported(argument: str, problems: Collection[str]) -> Imported:
    """Reads `FILE` or `NAME=FILE`; without a name, the solver is called like the file."""
    name, _, file = argument.rpartition("=")
    path = Path(file)
    name = name or path.stem
    if not SYSTEM.fullmatch(name):
        raise InputError(f"--import {argument}: {name!r} can't name a solver; try NAME={file}")
    if len(name) > limits.NAME:
        raise InputError(f"--import: the name {name[:40]}... is too long; try NAME={file}")
    try:
        lines = read_text(path, limits.CERTIFICATES).splitlines()
    except InputError as error:
        raise InputError(f"--import {argument}: {error}") from None
    rows: dict[str, Row] = {}
    digest = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _row(line)
        except (ValueError, InputError) as error:
            raise InputError(str(error), source=file, line=number) from None
        if isinstance(row, Setting):
            digest = row.digest
            continue
        if row.name in rows:
            raise InputError(f"a second row for {row.name}", source=file, line=number)
        rows[row.name] = row
    kept = {problem: rows[problem] for problem in problems if problem in rows}
    if not kept:
        raise InputError(f"--import {argument}: {file} has none of the problems")
    return Imported(name, path.name, kept, len(rows) - len(kept), digest)


def _row(line: str) -> Row | Setting:
    """What a line says; `ValueError` says what is wrong."""
    if line.startswith("{"):
        return _from_json(line)
    cells = line.split("\t")
    if len(cells) != 4:
        raise ValueError("expected name, status, wall seconds, CPU seconds between tabs")
    status = _STATUS.get(cells[1], cells[1])
    if status not in list(SZS):
        raise ValueError(f"unknown status {status!r}; expected proved, timeout or SZS")
    try:
        times = float(cells[2]), float(cells[3])
    except ValueError:
        message = f"expected numbers of seconds, not {cells[2]!r}, {cells[3]!r}"
        raise ValueError(message) from None
    return Row(cells[0], SZS(status), False, *times)


def _from_json(line: str) -> Row | Setting:
    try:
        value = json_object(line)
    except ValueError:
        raise ValueError("not a JSON object") from None
    if "setting" in value:
        return json_record(Setting, value["setting"])
    known = {field.name for field in fields(Row)}
    kept = {key: value[key] for key in value if key in known}
    return json_record(Row, {**kept, "certified": False})
