"""Where a model is: bundled with the package, in a training run, or in a file."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from threesil.errors import InputError
from threesil.nets.model import Model
from threesil.theory import Theory

BUNDLED = "best"


def find_model(which: str | None, theory: Theory) -> Model:
    """The bundled model of the theory (None or `best`), or that of a run or a file."""
    if which is None or which == BUNDLED:
        resource = files("threesil") / "models" / f"{theory.name}.safetensors"
        if not resource.is_file():
            message = f"no model of {theory.name} comes along; train one: threesil train"
            raise InputError(f"{message} {theory.name} --out runs/mine, then --model runs/mine")
        with as_file(resource) as path:
            return Model.load(path, theory)
    path = Path(which)
    if path.is_dir():
        path = path / "model.safetensors"
    if not path.is_file():
        raise InputError(f"no model in {which}: expected a finished run or a model file")
    return Model.load(path, theory)
