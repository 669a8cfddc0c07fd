"""Arrays with a description, as bytes: safetensors whose metadata is one canonical JSON text.

Equal arrays with equal descriptions give equal bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from threesil.errors import InputError

Arrays = dict[str, NDArray[Any]]
_KEY = "threesil"  # of the only entry: the order of several would be left to chance


def pack(arrays: Arrays, description: dict[str, Any]) -> bytes:
    """The content of a file; `description` is anything that JSON can say."""
    text = json.dumps(description, sort_keys=True, allow_nan=False)
    return save({k: np.ascontiguousarray(v) for k, v in arrays.items()}, {_KEY: text})


def unpack(path: Path, what: str) -> tuple[Arrays, dict[str, Any]]:
    """(arrays, description) of a file that should be a `what`; the description may be empty.

    A file that several entries describe, as threesil 0.1 wrote them, gives these.
    """
    source = str(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            names = list(file.keys())
            arrays = {name: file.get_tensor(name) for name in names}
        description: Any = dict(metadata)
        if _KEY in metadata:
            description = json.loads(metadata[_KEY])
    except (SafetensorError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"a damaged {what}: {error}", source=source) from None
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror or error}", source=source) from None
    if not isinstance(description, dict):
        raise InputError(f"a damaged {what}: its description is none", source=source)
    return arrays, description
