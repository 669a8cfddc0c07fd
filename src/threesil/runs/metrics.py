"""How each epoch of a run went: metrics.jsonl, and the same for TensorBoard."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from threesil.errors import InputError
from threesil.files import limits, read_text
from threesil.files.json_text import json_object

Metrics = dict[str, Any]
_FIGURES = ("level", "solved", "success")  # of every epoch
_TIMES = ("seconds", "cpu")  # of some epochs
_LARGEST = 1e18


def read_metrics(path: Path) -> list[Metrics]:
    """An object an epoch; a last line that was cut off is passed over."""
    if not path.exists():
        return []
    try:
        text = read_text(path, limits.CERTIFICATES)
    except InputError as error:
        message = f"can't be read: {error}; move it away to resume without these metrics"
        raise InputError(message, source=str(path)) from None
    metrics: list[Metrics] = []
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


def _check(row: Metrics, last: int) -> None:
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


def metrics_line(metrics: Metrics) -> str:
    """The line of an epoch; what is no number (a loss that grew out of bounds) becomes null."""
    finite = {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in metrics.items()
    }
    return json.dumps(finite) + "\n"


def total(metrics: Sequence[Metrics], key: str) -> float:
    """What the epochs took together: `seconds` or `cpu`."""
    return sum(float(row.get(key) or 0.0) for row in metrics)


class Events:
    """events.* of a run; `epoch` is the next one, and whatever they say of later ones is void."""

    def __init__(self, directory: Path, epoch: int) -> None:
        self._writer: Any = None
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            return
        self._writer = SummaryWriter(str(directory), purge_step=epoch or None)

    def add(self, metrics: Mapping[str, Any]) -> None:
        if self._writer is not None:
            for key, value in metrics.items():
                if key != "epoch" and value is not None:
                    self._writer.add_scalar(key, float(value), metrics["epoch"])
            self._writer.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
