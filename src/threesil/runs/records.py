"""What a training run has written down: facts and metrics. Reading them needs no PyTorch."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from threesil.errors import InputError
from threesil.files import limits, read_text
from threesil.files.json_text import json_object

FORMAT = "threesil-run-3"
_NEEDED = {"theory": str, "method": str, "seed": int}
_FIGURES = ("level", "solved", "success")  # of every epoch
_TIMES = ("seconds", "cpu")  # of some epochs
_LARGEST = 1e18


def read_facts(directory: Path) -> dict[str, Any]:
    """run.json of a run, of this or another version of threesil."""
    path = directory / "run.json"
    if not path.exists():
        raise InputError(f"{directory} is not a training run: it has no run.json")
    hint = "; put the file back from a copy, or start another run"
    try:
        facts = json_object(read_text(path))
    except (ValueError, InputError) as error:
        raise InputError(f"run.json can't be read: {error}{hint}", source=str(path)) from None
    for key, kind in _NEEDED.items():
        if type(facts.get(key)) is not kind:
            wanted = "a text" if kind is str else "a number"
            raise InputError(f"run.json lacks {key}, {wanted}{hint}", source=str(path))
    return facts


def check_format(directory: Path, facts: dict[str, Any]) -> None:
    """Refuses to go on with a run that another version of threesil began."""
    if facts.get("format") != FORMAT:
        version = facts.get("version")
        known = isinstance(version, str) and version.replace(".", "").isalnum()
        writer = f"threesil {version}" if known else "threesil 0.1.0 or an earlier one"
        message = f"{directory} was written by {writer} in another format: finish it there"
        raise InputError(f"{message}, or start another run; its model can be used as it is")


def read_metrics(directory: Path) -> list[dict[str, Any]]:
    """metrics.jsonl of a run, an object an epoch; a last line that was cut off is passed over."""
    path = directory / "metrics.jsonl"
    if not path.exists():
        return []
    try:
        text = read_text(path, limits.CERTIFICATES)
    except InputError as error:
        message = f"can't be read: {error}; move it away to go on without these metrics"
        raise InputError(message, source=str(path)) from None
    metrics: list[dict[str, Any]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        try:
            row = json_object(line)
            _check(row, metrics[-1]["epoch"] if metrics else -1)
        except ValueError as error:
            if number == len(lines) and not text.endswith("\n"):
                break
            message = f"not the metrics of an epoch: {error}; take out this line and those after it"
            raise InputError(message, source=str(path), line=number) from None
        metrics.append(row)
    return metrics


def _check(row: dict[str, Any], last: int) -> None:
    """`ValueError` unless these are the metrics of an epoch after the last one."""
    for key in ("epoch", *_FIGURES):
        value: Any = row.get(key)
        if type(value) not in (int, float) or not -_LARGEST < value < _LARGEST:
            raise ValueError(f"{key} should be a number")
    for key in _TIMES:
        value = row.get(key)
        if value is not None and (type(value) not in (int, float) or not 0 <= value < _LARGEST):
            raise ValueError(f"{key} should be a number")
    if type(row["epoch"]) is not int or row["epoch"] <= last:
        raise ValueError(f"epoch should be a whole number above {last}")


def metrics_line(metrics: dict[str, Any]) -> str:
    """The line of an epoch; what is no number (a loss that grew out of bounds) becomes null."""
    finite = {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in metrics.items()
    }
    return json.dumps(finite) + "\n"


def find_runs(paths: Sequence[Path]) -> Iterator[Path]:
    """The runs among the paths and right below them, each once."""
    known = set[Path]()
    for path in paths:
        for facts in (path / "run.json", *sorted(path.glob("*/run.json"))):
            if facts.exists() and facts.parent not in known:
                known.add(facts.parent)
                yield facts.parent
