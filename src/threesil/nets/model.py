"""Trained weights, as they are kept: safetensors with a description of what they are for.

Reading one needs NumPy only. The file names the theory and a hash of its symbols, equations and
actions; a model is never used for another theory.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from threesil.engine import Network, Shape, layout
from threesil.engine.network import Floats
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.theory import Theory

FORMAT = "threesil-model-1"


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
        metadata = {
            "format": FORMAT,
            "theory": self.theory.name,
            "digest": self.theory.digest,
            "shape": json.dumps(asdict(self.shape)),
            "notes": json.dumps(self.notes),
        }
        tensors = unflatten(self.theory, self.shape, self.parameters)
        write_atomically(path, save(tensors, metadata))

    @classmethod
    def load(cls, path: Path, theory: Theory) -> Model:
        """Reads a model of `theory`; a damaged file or another theory's model is refused."""
        source = str(path)
        try:
            with safe_open(path, framework="numpy") as file:
                metadata = file.metadata() or {}
                if metadata.get("format") != FORMAT:
                    raise InputError("not a model of threesil", source=source)
                if metadata.get("digest") != theory.digest:
                    other = metadata.get("theory")
                    message = f"a model of {other}, made for other equations or actions than"
                    raise InputError(f"{message} {theory.name}'s", source=source)
                shape = Shape(**json.loads(metadata["shape"]))
                names = list(file.keys())
                tensors = {name: file.get_tensor(name) for name in names}
            notes = json.loads(metadata["notes"])
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"a damaged model: {error}", source=source) from None
        except OSError as error:
            raise InputError(f"can't be read: {error.strerror or error}", source=source) from None
        return cls(theory, shape, flatten(theory, shape, tensors, source), notes)


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
        if name not in tensors or tensors[name].shape != dimensions:
            raise InputError(f"a damaged model: {name} should be {dimensions}", source=source)
        parts.append(np.asarray(tensors[name], dtype=np.float32).ravel())
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
