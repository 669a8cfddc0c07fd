"""Arrays with a description, as bytes: safetensors whose metadata is one canonical JSON text.

Equal arrays with equal descriptions give equal bytes. The weights of a network are one array (P,);
a file has its parts by name, in the order and with the shapes of a `Layout`.
"""

from __future__ import annotations

import hashlib
import json
import math
from array import array
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from threesil.engine.arrays import Parameters, np
from threesil.errors import InputError
from threesil.files import limits, opened
from threesil.files.json_text import json_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

_T = TypeVar("_T")
Arrays: TypeAlias = "dict[str, NDArray[Any]]"
Floats: TypeAlias = "NDArray[np.float32]"
Stored = dict[str, dict[str, Any]]
Layout = Mapping[str, tuple[int, ...]]
_KEY = "threesil"  # of the only entry: the order of several would be left to chance


def pack(arrays: Arrays, description: dict[str, Any]) -> bytes:
    """The content of a file; `description` is anything that JSON can say."""
    from safetensors.numpy import save

    text = json.dumps(description, sort_keys=True, allow_nan=False)
    return save({k: np.ascontiguousarray(v) for k, v in arrays.items()}, {_KEY: text})


def unpack(path: Path, what: str) -> tuple[Arrays, dict[str, Any]]:
    """(arrays, description) of a file that should be a `what`; the description may be empty."""
    from safetensors.numpy import load

    return _read(path, what, load)


def unpack_weights(path: Path) -> tuple[Stored, dict[str, Any]]:
    """The same of a file of weights, whose parts are left as they are stored."""
    from safetensors import deserialize

    def load(content: bytes) -> Stored:
        return dict(deserialize(content))  # type: ignore[no-untyped-call]

    return _read(path, "file of weights", load)


def _read(
    path: Path, what: str, load: Callable[[bytes], dict[str, _T]]
) -> tuple[dict[str, _T], dict[str, Any]]:
    from safetensors import SafetensorError

    source = str(path)
    with opened(path) as file:  # refuses what is no file
        content = file.read(limits.ARRAYS + 1)
    if len(content) > limits.ARRAYS:
        raise InputError(f"too large for a {what}", source=source)
    try:
        found = load(content)
        header = json_value(content[8 : 8 + int.from_bytes(content[:8], "little")].decode())
        description = json_value(header.get("__metadata__", {}).get(_KEY, "{}"))
    except (SafetensorError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"a damaged {what}: {error}", source=source) from None
    if not isinstance(description, dict):
        raise InputError(f"a damaged {what}: its description is none", source=source)
    return found, description


def parts_of(parameters: Parameters, layout: Layout) -> dict[str, Floats]:
    """The weights by name, as views of the array."""
    parts: dict[str, Floats] = {}
    offset = 0
    for name, dimensions in layout.items():
        size = math.prod(dimensions)
        parts[name] = np.asarray(parameters)[offset : offset + size].reshape(dimensions)
        offset += size
    return parts


def joined(parts: Stored, layout: Layout, source: str) -> Parameters:
    """The array of the weights, from those by name; a file `source` that lacks some is refused."""
    found = array("f")
    for name, dimensions in layout.items():
        part = parts.get(name, {})
        if (part.get("dtype"), part.get("shape")) != ("F32", list(dimensions)):
            message = f"a damaged file of weights: {name} should be {dimensions} of float32"
            raise InputError(message, source=source)
        numbers = array("f", part["data"])
        if not math.isfinite(sum(numbers)):
            raise InputError(
                f"a damaged file of weights: {name} holds what is no number", source=source
            )
        found += numbers
    return found


def weights_digest(shape: Any, parameters: Parameters) -> str:
    """SHA-256 of the sizes, which are a dataclass, and the weights."""
    sizes = json.dumps(asdict(shape)).encode()
    return hashlib.sha256(sizes + parameters.tobytes()).hexdigest()
