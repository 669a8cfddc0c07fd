"""Figure 2: bias and pruning on the curriculum of polynomials."""

from __future__ import annotations

from threesil.reproduce import arms
from threesil.reproduce.experiment import Curves, Experiment, Figure, Line
from threesil.reproduce.jobs import Training


def variants(quick: bool) -> dict[str, tuple[Training, ...]]:
    """The three configurations of section 6.2."""
    return {
        "no bias, no pruning": arms.polynomial(quick, bias=1.0, prune=False),
        "bias, no pruning": arms.polynomial(quick, prune=False),
        "bias, pruning": arms.polynomial(quick),
    }


def experiment(quick: bool) -> Experiment:
    runs = variants(quick)
    return Experiment(
        "polynomial-levels",
        "Figure 2: progress of 3SIL on the curriculum of polynomials",
        ("last level (of 15)", "problems with a solution"),
        tuple(
            Line(label, ("", ""), (Figure(over, "level"), Figure(over, "solved")))
            for label, over in runs.items()
        ),
        (
            Curves("level", "level of the curriculum", runs),
            Curves("solved", "problems with a solution", runs),
        ),
    )
