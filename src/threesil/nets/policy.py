"""Trained weights, as they are kept: safetensors with a description of what they are for.

The file names the theory and a hash of its symbols, equations and
actions; a model is never used for another theory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from threesil.engine import Network, Shape, layout
from threesil.engine.arrays import Parameters, np
from threesil.engine.network import Floats
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.kernel.theory import Theory
from threesil.nets.judge import FORMAT as SELECTION
from threesil.nets.tensors import (
    joined,
    pack,
    parts_of,
    unpack_weights,
    weights_digest,
)

FORMAT = "threesil-model-2"
_LARGEST = 1 << 16  # size of a vector


@dataclass(frozen=True)
class Policy:
    """A theory, the sizes of a network, its parameters (P,), and notes on their making."""

    theory: Theory
    shape: Shape
    parameters: Parameters
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of the sizes and the parameters."""
        return weights_digest(self.shape, self.parameters)

    @property
    def tensors(self) -> dict[str, Floats]:
        """The parameters by name, as views of the array."""
        return parts_of(self.parameters, layout(self.theory, self.shape))

    def network(self) -> Network:
        """The model in the engine."""
        network = Network(self.theory, self.shape)
        network.load(self.parameters)
        return network

    def save(self, path: Path) -> None:
        """Writes the file; it appears whole or not at all."""
        description = {
            "format": FORMAT,
            "theory": self.theory.name,
            "digest": self.theory.digest,
            "shape": asdict(self.shape),
            "notes": self.notes,
        }
        write_atomically(path, pack(dict(self.tensors), description))

    @classmethod
    def load(cls, path: Path, theory: Theory) -> Policy:
        """Reads a model of `theory`; a damaged file or another theory's model is refused."""
        source = str(path)
        tensors, description = unpack_weights(path)
        if description.get("format") == SELECTION:
            message = "weights that select critical pairs, in all theories"
            raise InputError(f"{message}: use them with --solver select or best", source=source)
        if description.get("format") != FORMAT:
            raise InputError("not weights of threesil", source=source)
        if description.get("digest") != theory.digest:
            other = str(description.get("theory"))[:80]
            message = f"weights of {other}, made for other equations or actions than"
            raise InputError(f"{message} {theory.name}'s", source=source)
        try:
            shape, notes = _shape(description["shape"]), dict(description["notes"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"a damaged file of weights: {error}", source=source) from None
        return cls(theory, shape, joined(tensors, layout(theory, shape), source), notes)


def _shape(values: Mapping[str, Any]) -> Shape:
    shape = Shape(**values)
    for name in ("size", "hidden"):
        size = getattr(shape, name)
        if type(size) is not int or not 0 < size <= _LARGEST:
            raise ValueError(f"{name} should be a number from 1 to {_LARGEST}")
    if type(shape.value) is not bool:
        raise ValueError("value should be true or false")
    return shape


def initial_parameters(theory: Theory, shape: Shape, seed: int) -> Floats:
    """PyTorch's default initialisation of linear layers; leaf vectors standard normal."""
    random = np.random.Generator(np.random.Philox(key=[seed, 0]))
    parts: list[Floats] = []
    bound = 0.0
    for name, dimensions in layout(theory, shape).items():
        if name.startswith("leaf."):
            parts.append(random.standard_normal(dimensions, dtype=np.float32))
            continue
        if name.endswith(".weight"):
            bound = 1.0 / math.sqrt(dimensions[0])
        parts.append(random.uniform(-bound, bound, dimensions).astype(np.float32).ravel())
    return np.concatenate(parts)
