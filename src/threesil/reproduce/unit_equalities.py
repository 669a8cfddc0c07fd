"""Ours: unit-equality problems of TPTP, each in the theory of its own file."""

from __future__ import annotations

from threesil.reproduce.experiment import Experiment, Line, Solved
from threesil.reproduce.jobs import Evaluation

TIMES = (0.01, 0.1, 1.0)


def experiment(quick: bool) -> Experiment:
    limit = 60 if quick else None
    lines = []
    for mode in ("best", "complete"):
        job = (Evaluation("", "ueq-dev", mode, None, 1.0, limit=limit, pace=0.7, size=270),)
        lines.append(Line(mode, ("",) * 3, tuple(Solved(job, within=t) for t in TIMES)))
    return Experiment(
        "unit-equalities",
        "Ours: theorems among the unit-equality problems of TPTP (dev list), by CPU time",
        tuple(f"{t:g} s" for t in TIMES),
        tuple(lines),
    )
