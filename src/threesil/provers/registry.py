"""Which provers there are, and where they are found on this machine."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from threesil.errors import InputError, MissingTool
from threesil.provers.base import ExternalProver
from threesil.provers.eprover import E
from threesil.provers.prover9 import Prover9, packaged
from threesil.provers.twee import Twee
from threesil.provers.vampire import Vampire
from threesil.provers.waldmeister import Waldmeister


@dataclass(frozen=True)
class Variant:
    """A prover with its options, and a line about them for people."""

    prover: type[ExternalProver]
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
    "prover9": Variant(Prover9, ("assign(order,kbo)",), "with a Knuth-Bendix order"),
    "prover9-default": Variant(Prover9, (), "as it chooses itself: unfolds definitions, LPO"),
    "e": Variant(E, _E, "keeps definitions, prefers terms like the goal's"),
    "e-auto": Variant(E, ("--auto-schedule",), "its own schedule of strategies"),
    "vampire": Variant(Vampire, ("--mode", "casc"), "its competition schedule"),
    "twee": Variant(Twee, (), "as it is"),
    "waldmeister": Variant(Waldmeister, ("--auto",), "as it chooses itself"),
}
PROVERS = tuple(VARIANTS)


def variable(name: str) -> str:
    """The environment variable that says where a prover is: `THREESIL_E` for `e-auto`."""
    return f"THREESIL_{name.partition('-')[0].upper()}"


def find(name: str, path: str | Path | None = None) -> ExternalProver:
    """The prover of that name: at the path, where its environment variable says, or installed.

    `MissingTool` says how to get it.
    """
    variant = VARIANTS.get(name)
    if variant is None:
        raise InputError(f"unknown prover {name!r}; expected {', '.join(PROVERS)}")
    prover = variant.prover
    place = str(path) if path is not None else os.environ.get(variable(name))
    if place:
        program = shutil.which(place)
        if program is None:
            raise MissingTool(f"{prover.program}: no program at {place}")
        return prover(Path(program).absolute(), name, variant.options)
    installed = _installed(prover)
    if installed is None:
        raise MissingTool(
            f"{prover.program} is not installed: {prover.install}; "
            f"or set {variable(name)} to the path of its program"
        )
    return prover(installed, name, variant.options)


def _installed(prover: type[ExternalProver]) -> Path | None:
    for executable in prover.executables:
        program = shutil.which(executable)
        if program is not None:
            return Path(program).absolute()
    return packaged() if prover is Prover9 else None


def found() -> list[ExternalProver]:
    """The provers that are here, each in the variant that bears its plain name."""
    here = []
    for name in PROVERS:
        if "-" not in name:
            try:
                here.append(find(name))
            except MissingTool:
                continue
    return here
