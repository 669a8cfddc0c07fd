"""Checkpoints: arrays and a few facts in one safetensors file, with a checksum over all of it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threesil.engine.arrays import np
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.nets.tensors import Arrays, pack, unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = "threesil-checkpoint-2"

__all__ = ["Arrays", "checkpoints", "read_checkpoint", "take", "write_checkpoint"]


def _digest(arrays: Arrays, facts: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def write_checkpoint(directory: Path, epoch: int, arrays: Arrays, facts: dict[str, Any]) -> None:
    """Writes `epoch-NNNNNN.safetensors`, and keeps the one before it in case this one is damaged.

    All others go: older ones, and later ones, which a run that starts over could not use.
    """
    described = {"format": FORMAT, "facts": facts, "sha256": _digest(arrays, facts)}
    path = directory / f"epoch-{epoch:06}.safetensors"
    write_atomically(path, pack(arrays, described))
    found = checkpoints(directory)
    kept = found[: found.index(path) + 1][-2:]
    hidden = directory.glob(".epoch-*")  # what a killed process left
    for other in (*(p for p in found if p not in kept), *hidden):
        if not other.is_dir():
            other.unlink()


def checkpoints(directory: Path) -> list[Path]:
    """All checkpoints, that of the first epoch first."""
    if directory.exists() and not directory.is_dir():
        raise InputError("not a directory of checkpoints; move it away", source=str(directory))
    found = [p for p in directory.glob("epoch-*") if re.fullmatch(_NAME, p.name)]
    return sorted(found, key=epoch_of)


_NAME = r"epoch-[0-9]{6,7}\.safetensors"


def epoch_of(path: Path) -> int:
    """How many epochs were done when a checkpoint was written."""
    return int(path.stem.removeprefix("epoch-"))


def read_checkpoint(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """(arrays, facts) of a checkpoint; a damaged or foreign file is refused."""
    arrays, described = unpack(path, "checkpoint")
    if described.get("format") != FORMAT:
        raise InputError("not a checkpoint of threesil", source=str(path))
    facts = described.get("facts")
    if not isinstance(facts, dict) or described.get("sha256") != _digest(arrays, facts):
        raise InputError("a damaged checkpoint: its checksum is wrong", source=str(path))
    return arrays, facts


def take(
    arrays: Arrays, name: str, dtype: type[np.generic], shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """An array of a checkpoint, finite, of this type and shape (default: any of one axis)."""
    array = arrays.get(name)
    if array is None:
        raise InputError(f"a damaged checkpoint: it has no {name}")
    fits = array.ndim == 1 if shape is None else array.shape == shape
    if array.dtype != dtype or not fits:
        wanted = f"{np.dtype(dtype)} {'(N,)' if shape is None else shape}"
        found = f"{array.dtype} {array.shape}"
        raise InputError(f"a damaged checkpoint: {name} should be {wanted}, not {found}")
    if not np.isfinite(array).all():
        raise InputError(f"a damaged checkpoint: {name} holds what is no number")
    return array
