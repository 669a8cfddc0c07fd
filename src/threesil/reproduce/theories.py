"""Ours: other people's theories, and what is learned from axioms alone."""

from __future__ import annotations

from threesil.learn.held_out import TIMES
from threesil.reproduce.experiment import Experiment, HeldBack, Line, Solved
from threesil.reproduce.jobs import EPOCHS, Evaluation, Training

_OWN = ("groups", "lattices", "boolean", "moufang", "rings", "quandles", "wajsberg")
_SEED = 11  # others were looked at while the method was made
_TABLE = 1.2  # of the minutes: what the table takes on top


def unit_equalities(quick: bool) -> Experiment:
    """Unit-equality problems of TPTP, each in the theory of its own file."""
    times = (0.01, 0.1, 1.0)
    limit = 60 if quick else None
    lines = []
    for mode in ("best", "complete"):
        job = (Evaluation("", "ueq-dev", mode, None, 1.0, limit=limit, pace=0.7, size=270),)
        lines.append(Line(mode, (), tuple(Solved(job, within=t) for t in times)))
    return Experiment(
        "unit-equalities",
        "Ours: theorems among the unit-equality problems of TPTP (dev list), by CPU time",
        tuple(f"{t:g} s" for t in times),
        tuple(lines),
    )


def own_theories(quick: bool) -> Experiment:
    """Theories learned from their axioms alone, before and after, on theorems held back."""
    minutes = 0.4 if quick else 10.0
    lines = []
    for theory in _OWN[:2] if quick else _OWN:
        run = Training(
            theory,
            _SEED,
            "expert",
            config="ours",
            changes=(("minutes", minutes), ("generated", round(150 * minutes))),
            epochs=EPOCHS,
            problems="generated",
            pace=0.0,
            warm_up=60 * minutes * _TABLE,
        )
        lines.append(Line(theory, (), tuple(HeldBack(run, seconds) for seconds in TIMES)))
    return Experiment(
        "own-theories",
        "Ours: theories learned from their axioms alone; theorems held back, before and after",
        tuple(f"{seconds * 1000:g} ms" for seconds in TIMES),
        tuple(lines),
        notes=(
            "The share of the theorems held back that `best` proves in so much CPU time, before "
            "the training and after it, certified; theorems proved only before : only after; p of "
            "McNemar's exact test.",
        ),
    )
