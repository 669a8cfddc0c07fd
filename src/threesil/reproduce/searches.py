"""Ours: the searches of threesil on AIM theorems, with a policy and without."""

from __future__ import annotations

from threesil.reproduce.experiment import Experiment, Line, Solved
from threesil.reproduce.jobs import Evaluation

TIMES = (0.01, 0.1, 1.0)
_LABELS = {
    "best": "best: what threesil prove does",
    "guided": "guided: the learned search alone",
    "unguided": "unguided: best without a policy",
    "complete": "complete: completion alone",
}


def experiment(quick: bool) -> Experiment:
    limit = 80 if quick else None
    lines = []
    for mode, label in _LABELS.items():
        job = (Evaluation("aim", "dev", mode, None, 1.0, limit=limit, pace=0.15, size=312),)
        within = tuple(Solved(job, within=t) for t in TIMES)
        lines.append(Line(label, ("",) * 4, (*within, Solved(job, novel=True))))
    return Experiment(
        "searches",
        "Ours: AIM theorems proved by each search within a CPU time",
        (*(f"{t:g} s" for t in TIMES), "1 s, no instance of a training theorem"),
        tuple(lines),
    )
