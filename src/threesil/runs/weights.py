"""Where a model is: bundled with the package, in a training run, or in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from threesil.errors import InputError
from threesil.files.json_text import read_json
from threesil.kernel.theory import Theory
from threesil.nets.model import Model
from threesil.problems.targets import DEFAULT_THEORY
from threesil.theories import NAMES, all_theories, get_theory

BUNDLED: Final = "best"
FOLDER: Final = "theory"  # of a run, with the file that says what is trained


def bundled_model(theory: Theory) -> Model | None:
    """The model of the theory that comes with the package, if there is one."""
    resource = _bundled(theory.name)
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        try:
            return Model.load(path, theory)
        except InputError:  # a theory of the user's with the same name
            return None


def _bundled(name: str) -> Traversable:
    return files("threesil.nets") / "bundled" / f"{name}.safetensors"


def bundled_theories() -> Iterator[Theory]:
    """The theories that have bundled weights."""
    return (get_theory(name) for name in NAMES if _bundled(name).is_file())


def find_model(which: str | None, theory: Theory) -> Model:
    """The bundled model of the theory (None or `best`), or that of a run or a file."""
    if which is None or which == BUNDLED:
        model = bundled_model(theory)
        if model is None:
            message = f"no model of {theory.name} comes along; train one: threesil train"
            raise InputError(f"{message} {theory.name} --out runs/mine, then --model runs/mine")
        return model
    path = Path(which)
    if path.is_dir():
        path = path / "model.safetensors"
    if not path.is_file():
        raise InputError(f"no model in {which}: expected a finished run or a model file")
    return Model.load(path, theory)


def theories_of_model(which: str) -> Iterator[Theory]:
    """The theory that a run's or a file's model is of: one that comes along or that the run keeps.

    Nothing if it is none of these.
    """
    for theory in (*all_theories(), *theory_of_run(Path(which))):
        try:
            find_model(which, theory)
        except InputError:
            continue
        yield theory


def theory_of_run(directory: Path) -> Iterator[Theory]:
    """What `source` in run.json names: a theory that comes along, or a file in `theory/`.

    Nothing if it is none of these.
    """
    try:
        facts = read_json(directory / "run.json")
        source = source_of_run(directory, facts) if isinstance(facts, dict) else None
        if source is not None:
            yield get_theory(source)
    except (OSError, KeyError, TypeError, InputError):
        return


def source_of_run(directory: Path, facts: Mapping[str, Any]) -> str | None:
    """What `get_theory` takes for the theory of a run, by the facts in its run.json.

    None where they name something else: no other file is read because a run says so.
    """
    source = str(facts.get("source"))
    name = source.removeprefix(f"{FOLDER}/")
    if name != source and "/" not in name and not name.startswith("."):
        return str(directory / source)
    return source if source.partition(":")[0] in NAMES else None


def usual_theory(weights: str | None) -> Callable[[], Theory]:
    """The theory of equations that nobody names one for: that of the run, or the default one."""

    def usual() -> Theory:
        known = theory_of_run(Path(weights)) if weights is not None else iter(())
        return next(known, None) or get_theory(DEFAULT_THEORY)

    return usual
