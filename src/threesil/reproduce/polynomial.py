"""Polynomials: 3SIL with k = 1, with bias and pruning and without."""

from __future__ import annotations

from typing import Any

from threesil.reproduce.experiment import Curves, Experiment, Figure, Line, Solved
from threesil.reproduce.jobs import Evaluation, Training, greedy, seeds


def _trainings(quick: bool, **changes: Any) -> tuple[Training, ...]:
    """The configuration `paper` has bias and pruning."""
    epochs = 60 if quick else 750
    return tuple(
        Training("polynomial", seed, changes=tuple(changes.items()), epochs=epochs, pace=0.5)
        for seed in seeds(quick)
    )


def _variants(quick: bool) -> dict[str, tuple[Training, ...]]:
    """The three configurations of section 6.2."""
    return {
        "no bias, no pruning": _trainings(quick, bias=1.0, prune=False),
        "bias, no pruning": _trainings(quick, prune=False),
        "bias, pruning": _trainings(quick),
    }


def levels(quick: bool) -> Experiment:
    """Figure 2: bias and pruning on the curriculum."""
    runs = _variants(quick)
    return Experiment(
        "polynomial-levels",
        "Figure 2: progress of 3SIL on the curriculum of polynomials",
        ("last level (of 15)", "problems with a solution"),
        tuple(
            Line(label, (), (Figure(over, "level"), Figure(over, "solved")))
            for label, over in runs.items()
        ),
        (
            Curves("level", "level of the curriculum", runs),
            Curves("solved", "problems with a solution", runs),
        ),
    )


def test(quick: bool) -> Experiment:
    """Table 2: polynomials expanded by one greedy episode."""
    sets = tuple(f"poly{number}" for number in range(1, 7))
    paper = {
        "no bias, no pruning": "0.56 ± 0.04",
        "bias, no pruning": "0.58 ± 0.03",
        "bias, pruning": "0.63 ± 0.02",
    }
    over = {label: greedy("polynomial", runs, quick) for label, runs in _variants(quick).items()}
    over["ours: the bundled model, with sampling and tree search"] = (
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
        ("all", *sets),
        tuple(
            Line(
                label,
                (paper.get(label, ""), *("" for _ in sets)),
                (Solved(jobs), *(Solved(jobs, prefix=name) for name in sets)),
            )
            for label, jobs in over.items()
        ),
    )


def bias(quick: bool) -> Experiment:
    """Ours: how much likelier unsolved polynomials should be drawn."""
    # The configuration has 5: that run is the one of the other tables.
    runs = {
        f"bias {bias:g}": _trainings(quick, **({} if bias == 5.0 else {"bias": bias}))
        for bias in (1.0, 2.0, 5.0, 10.0)
    }
    limit = 600 if quick else 3000
    lines = []
    for label, over in runs.items():
        tested = tuple(Evaluation("polynomial", "dev", "greedy", run, limit=limit) for run in over)
        measures = (Figure(over, "level"), Figure(over, "solved"), Solved(tested))
        lines.append(Line(label, (), measures))
    return Experiment(
        "bias",
        "Ours: the bias towards unsolved problems, on polynomials, with pruning",
        ("last level (of 15)", "problems with a solution", "dev problems, greedy"),
        tuple(lines),
        (Curves("level", "level of the curriculum", runs),),
    )
