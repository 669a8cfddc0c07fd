"""Ours: the baselines evaluated greedily and sampled; the paper shows the better one."""

from __future__ import annotations

from threesil.reproduce import arms
from threesil.reproduce.experiment import Experiment, Line, Solved
from threesil.reproduce.jobs import Evaluation

STRATA = ("low", "medium", "high")


def experiment(quick: bool) -> Experiment:
    lines = []
    for label in arms.METHODS:
        runs = arms.robinson(label, quick)
        limit = 600 if quick else 3000
        greedy = tuple(Evaluation("robinson", "dev", "greedy", run, limit=limit) for run in runs)
        sampled = tuple(
            Evaluation(
                *("robinson", "dev", "sample", run), attempts=1, sampled_only=True, limit=limit
            )
            for run in runs
        )
        for words, over in (("greedy", greedy), ("sampled", sampled)):
            ours = tuple(Solved(over, stratum) for stratum in STRATA)
            lines.append(Line(f"{label}, {words}", ("",) * 3, ours))
    return Experiment(
        "evaluation-modes",
        "Ours: greedy against sampled evaluation of 3SIL and its baselines, Robinson dev problems",
        STRATA,
        tuple(lines),
    )
