"""Trainings that several tables and figures share, small and whole."""

from __future__ import annotations

from typing import Any, Final

from threesil.reproduce.jobs import Evaluation, Training

METHODS: Final = {
    "3SIL, k = 1": ("3sil", ()),
    "3SIL, k = 1, loss over legal actions": ("3sil", (("masked_loss", True),)),
    "3SIL, k = 2": ("3sil", (("k", 2),)),
    "BC": ("bc", ()),
    "PPO": ("ppo", ()),
    "ACER": ("acer", ()),
    "A2C": ("a2c", ()),
    "SIL-PAAC": ("sil-paac", ()),
}
"""of figure 1, with their changes of the configuration"""
AIM_RANDOM: Final = {True: 200_000, False: 2_000_000}
"""episodes before the first update, of a small run and of a whole one"""
_IMITATING: Final = ("3sil", "bc")


def seeds(quick: bool) -> tuple[int, ...]:
    return (1,) if quick else (1, 2, 3)


def robinson(label: str, quick: bool) -> tuple[Training, ...]:
    """A method of figure 1."""
    method, changes = METHODS[label]
    imitates = method in _IMITATING
    epochs = (30 if imitates else 6) if quick else (250 if imitates else 60)
    pace = 0.8 if imitates else 2.0
    return tuple(
        Training("robinson", seed, method, changes=changes, epochs=epochs, pace=pace)
        for seed in seeds(quick)
    )


def polynomial(quick: bool, **changes: Any) -> tuple[Training, ...]:
    """3SIL with k = 1 on polynomials; the configuration `paper` has bias and pruning."""
    epochs = 60 if quick else 750
    return tuple(
        Training("polynomial", seed, changes=tuple(changes.items()), epochs=epochs, pace=0.5)
        for seed in seeds(quick)
    )


def aim(quick: bool) -> tuple[Training, ...]:
    """Section 7: random episodes first, then 3SIL."""
    changes = (("m", AIM_RANDOM[True]), ("f", 5000), ("NB", 250)) if quick else ()
    epochs, pace, warm_up = (10, 2.0, 30.0) if quick else (100, 6.0, 240.0)
    return tuple(
        Training("aim", seed, changes=changes, epochs=epochs, pace=pace, warm_up=warm_up)
        for seed in seeds(quick)
    )


def greedy(theory: str, runs: tuple[Training, ...], quick: bool) -> tuple[Evaluation, ...]:
    """One greedy episode on each test problem, with the weights of each run."""
    whole, size = (None, 10_180) if theory == "robinson" else (6000, 6000)  # as many as the paper
    limit = 1000 if quick else whole
    return tuple(
        Evaluation(theory, "test", "greedy", run, limit=limit, pace=0.005, size=size)
        for run in runs
    )
