"""Appendix 6: training problems with a solution, epoch by epoch, on AIM."""

from __future__ import annotations

from threesil.workflows.reproduce import arms
from threesil.workflows.reproduce.experiment import Curves, Experiment, Figure, Line


def experiment(quick: bool) -> Experiment:
    runs = arms.aim(quick)
    note = (
        "The first epoch learns from the random episodes that come before it: its figure counts "
        "what they solved."
    )
    return Experiment(
        "aim-training",
        "Appendix 6: AIM problems with a solution in the history",
        ("after the random episodes", "at the end"),
        (
            Line(
                "3SIL",
                ("about 300, of 2,000,000 episodes", "about 2500 of 3100"),
                (Figure(runs, "solved", 0), Figure(runs, "solved")),
            ),
        ),
        (Curves("solved", "problems with a solution", {"3SIL": runs}),),
        notes=(note,),
    )
