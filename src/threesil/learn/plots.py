"""Figures of training runs: what moves, against epochs; one colour for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.figure import Figure

from threesil.errors import InputError
from threesil.learn.task import read_config
from threesil.runs.run import Run

matplotlib.use("Agg")

PANELS: Final = {
    "success": "success rate of play",
    "proved": "share proved by search",
    "solved": "problems with a solution",
    "length": "shortest solutions, length together",
    "expansions": "expansions for a problem",
    "loss": "loss",
    "level": "curriculum level",
}
_ACROSS: Final = 3  # panels in a row
_USUAL: Final = 10  # colours
_IDLE: Final = ("ME", "minutes", "generated", "width", "threads")  # keys that make no difference

Metrics = list[dict[str, Any]]


def labels_of(runs: Sequence[Run]) -> list[str]:
    """What each run is called: its name, and what sets it apart from the others."""
    facts = [_facts(run) for run in runs]
    common = [key for key in facts[0] if all(key in one for one in facts)]
    differing = [key for key in common if len({str(one[key]) for one in facts}) > 1]
    names = [run.directory.resolve().name for run in runs]
    labels = []
    for run, name, one in zip(runs, names, facts, strict=True):
        shown = name if names.count(name) == 1 else str(run.directory)
        apart = ", ".join(f"{key}={one[key]}" for key in differing)
        labels.append((f"{shown}: {apart}" if apart else shown).replace("$", r"\$"))
    return labels


def _facts(run: Run) -> dict[str, Any]:
    """What sets a run apart."""
    facts = run.facts
    config = asdict(read_config(run)) if run.config_path.exists() else facts.config
    own = {"theory": facts.theory, "method": facts.method, "seed": facts.seed}
    return own | {key: config[key] for key in config if key not in _IDLE}


def plot_runs(runs: Sequence[Run], out: Path) -> list[str]:
    """Draws a panel for each figure that some run has; the keys of these."""
    drawn = [(run, metrics) for run in runs if (metrics := run.metrics())]
    if not drawn:
        raise InputError("none of the runs has finished an epoch")
    keys = [key for key in PANELS if any(_moves(metrics, key) for _, metrics in drawn)] or [
        "solved"
    ]
    across = min(_ACROSS, len(keys))
    down = -(-len(keys) // across)
    figure = Figure(figsize=(5 * across, 3.6 * down + 0.4), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False).ravel()
    lines, colours = [], colours_of(len(drawn))
    for axis, key in zip(axes, keys, strict=False):
        lines = [
            _draw(axis, metrics, key, c) for (_, metrics), c in zip(drawn, colours, strict=True)
        ]
        axis.set_xlabel("epoch")
        axis.set_ylabel(PANELS[key])
        axis.grid(alpha=0.3)
    for axis in axes[len(keys) :]:
        axis.set_visible(False)
    labels = labels_of([run for run, _ in drawn])
    figure.legend(lines, labels, loc="outside lower center", fontsize="small")
    try:
        figure.savefig(out, dpi=120)
    except (OSError, ValueError) as error:
        raise InputError(f"can't write {out}: {error}") from None
    return keys


def colours_of(count: int) -> list[Any]:
    """As many colours: matplotlib's usual ten if they suffice, else a rainbow."""
    if count <= _USUAL:
        return [f"C{n}" for n in range(count)]
    return list(matplotlib.colormaps["turbo"].resampled(count)(range(count)))


def _moves(metrics: Metrics, key: str) -> bool:
    """Whether a figure changes in the course of a run; of a single epoch, whether it is there."""
    values = {row[key] for row in metrics if row.get(key) is not None}
    return len(values) > 1 or (len(metrics) == 1 and bool(values))


def _draw(axis: Any, metrics: Metrics, key: str, colour: Any) -> Any:
    points = [(row["epoch"] + 1, row[key]) for row in metrics if row.get(key) is not None]
    epochs, values = zip(*points, strict=True) if points else ((), ())
    (line,) = axis.plot(epochs, values, color=colour, marker="." if len(points) < 2 else None)
    return line
