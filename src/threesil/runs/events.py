"""The metrics of a run for TensorBoard, if it is installed: the same as in metrics.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


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
