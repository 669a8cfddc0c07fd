"""A trained judge of critical pairs, as it is kept: safetensors with a description.

It belongs to no theory.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from threesil.engine import PairNetwork, PairShape, pair_layout
from threesil.engine.arrays import Parameters
from threesil.engine.network import Floats
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.nets.tensors import (
    joined,
    pack,
    parts_of,
    unpack_weights,
    weights_digest,
)

FORMAT = "threesil-selection-1"
_LARGEST = 256  # size of a vector


@dataclass(frozen=True)
class Judge:
    """Sizes of a network for critical pairs, its parameters (P,), and notes on their making."""

    shape: PairShape
    parameters: Parameters
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of the sizes and the parameters."""
        return weights_digest(self.shape, self.parameters)

    def network(self) -> PairNetwork:
        """The model in the engine."""
        return PairNetwork(self.shape, self.parameters)

    @property
    def tensors(self) -> dict[str, Floats]:
        """The parameters by name, as views of the array."""
        return parts_of(self.parameters, pair_layout(self.shape))

    def save(self, path: Path) -> None:
        """Writes the file; it appears whole or not at all."""
        description = {"format": FORMAT, "shape": asdict(self.shape), "notes": self.notes}
        write_atomically(path, pack(dict(self.tensors), description))

    @classmethod
    def load(cls, path: Path) -> Judge:
        """Reads a model; a damaged file or another kind of model is refused."""
        source = str(path)
        tensors, description = unpack_weights(path)
        if description.get("format") != FORMAT:
            raise InputError("no weights that select critical pairs", source=source)
        try:
            shape, notes = _shape(description["shape"]), dict(description["notes"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"a damaged file of weights: {error}", source=source) from None
        return cls(shape, joined(tensors, pair_layout(shape), source), notes)


def _shape(values: dict[str, Any]) -> PairShape:
    shape = PairShape(**values)
    for name, least in (("size", 0), ("hidden", 16)):
        size = getattr(shape, name)
        if type(size) is not int or not least <= size <= _LARGEST or size % 16:
            raise ValueError(f"{name} should be a multiple of 16 from {least} to {_LARGEST}")
    return shape
