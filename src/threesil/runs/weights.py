"""Where weights are: bundled with the package, in a training run, or in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from threesil.errors import InputError
from threesil.kernel.theory import Theory
from threesil.nets.judge import Judge
from threesil.nets.policy import Policy
from threesil.problems.targets import DEFAULT_THEORY
from threesil.runs.run import Run
from threesil.theories import NAMES, all_theories, get_theory

BUNDLED: Final = "best"


def bundled_policy(theory: Theory) -> Policy | None:
    """The bundled weights of the theory, if there are any."""
    resource = _bundled(theory.name)
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        try:
            return Policy.load(path, theory)
        except InputError:  # a theory of the user's with the same name
            return None


def _bundled(name: str) -> Traversable:
    return files("threesil.nets") / "bundled" / f"{name}.safetensors"


@cache
def bundled_theories() -> tuple[Theory, ...]:
    """The theories that have bundled weights."""
    return tuple(get_theory(name) for name in NAMES if _bundled(name).is_file())


def find_policy(which: str | None, theory: Theory) -> Policy:
    """The bundled weights of the theory (None or `best`), or those of a run or a file."""
    if which is None or which == BUNDLED:
        model = bundled_policy(theory)
        if model is None:
            known = any(bundled.digest == theory.digest for bundled in all_theories())
            where = theory.name if known else "FILE"
            message = f"no weights of {theory.name} are bundled; train some: threesil train {where}"
            which = "" if known else " with the file of its equations"
            raise InputError(f"{message} --out runs/mine{which}, then add --weights runs/mine")
        return model
    return Policy.load(_file_of(which), theory)


def find_judge(which: str | None) -> Judge:
    """The bundled judge of critical pairs (None or `best`), or that of a run or a file."""
    if which is None or which == BUNDLED:
        return _general_judge()
    return Judge.load(_file_of(which))


@cache
def _general_judge() -> Judge:
    with as_file(_bundled("selection")) as path:
        return Judge.load(path)


def _file_of(which: str) -> Path:
    """The weights of a run, or the file itself."""
    path = Path(which)
    if path.is_dir():
        path = Run(path).weights_path
    if not path.is_file():
        raise InputError(f"no weights in {which}: expected a finished run or a file of weights")
    return path


def theories_of_weights(which: str) -> Iterator[Theory]:
    """The theory that a run's or a file's weights are of: a bundled one or one that the run keeps.

    Nothing if it is none of these.
    """
    for theory in (*all_theories(), *theory_of_run(Path(which))):
        try:
            find_policy(which, theory)
        except InputError:
            continue
        yield theory


def theory_of_run(directory: Path) -> Iterator[Theory]:
    """The theory of a run; nothing if this is no run, or its theory is not there."""
    try:
        source = Run(directory).source
        if source is not None:
            yield get_theory(source)
    except (OSError, InputError):
        return


def usual_theory(weights: str | None) -> Callable[[], Theory]:
    """The theory of equations that nobody names one for: that of the run, or the default one."""

    def usual() -> Theory:
        known = theory_of_run(Path(weights)) if weights is not None else iter(())
        return next(known, None) or get_theory(DEFAULT_THEORY)

    return usual
