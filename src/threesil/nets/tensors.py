"""Arrays with a description, as bytes: safetensors whose metadata is one canonical JSON text.

Equal arrays with equal descriptions give equal bytes. The weights of a network are one array (P,);
a file has its parts by name, in the order and with the shapes of a `Layout`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from threesil.engine.arrays import np
from threesil.errors import InputError
from threesil.files import limits, opened
from threesil.files.json_text import json_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

Arrays: TypeAlias = "dict[str, NDArray[Any]]"
Floats: TypeAlias = "NDArray[np.float32]"
Layout = Mapping[str, tuple[int, ...]]
_KEY = "threesil"  # of the only entry: the order of several would be left to chance


def pack(arrays: Arrays, description: dict[str, Any]) -> bytes:
    """The content of a file; `description` is anything that JSON can say."""
    from safetensors.numpy import save

    text = json.dumps(description, sort_keys=True, allow_nan=False)
    return save({k: np.ascontiguousarray(v) for k, v in arrays.items()}, {_KEY: text})


def unpack(path: Path, what: str) -> tuple[Arrays, dict[str, Any]]:
    """(arrays, description) of a file that should be a `what`; the description may be empty."""
    from safetensors import SafetensorError, safe_open

    source = str(path)
    with opened(path) as file:  # refuses what is no file
        if os.fstat(file.fileno()).st_size > limits.ARRAYS:
            raise InputError(f"too large for a {what}", source=source)
    try:
        with safe_open(path, framework="numpy") as file:
            described = (file.metadata() or {}).get(_KEY, "{}")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        description = json_value(described)
    except (SafetensorError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"a damaged {what}: {error}", source=source) from None
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror or error}", source=source) from None
    if not isinstance(description, dict):
        raise InputError(f"a damaged {what}: its description is none", source=source)
    return arrays, description


def parts_of(parameters: Floats, layout: Layout) -> dict[str, Floats]:
    """The weights by name, as views of the array."""
    parts: dict[str, Floats] = {}
    offset = 0
    for name, dimensions in layout.items():
        size = math.prod(dimensions)
        parts[name] = parameters[offset : offset + size].reshape(dimensions)
        offset += size
    return parts


def joined(parts: Arrays, layout: Layout, source: str) -> Floats:
    """The array of the weights, from those by name; a file `source` that lacks some is refused."""
    found: list[Floats] = []
    for name, dimensions in layout.items():
        part = parts.get(name)
        if part is None or part.shape != dimensions or part.dtype != np.float32:
            message = f"a damaged file of weights: {name} should be {dimensions} of float32"
            raise InputError(message, source=source)
        if not np.isfinite(part).all():
            raise InputError(
                f"a damaged file of weights: {name} holds what is no number", source=source
            )
        found.append(part.ravel())
    return np.concatenate(found)


def weights_digest(shape: Any, parameters: Floats) -> str:
    """SHA-256 of the sizes, which are a dataclass, and the weights."""
    sizes = json.dumps(asdict(shape)).encode()
    return hashlib.sha256(sizes + parameters.tobytes()).hexdigest()
