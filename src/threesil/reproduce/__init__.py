"""Reproduce the paper's tables and figures, and ours: one small file for each.

A module of this package has `experiment(quick)`, which says what is to be run and what the paper
found; `run` runs it, `report` writes it down.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from threesil.errors import InputError
from threesil.reproduce.experiment import Experiment

_MODULES: Final = (
    *("robinson_levels", "robinson_test", "polynomial_levels", "polynomial_test"),
    *("aim_solvers", "aim_lemmas", "aim_training"),
    *("evaluation_modes", "bias", "searches", "unit_equalities"),
    *("why_baselines", "ablations", "own_theories"),
)
NAMES: Final = tuple(module.replace("_", "-") for module in _MODULES)


def experiments(names: tuple[str, ...] = (), *, quick: bool) -> list[Experiment]:
    """Those of the names, all without any, in their order."""
    for name in names:
        if name not in NAMES:
            raise InputError(
                f"nothing to reproduce is called {name!r}; there are: {', '.join(NAMES)}"
            )
    made = []
    for module, name in zip(_MODULES, NAMES, strict=True):
        if not names or name in names:
            made.append(import_module(f"{__name__}.{module}").experiment(quick))
    return made
