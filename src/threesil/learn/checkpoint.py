"""Checkpoints: arrays and a few facts in one safetensors file, with a checksum over all of it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from threesil.errors import InputError
from threesil.files import write_atomically

FORMAT = "threesil-checkpoint-1"
KEPT = 2  # the newest, and the one before it in case the newest is damaged

Arrays = dict[str, NDArray[Any]]


def _digest(arrays: Arrays, facts: str) -> str:
    digest = hashlib.sha256(facts.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def write_checkpoint(directory: Path, epoch: int, arrays: Arrays, facts: dict[str, Any]) -> None:
    """Writes `epoch-NNNNNN.safetensors` and drops all but the newest few."""
    text = json.dumps(facts, sort_keys=True)
    metadata = {"format": FORMAT, "facts": text, "sha256": _digest(arrays, text)}
    content = save({k: np.ascontiguousarray(v) for k, v in arrays.items()}, metadata)
    write_atomically(directory / f"epoch-{epoch:06}.safetensors", content)
    for old in (*checkpoints(directory)[:-KEPT], *directory.glob(".epoch-*")):
        old.unlink()  # hidden files are what a killed process left


def checkpoints(directory: Path) -> list[Path]:
    """All checkpoints, the oldest first."""
    return sorted(directory.glob("epoch-*.safetensors"))


def read_checkpoint(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """(arrays, facts) of a checkpoint; a damaged or foreign file is refused."""
    source = str(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            names = list(file.keys())
            arrays = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, ValueError, OSError) as error:
        raise InputError(f"a damaged checkpoint: {error}", source=source) from None
    if metadata.get("format") != FORMAT:
        raise InputError("not a checkpoint of threesil", source=source)
    if metadata.get("sha256") != _digest(arrays, metadata.get("facts", "")):
        raise InputError("a damaged checkpoint: its checksum is wrong", source=source)
    facts: dict[str, Any] = json.loads(metadata["facts"])
    return arrays, facts
