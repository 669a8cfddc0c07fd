"""Ours: theories learned from their axioms alone, before and after, on held-out theorems."""

from __future__ import annotations

from threesil.learn.held_out import TIMES
from threesil.reproduce.experiment import Experiment, HeldBack, Line
from threesil.reproduce.jobs import Training

THEORIES = ("groups", "lattices", "boolean", "moufang", "rings", "quandles", "wajsberg")
_SEED = 11  # others were looked at while the method was made
_MINUTES = 10.0
_QUICK = 0.4
_TABLE = 1.2  # of the minutes: what the table takes on top
_MOST = 10_000  # epochs: time ends them


def experiment(quick: bool) -> Experiment:
    theories = THEORIES[:2] if quick else THEORIES
    return Experiment(
        "own-theories",
        "Ours: theories learned from their axioms alone; held-out theorems, before and after",
        tuple(f"{seconds * 1000:g} ms" for seconds in TIMES),
        tuple(_line(theory, quick) for theory in theories),
        notes=(
            "The share of the held-out theorems that `best` proves in so much CPU time, before "
            "the training and after it, certified; theorems proved only before : only after; p of "
            "McNemar's exact test.",
        ),
    )


def _line(theory: str, quick: bool) -> Line:
    run = _training(theory, quick)
    return Line(theory, ("",) * len(TIMES), tuple(HeldBack(run, seconds) for seconds in TIMES))


def _training(theory: str, quick: bool) -> Training:
    minutes = _QUICK if quick else _MINUTES
    return Training(
        theory,
        _SEED,
        "expert",
        config="ours",
        changes=(("minutes", minutes), ("generated", round(150 * minutes))),
        epochs=_MOST,
        problems="generated",
        pace=0.0,
        warm_up=60 * minutes * _TABLE,
    )
