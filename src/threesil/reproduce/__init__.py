"""Reproduce the paper's tables and figures, and ours: one function for each.

Others use `experiments` (what is to be run, and what the paper found), `jobs`, `run`, which runs
them, and `report`, which writes it down.
"""

from __future__ import annotations

from typing import Final

from threesil.errors import InputError
from threesil.reproduce import ablations, aim, polynomial, robinson, theories
from threesil.reproduce.experiment import Experiment

_EXPERIMENTS: Final = {
    "robinson-levels": robinson.levels,
    "robinson-test": robinson.test,
    "polynomial-levels": polynomial.levels,
    "polynomial-test": polynomial.test,
    "aim-solvers": aim.solvers,
    "aim-lemmas": aim.lemmas,
    "aim-training": aim.training,
    "evaluation-modes": robinson.evaluation_modes,
    "bias": polynomial.bias,
    "searches": aim.searches,
    "unit-equalities": theories.unit_equalities,
    "why-baselines": robinson.why_baselines,
    "ablations": ablations.ablations,
    "own-theories": theories.own_theories,
}
NAMES: Final = tuple(_EXPERIMENTS)


def experiments(names: tuple[str, ...] = (), *, quick: bool) -> list[Experiment]:
    """Those of the names, all without any, in their order."""
    for name in names:
        if name not in NAMES:
            raise InputError(
                f"nothing to reproduce is called {name!r}; there are: {', '.join(NAMES)}"
            )
    return [make(quick) for name, make in _EXPERIMENTS.items() if not names or name in names]
