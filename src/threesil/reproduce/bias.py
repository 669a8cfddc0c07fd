"""Ours: how much likelier unsolved polynomials should be drawn."""

from __future__ import annotations

from threesil.reproduce import arms
from threesil.reproduce.experiment import Curves, Experiment, Figure, Line, Solved
from threesil.reproduce.jobs import Evaluation

BIASES = (1.0, 2.0, 5.0, 10.0)


def experiment(quick: bool) -> Experiment:
    # The configuration has 5: that run is the one of the other tables.
    runs = {
        f"bias {bias:g}": arms.polynomial(quick, **({} if bias == 5.0 else {"bias": bias}))
        for bias in BIASES
    }
    lines = []
    for label, over in runs.items():
        limit = 600 if quick else 3000
        tested = tuple(Evaluation("polynomial", "dev", "greedy", run, limit=limit) for run in over)
        measures = (Figure(over, "level"), Figure(over, "solved"), Solved(tested))
        lines.append(Line(label, ("", "", ""), measures))
    return Experiment(
        "bias",
        "Ours: the bias towards unsolved problems, on polynomials, with pruning",
        ("last level (of 15)", "problems with a solution", "dev problems, greedy"),
        tuple(lines),
        (Curves("level", "level of the curriculum", runs),),
    )
