"""Ours: what each part of learning brings, in three theories, at equal CPU time.

Every training has the same problems, network and CPU time, and every policy guides the same search.
AIM has its recorded sets. The other theories train on random problems and are tested on walks that
are longer than those: no test theorem is an instance of one that was trained on.
"""

from __future__ import annotations

from threesil.reproduce.experiment import Experiment, Line, Measure, Solved, Spent, Versus, Within
from threesil.reproduce.jobs import EPOCHS, HELD_OUT, LISTED, Changes, Evaluation, Training, seeds

THEORIES = ("aim", "groups", "quandles")
TIMES = (0.001, 0.01, 0.1)
_REFERENCE = "3SIL, k = 1"
_ARMS: dict[str, tuple[str, Changes]] = {
    "untrained network": ("3sil", (("NB", 0),)),
    _REFERENCE: ("3sil", ()),
    "3SIL, k = 2": ("3sil", (("k", 2),)),
    "3SIL, k = 4": ("3sil", (("k", 4),)),
    "3SIL, the newest proofs, not the shortest": ("3sil", (("shortest", False),)),
    "3SIL, the first proofs, not the shortest": ("3sil", (("shortest", False), ("newest", False))),
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
_LARGE: Changes = (("m", 2000), ("f", 1000), ("NB", 200), ("B", 128), ("expansions", 2000))
_SECONDS = {True: 2.0, False: 100.0}  # of CPU time; a quick run's, a whole one's


def ablations(quick: bool) -> Experiment:
    panels = {theory: _models(theory, quick) for theory in THEORIES}
    lines = []
    for theory, models in panels.items():
        for group in (models, _completions(theory, quick), _schedules(theory, models, quick)):
            reference = group.get(_REFERENCE) or next(iter(group.values()))
            for label, over in group.items():
                against = None if over is reference else reference
                cells = _measures(over, against, len(group) - 1)
                lines.append(Line(f"{theory}: {label}", (), cells))
    return Experiment(
        "ablations",
        "Ours: what each part of learning brings, at equal CPU time",
        (
            *(f"{t * 1000:g} ms" for t in TIMES),
            *(f"against the reference, {t * 1000:g} ms" for t in TIMES),
            "CPU s of training",
        ),
        tuple(lines),
        (Within(panels, TIMES[-1]),),
        notes=(
            f"All policies guide the same search; their reference is {_REFERENCE}. That of "
            "completion has no judge, that of the schedule `best` no policy.",
            "A training ends with the epoch in which its CPU time is spent. Fine-tuning, on the "
            "same problems (AIM: and a few that are made), takes at most a CPU minute; the last "
            "column has the epoch of the policy that goes before it, which completion does not "
            "use.",
            "Against: the difference of the shares, theorems that more of the seeds prove (first "
            "number) or fewer, and p of the exact sign test on them, times the number of "
            "comparisons.",
        ),
    )


def _completions(theory: str, quick: bool) -> dict[str, tuple[Evaluation, ...]]:
    """Completion, guided by the judge for all theories, or what it became in this one."""
    return {
        "completion, no judge": (_evaluation(theory, "complete", None, quick),),
        "completion, general judge": (_evaluation(theory, "select", None, quick),),
        "completion, fine-tuned": tuple(
            _evaluation(theory, "select", _tuning(theory, seed, quick), quick)
            for seed in seeds(quick)
        ),
    }


def _schedules(
    theory: str, models: dict[str, tuple[Evaluation, ...]], quick: bool
) -> dict[str, tuple[Evaluation, ...]]:
    """All searches in turn, as `threesil prove` does."""
    trained = (job.model for job in models["expert iteration"])
    return {
        "best, no policy": (_evaluation(theory, "unguided", None, quick),),
        "best, policy of expert iteration": tuple(
            _evaluation(theory, "best", run, quick) for run in trained
        ),
    }


def _tuning(theory: str, seed: int, quick: bool) -> Training:
    """What `threesil train` does of itself: lemmas, a policy, a judge of critical pairs."""
    time: Changes = (("minutes", _SECONDS[quick] / 120),) if quick else ()
    made: Changes = (("generated", 50),) if theory == "aim" else ()
    return Training(
        theory,
        seed,
        "expert",
        config="ours",
        changes=(*_SETTING, *(_SMALL if quick else _LARGE), *time, *made),
        epochs=1,
        problems="train+generated" if theory == "aim" else LISTED,
        pace=0.0,
        warm_up=(12.0 if quick else 100.0) + (10.0 if theory == "aim" else 0.0),
    )


def _models(theory: str, quick: bool) -> dict[str, tuple[Evaluation, ...]]:
    return {
        label: tuple(
            _evaluation(theory, "guided", _training(theory, label, seed, quick), quick)
            for seed in seeds(quick)
        )
        for label in _ARMS
    }


def _training(theory: str, label: str, seed: int, quick: bool) -> Training:
    method, own = _ARMS[label]
    seconds = _SECONDS[quick]
    values = dict((*_SETTING, *(_SMALL if quick else _LARGE), ("cpu_seconds", seconds), *own))
    untrained = values["NB"] == 0
    return Training(
        theory,
        seed,
        method,
        config="ours",
        changes=tuple(values.items()),
        epochs=1 if untrained else EPOCHS,
        problems="train" if theory == "aim" else "sampled",
        pace=2.0 if untrained else 0.0,
        warm_up=0.0 if untrained else seconds,
    )


def _evaluation(theory: str, mode: str, model: Training | None, quick: bool) -> Evaluation:
    problems, size = ("dev", 312) if theory == "aim" else (HELD_OUT, 300)
    limit = 30 if quick else None
    return Evaluation(theory, problems, mode, model, TIMES[-1], limit=limit, pace=0.04, size=size)


def _measures(
    over: tuple[Evaluation, ...], against: tuple[Evaluation, ...] | None, comparisons: int
) -> tuple[Measure | None, ...]:
    shares = tuple(Solved(over, within=t) for t in TIMES)
    tests = tuple(Versus(over, against, t, comparisons) if against else None for t in TIMES)
    trained = tuple(job.model for job in over if job.model is not None)
    return (*shares, *tests, Spent(trained) if trained else None)
