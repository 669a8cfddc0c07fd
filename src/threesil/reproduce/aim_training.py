"""Appendix 6: training problems with a solution, epoch by epoch, on AIM."""

from __future__ import annotations

from threesil.reproduce import arms
from threesil.reproduce.experiment import Curves, Experiment, Figure, Line


def experiment(quick: bool) -> Experiment:
    runs = arms.aim(quick)
    played = f"{arms.AIM_RANDOM[quick]:,}"
    return Experiment(
        "aim-training",
        "Appendix 6: AIM problems with a solution in the history",
        ("problems",),
        (
            Line(
                f"solved in {played} random episodes, before anything is learned",
                ("about 300, in 2,000,000",),
                (Figure(runs, "solved", 0, "problems"),),
            ),
            Line(
                f"with a solution after {runs[0].epochs} epochs of 3SIL",
                ("about 2500 of 3100",),
                (Figure(runs, "solved", of="problems"),),
            ),
        ),
        (Curves("solved", "problems with a solution", {"3SIL": runs}),),
        notes=(
            "Random episodes are those of a network that has not learned yet, with its noise. The "
            "first epoch learns from them: its point in the figure counts what they solved.",
        ),
    )
