"""Table 2: polynomials expanded by one greedy episode, with bias and pruning and without."""

from __future__ import annotations

from threesil.reproduce import arms
from threesil.reproduce.experiment import Experiment, Line, Solved
from threesil.reproduce.jobs import Evaluation
from threesil.reproduce.polynomial_levels import variants

SETS = tuple(f"poly{number}" for number in range(1, 7))
_PAPER = {
    "no bias, no pruning": "0.56 ± 0.04",
    "bias, no pruning": "0.58 ± 0.03",
    "bias, pruning": "0.63 ± 0.02",
}


def experiment(quick: bool) -> Experiment:
    over = {
        label: arms.greedy("polynomial", runs, quick) for label, runs in variants(quick).items()
    }
    over["ours: the bundled weights, with sampling and tree search"] = (
        Evaluation(
            *("polynomial", "test", "ladder"),
            attempts=32,
            expansions=2000,
            steps=400,
            limit=600 if quick else 6000,
            pace=0.02,
        ),
    )
    return Experiment(
        "polynomial-test",
        "Table 2: polynomials, test problems solved by one greedy episode of at most 100 steps",
        ("all", *SETS),
        tuple(
            Line(
                label,
                (_PAPER.get(label, ""), *("" for _ in SETS)),
                (Solved(jobs), *(Solved(jobs, prefix=name) for name in SETS)),
            )
            for label, jobs in over.items()
        ),
    )
