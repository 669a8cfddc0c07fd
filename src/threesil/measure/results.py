"""Results: a file that begins with how its rows were made, then a row for each problem.

    {"setting": {"format": 1, "problems": "dev", "digest": "…", "system": "best", "seconds": 2, …}}
    {"name": "p1", "status": "Theorem", "certified": true, "seconds": 0.1, "cpu_seconds": 0.1, …}

A row is appended as soon as it is known, and what has a row is not tried again. A file is resumed
under the setting that it was made with, or with a higher limit (more seconds, expansions or
memory): then what was decided stays and the rest is tried again. Any other setting is refused.
`Results` is the open file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final

from threesil.errors import InputError, ThreesilError
from threesil.files import is_file, limits, locked, read_bytes, write_atomically
from threesil.files.json_record import json_record
from threesil.files.json_text import json_value
from threesil.kernel.lemmas import in_order
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Problem, Theory
from threesil.measure.setting import FORMAT, Setting
from threesil.problems.sets import ProblemSet

KINDS: Final = ("proved", "refuted", "open", "refused")
"""what a problem or a file is, after it was tried: each is one of these"""
_ALONE: Final = "; the file was left alone"


@dataclass(frozen=True)
class Row:
    """What came of a problem, without the problem: an `Outcome` as it is written down.

    `certified`: the kernel has checked it; what is decided without that is a claim. `steps` is the
    length of the episode that solved the problem, `attempts` how many there were, `stratum` the
    part of the benchmark that the problem belongs to, where there are such. `lemmas` counts those
    of the proof, `rewrites` theirs too.
    """

    name: str
    status: SZS
    certified: bool
    seconds: float
    cpu_seconds: float
    expansions: int = 0
    rewrites: int | None = None
    by: str = ""
    steps: int | None = None
    attempts: int | None = None
    stratum: str | None = None
    reason: str = ""
    lemmas: int | None = None

    def __post_init__(self) -> None:
        if not all(isfinite(t) and t >= 0 for t in (self.seconds, self.cpu_seconds)):
            raise ValueError("times can't be negative or infinite")
        if self.certified and not self.status.decides:
            raise ValueError(f"a certificate decides, it does not make {self.status}")

    @property
    def solved(self) -> bool:
        """Decided: proved or refuted."""
        return self.status.decides

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        if self.solved:
            return "proved" if self.status is SZS.THEOREM else "refuted"
        return "refused" if self.status is SZS.INPUT_ERROR else "open"

    @property
    def claimed(self) -> bool:
        """Solved by the word of a prover alone."""
        return self.solved and not self.certified

    def to_json(self) -> dict[str, Any]:
        """The row as an object; what does not apply is left out."""
        value = asdict(self)
        lacking = [key for key in value if key != "name" and value[key] in (None, "")]
        return {key: value[key] for key in value if key not in lacking}


def row_of(outcome: Outcome, theory: Theory, problem: Problem, stratum: str | None = None) -> Row:
    """The row of a problem of a theory; an outcome that shows something else is refused."""
    if not outcome.shows(theory, problem):
        raise ThreesilError(f"what was found for {problem.name} shows something else: {outcome!r}")
    return Row(
        problem.name,
        outcome.status,
        outcome.certified,
        round(outcome.seconds, 6),
        round(outcome.cpu_seconds, 6),
        outcome.expansions,
        outcome.rewrites,
        outcome.by,
        outcome.steps,
        outcome.attempts,
        stratum,
        outcome.reason,
        lemmas_of(outcome.proof),
    )


def counts_of(rows: Iterable[Row]) -> dict[str, int]:
    """How many rows there are of each of `KINDS`."""
    found = Counter(row.kind for row in rows)
    return {kind: found[kind] for kind in KINDS}


def refused_rows(given: ProblemSet, by: str) -> list[Row]:
    """The rows of files that could not be read."""
    refused = given.refused.items()
    return [Row(n, SZS.INPUT_ERROR, False, 0.0, 0.0, by=by, reason=why) for n, why in refused]


def lemmas_of(proof: Proof | None) -> int | None:
    """How many lemmas a proof has, those of its lemmas included."""
    return len(in_order(proof)) - 1 if proof else None


class Results(ExitStack):
    """A results file that is being written to: locked until it is closed.

    `rows` has what the file holds, by the names of the problems.
    """

    def __init__(
        self,
        path: Path,
        setting: Setting,
        names: Collection[str],
        *,
        keep: Callable[[Row], bool] = lambda row: True,
        advice: str = "choose another file with --out, or remove this one",
    ) -> None:
        """Makes the file, or resumes it; `InputError` if it can't be, and nothing changes.

        `names` are those of the problems. Rows that `keep` refuses are forgotten. `advice` is what
        a user may do if the file was made with another setting.
        """
        super().__init__()
        self.path = path
        self._advice = advice
        self.setting = setting
        path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(locked(path))
            self.rows, whole = self._resume(set(names), keep)
            if not whole:
                lines = [{"setting": setting.to_json()}, *(r.to_json() for r in self.rows.values())]
                text = "".join(f"{json.dumps(line)}\n" for line in lines)
                write_atomically(path, text.encode())
            self._file = stack.enter_context(path.open("ab", buffering=0))
            self.push(stack.pop_all())

    def _resume(self, names: set[str], keep: Callable[[Row], bool]) -> tuple[dict[str, Row], bool]:
        """The rows that stand, and whether the file can stay as it is."""
        found = _read(self.path) if self.path.exists() else None
        if found is None:
            return {}, False
        before, rows, whole = found
        more = self.setting.extends(before)
        differences = before.differences(self.setting)
        if differences and not more:
            raise InputError(
                f"{self.path} was made with another setting: {', '.join(differences.values())}; "
                + self._advice
            )
        for name in rows:
            if name not in names:
                raise InputError(f"{self.path} has a row of {name}, which is no problem{_ALONE}")
        kept = {n: row for n, row in rows.items() if keep(row) and not (more and _open(row))}
        same = whole and not more and len(kept) == len(rows)
        return kept, same and before.shown == self.setting.shown

    def add(self, row: Row) -> None:
        """Appends a row."""
        line = f"{json.dumps(row.to_json())}\n".encode()
        try:
            while line:
                line = line[self._file.write(line) or 0 :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        self.rows[row.name] = row


def _open(row: Row) -> bool:
    return not row.status.decides


def has_results(path: Path) -> bool:
    """Whether this is a results file, with its setting at least."""
    return is_file(path) and _read(path) is not None


def read_results(path: Path) -> tuple[Setting, dict[str, Row]]:
    """The setting and the rows of a results file, which is left as it is."""
    found = _read(path)
    if found is None:
        raise InputError(f"{path} has no results yet")
    return found[:2]


def _read(path: Path) -> tuple[Setting, dict[str, Row], bool] | None:
    """Setting, rows, and whether nothing was cut off; None if there is nothing yet."""
    try:
        text = read_bytes(path, limits.CERTIFICATES).decode()
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a results file of threesil{_ALONE}") from None
    lines = text.split("\n")
    cut = lines.pop()  # what follows the last line break: nothing, unless it was cut off
    if not lines and (not cut or cut.startswith('{"setting": ')):
        return None
    if not lines or (cut and not cut.startswith("{")):
        raise InputError(f"{path} is not a results file of threesil{_ALONE}")
    setting = _read_setting(path, lines[0])
    rows: dict[str, Row] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            row = json_record(Row, json_value(line))
        except ValueError as error:
            message = f"not a row of results: {error}{_ALONE}"
            raise InputError(message, source=str(path), line=number) from None
        if row.name in rows:
            message = f"a second row of {row.name}{_ALONE}"
            raise InputError(message, source=str(path), line=number)
        rows[row.name] = row
    return setting, rows, not cut


def _read_setting(path: Path, line: str) -> Setting:
    try:
        first = json_value(line)
    except ValueError:
        first = None
    if not isinstance(first, dict) or "setting" not in first:
        raise InputError(f"{path} is not a results file of threesil{_ALONE}")
    value = first["setting"]
    if isinstance(value, dict) and value.get("format") != FORMAT:
        raise InputError(
            f"{path} has format {value.get('format')}, this threesil writes {FORMAT}; "
            "choose another file with --out, or use the threesil that wrote it"
        )
    try:
        return json_record(Setting, value)
    except ValueError as error:
        message = f"not the setting of a results file: {error}{_ALONE}"
        raise InputError(message, source=str(path), line=1) from None
