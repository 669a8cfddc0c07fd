"""Figures of training runs: levels of the curriculum and solved problems against epochs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from threesil.errors import InputError
from threesil.learn.config import read_config
from threesil.learn.records import read_facts, read_metrics

matplotlib.use("Agg")

PANELS = (("level", "curriculum level"), ("solved", "problems with a solution"))


def label_of(run: Path) -> str:
    """Runs with the same label are seeds of one experiment."""
    facts = read_facts(run)
    config = read_config(run / "config.toml")
    label = f"{facts['theory']} {facts['method']}".replace("$", r"\$")  # no formula begins here
    if facts["method"] == "3sil":
        label += f" k={config.k}, n={config.size}"
        if config.bias > 1:
            label += ", bias"
        if config.prune:
            label += ", pruning"
    return label


def plot_runs(runs: Sequence[Path], out: Path) -> None:
    """Draws one line a label: the mean over its runs, and their range as a shade."""
    groups: dict[str, list[list[dict[str, float]]]] = defaultdict(list)
    for run in runs:
        metrics = read_metrics(run)
        if metrics:
            groups[label_of(run)].append(metrics)
    if not groups:
        raise InputError("none of the runs has finished an epoch")
    figure = Figure(figsize=(12, 4.5), layout="constrained")
    axes = figure.subplots(1, len(PANELS))
    for axis, (key, title) in zip(axes, PANELS, strict=True):
        for label, members in sorted(groups.items()):
            length = min(len(metrics) for metrics in members)
            values = np.array([[m[key] for m in metrics[:length]] for metrics in members])
            epochs = np.arange(1, length + 1)
            (line,) = axis.plot(epochs, values.mean(axis=0), label=f"{label} ({len(members)})")
            axis.fill_between(
                epochs, values.min(axis=0), values.max(axis=0), alpha=0.2, color=line.get_color()
            )
        axis.set_xlabel("epoch")
        axis.set_ylabel(title)
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize="small")
    try:
        figure.savefig(out, dpi=120)
    except (OSError, ValueError) as error:
        raise InputError(f"can't write {out}: {error}") from None
