"""Ours: what each part of learning brings, in three theories, at equal CPU time.

Every training has the same problems, network and CPU time, and every model guides the same search.
AIM has its recorded sets. The other theories train on random problems and are tested on walks that
are longer than those: no test theorem is an instance of one that was trained on.
"""

from __future__ import annotations

from threesil.workflows.reproduce import arms
from threesil.workflows.reproduce.experiment import (
    Experiment,
    Line,
    Measure,
    Solved,
    Spent,
    Versus,
    Within,
)
from threesil.workflows.reproduce.jobs import HELD_OUT, Changes, Evaluation, Training

THEORIES = ("aim", "groups", "quandles")
TIMES = (0.001, 0.01, 0.1)
_REFERENCE = "3SIL, k = 1"
_ARMS: dict[str, tuple[str, Changes]] = {
    "untrained network": ("3sil", (("NB", 0),)),
    _REFERENCE: ("3sil", ()),
    "3SIL, k = 2": ("3sil", (("k", 2),)),
    "3SIL, k = 4": ("3sil", (("k", 4),)),
    "3SIL, any proofs, not the shortest": ("3sil", (("shortest", False),)),
    "3SIL, not stratified": ("3sil", (("stratified", False),)),
    "expert iteration": ("expert", ()),
}
_SETTING: Changes = (
    ("size", 32),
    ("steps", 30),
    ("level_size", 0),
    ("masked_loss", True),
    ("learning_rate", 0.002),
    ("final_learning_rate", 0.0),
    ("evaluations", 200),
)
_SMALL: Changes = (("m", 100), ("f", 100), ("NB", 20), ("B", 32), ("expansions", 200))
_LARGE: Changes = (("m", 2000), ("f", 2000), ("NB", 200), ("B", 128), ("expansions", 2000))
_MOST = 10_000  # epochs: time ends them


def experiment(quick: bool) -> Experiment:
    panels = {theory: _models(theory, quick) for theory in THEORIES}
    lines = []
    for theory, models in panels.items():
        for label, over in models.items():
            against = models[_REFERENCE] if label != _REFERENCE else None
            lines.append(Line(f"{theory}: {label}", ("",) * 6, _measures(over, against, models)))
        for label, mode in (("no model", "complete"), ("general model", "select")):
            alone = (_evaluation(theory, mode, None, quick),)
            cells = (*(Solved(alone, within=t) for t in TIMES), None, None, None)
            lines.append(Line(f"{theory}: completion, {label}", ("",) * 6, cells))
    versus = f"against {_REFERENCE}, "
    return Experiment(
        "ablations",
        "Ours: what each part of learning brings, at equal CPU time",
        (
            *(f"{t * 1000:g} ms" for t in TIMES),
            *(f"{versus}{t * 1000:g} ms" for t in TIMES[1:]),
            "CPU s of training",
        ),
        tuple(lines),
        (Within(panels, TIMES[-1]),),
        notes=(
            "Guided search with each model; completion, with the model for all theories and "
            "without one, stands beside it.",
            "A training ends with the epoch in which its CPU time is spent.",
            "Against: the difference of the shares, theorems that more seeds prove (first number) "
            "or fewer, and p of the exact sign test on them, times the number of comparisons.",
        ),
    )


def _models(theory: str, quick: bool) -> dict[str, tuple[Evaluation, ...]]:
    return {
        label: tuple(
            _evaluation(theory, "guided", _training(theory, label, seed, quick), quick)
            for seed in arms.seeds(quick)
        )
        for label in _ARMS
    }


def _training(theory: str, label: str, seed: int, quick: bool) -> Training:
    method, own = _ARMS[label]
    seconds = 2.0 if quick else 300.0
    values = dict((*_SETTING, *(_SMALL if quick else _LARGE), ("cpu_seconds", seconds), *own))
    untrained = values["NB"] == 0
    return Training(
        theory,
        seed,
        method,
        config="best",
        changes=tuple(values.items()),
        epochs=1 if untrained else _MOST,
        problems="train" if theory == "aim" else "sampled",
        pace=2.0 if untrained else 0.0,
        warm_up=0.0 if untrained else seconds + 1.0,
    )


def _evaluation(theory: str, mode: str, model: Training | None, quick: bool) -> Evaluation:
    problems, size = ("dev", 312) if theory == "aim" else (HELD_OUT, 300)
    limit = 30 if quick else None
    return Evaluation(theory, problems, mode, model, TIMES[-1], limit=limit, pace=0.04, size=size)


def _measures(
    over: tuple[Evaluation, ...],
    against: tuple[Evaluation, ...] | None,
    family: dict[str, tuple[Evaluation, ...]],
) -> tuple[Measure | None, ...]:
    shares = tuple(Solved(over, within=t) for t in TIMES)
    tests = tuple(
        Versus(over, against, t, len(family) - 1) if against is not None else None
        for t in TIMES[1:]
    )
    trained = tuple(job.model for job in over if job.model is not None)
    return (*shares, *tests, Spent(trained))
