"""Results of provers that are not installed here, recorded somewhere else.

They lie with the recorded data, `provers/results/NAME_SECONDSs.tsv`, as `threesil compare --import`
reads them; the name ends with the limit of CPU time that the prover had for each problem.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from threesil.files import is_directory
from threesil.kernel.outcome import SZS
from threesil.measure.compare.imported import read_imported
from threesil.measure.results import Row
from threesil.problems.sets import data_directory

_DIRECTORY: Final = Path("provers", "results")
_FILE: Final = re.compile(r"(.+)_([0-9]+(?:\.[0-9]+)?)s\.tsv")
# What a file is called if not like the system.
_CALLED: Final = {"prover9-default": "prover9", "prover9": "prover9_kbo"}


@dataclass(frozen=True)
class Recorded:
    """Rows by the names of the problems, from a file; each attempt had so many seconds."""

    file: str
    seconds: float
    rows: dict[str, Row]

    @property
    def label(self) -> str:
        return f"imported, {self.seconds:g} s"


def recorded(system: str, seconds: float, problems: Collection[str]) -> Recorded | None:
    """What is recorded of a system on these problems, with the limit or the nearest one to it.

    A larger limit comes before a smaller one: what came later than `seconds` then counts as a
    timeout. `InputError` if the file has none of the problems, or is no such table.
    """
    limits = _limits(system)
    chosen = min((t for t in limits if t >= seconds), default=max(limits, default=None))
    if chosen is None:
        return None
    rows = read_imported(f"{system}={limits[chosen]}", problems).rows
    file = str(_DIRECTORY / limits[chosen].name)
    if chosen > seconds:
        rows = {name: _within(row, seconds) for name, row in rows.items()}
    return Recorded(file, min(chosen, seconds), rows)


def _limits(system: str) -> dict[float, Path]:
    """The files of a system by their limits."""
    data, called = data_directory(), _CALLED.get(system, system)
    if data is None or not is_directory(data / _DIRECTORY):
        return {}
    found = {}
    for path in sorted((data / _DIRECTORY).iterdir()):
        match = _FILE.fullmatch(path.name)
        if match and match[1] == called:
            found[float(match[2])] = path
    return found


def _within(row: Row, seconds: float) -> Row:
    late = row.solved and row.cpu_seconds > seconds
    return replace(row, status=SZS.TIMEOUT) if late else row
