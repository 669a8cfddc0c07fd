"""Figure 1: the level of the curriculum that each method reaches on Robinson arithmetic."""

from __future__ import annotations

from threesil.reproduce import arms
from threesil.reproduce.experiment import Curves, Experiment, Figure, Finished, Line

_PAPER = {
    "3SIL, k = 1": ("the end", "40"),
    "PPO": ("2, in one of three runs", ""),
    "ACER": ("2", ""),
    "A2C": ("1", ""),
    "SIL-PAAC": ("1", ""),
}


def experiment(quick: bool) -> Experiment:
    runs = {label: arms.robinson(label, quick) for label in arms.METHODS}
    return Experiment(
        "robinson-levels",
        "Figure 1: the level of the curriculum reached by each method on Robinson arithmetic",
        ("last level (of 13)", "epochs to its end"),
        tuple(
            Line(label, _PAPER.get(label, ("", "")), (Figure(over, "level"), Finished(over)))
            for label, over in runs.items()
        ),
        (Curves("level", "level of the curriculum", runs),),
    )
