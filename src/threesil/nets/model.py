"""Trained weights, as they are kept: safetensors with a description of what they are for.

Reading one needs NumPy only. The file names the theory and a hash of its symbols, equations and
actions; a model is never used for another theory.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from threesil.engine import Network, Shape, layout
from threesil.engine.network import Floats
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.nets.tensors import pack, unpack
from threesil.theory import Theory

FORMAT = "threesil-model-2"
_FIRST_FORMAT = "threesil-model-1"  # of threesil 0.1: shape and notes are texts
_LARGEST = 1 << 16  # size of a vector


@dataclass(frozen=True)
class Model:
    """A theory, the sizes of a network, its parameters (P,), and notes on their making."""

    theory: Theory
    shape: Shape
    parameters: Floats
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of the sizes and the parameters."""
        sizes = json.dumps(asdict(self.shape)).encode()
        return hashlib.sha256(sizes + self.parameters.tobytes()).hexdigest()

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
        tensors = unflatten(self.theory, self.shape, self.parameters)
        write_atomically(path, pack(tensors, description))

    @classmethod
    def load(cls, path: Path, theory: Theory) -> Model:
        """Reads a model of `theory`; a damaged file or another theory's model is refused."""
        source = str(path)
        tensors, description = unpack(path, "model")
        if description.get("format") not in (FORMAT, _FIRST_FORMAT):
            raise InputError("not a model of threesil", source=source)
        if description.get("digest") != theory.digest:
            other = str(description.get("theory"))[:80]
            message = f"a model of {other}, made for other equations or actions than"
            raise InputError(f"{message} {theory.name}'s", source=source)
        try:
            if description["format"] == _FIRST_FORMAT:
                texts = {key: json.loads(description[key]) for key in ("shape", "notes")}
                description = {**description, **texts}
            shape, notes = _shape(description["shape"]), dict(description["notes"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"a damaged model: {error}", source=source) from None
        return cls(theory, shape, flatten(theory, shape, tensors, source), notes)


def _shape(values: Mapping[str, Any]) -> Shape:
    shape = Shape(**values)
    for name in ("size", "hidden"):
        size = getattr(shape, name)
        if type(size) is not int or not 0 < size <= _LARGEST:
            raise ValueError(f"{name} should be a number from 1 to {_LARGEST}")
    if type(shape.value) is not bool:
        raise ValueError("value should be true or false")
    return shape


def unflatten(theory: Theory, shape: Shape, parameters: Floats) -> dict[str, Floats]:
    """The parameters by name, as views of the array."""
    tensors: dict[str, Floats] = {}
    offset = 0
    for name, dimensions in layout(theory, shape).items():
        size = int(np.prod(dimensions))
        tensors[name] = parameters[offset : offset + size].reshape(dimensions)
        offset += size
    return tensors


def flatten(theory: Theory, shape: Shape, tensors: dict[str, Any], source: str) -> Floats:
    """The array of the parameters, from those by name."""
    parts = []
    for name, dimensions in layout(theory, shape).items():
        tensor = tensors.get(name)
        if tensor is None or tensor.shape != dimensions or tensor.dtype != np.float32:
            message = f"a damaged model: {name} should be {dimensions} of float32"
            raise InputError(message, source=source)
        if not np.isfinite(tensor).all():
            raise InputError(f"a damaged model: {name} holds what is no number", source=source)
        parts.append(tensor.ravel())
    return np.concatenate(parts)


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
