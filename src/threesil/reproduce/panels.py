"""A figure of several theories: the share of problems solved by when, a curve for each arm."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from threesil.measure.compare.plots import PATTERNS, STYLE, colour
from threesil.reproduce.experiment import Done, Within
from threesil.reproduce.jobs import Evaluation

_FIRST = 0.0005  # seconds, where the axis begins
_POINTS = 200


def draw_panels(done: Done, chart: Within) -> Figure | None:
    """The figure; None if nothing of it was run."""
    times = np.geomspace(_FIRST, chart.seconds, _POINTS)
    with matplotlib.rc_context(STYLE):
        width = 3.4 * len(chart.panels)
        figure = Figure(figsize=(width, 4.4), layout="constrained")
        row = figure.subplots(1, len(chart.panels), sharey=True, squeeze=False)[0]
        for axes, (theory, labels) in zip(row, chart.panels.items(), strict=True):
            _panel(axes, done, labels, times)
            axes.set_title(theory)
        row[0].set_ylabel("share solved")
        handles, words = row[0].get_legend_handles_labels()
        if not handles:
            return None
        figure.legend(handles, words, loc="outside lower center", ncols=3, fontsize="small")
    return figure


def _panel(
    axes: Axes,
    done: Done,
    labels: Mapping[str, tuple[Evaluation, ...]],
    times: NDArray[np.float64],
) -> None:
    for index, (label, over) in enumerate(labels.items()):
        found = [shares for job in over if (shares := _shares(done, job, times)) is not None]
        if found:
            values = np.array(found)
            (line,) = axes.plot(times, values.mean(axis=0), label=label, color=colour(index))
            line.set_linestyle(PATTERNS[index % len(PATTERNS)])
            bounds = values.min(axis=0), values.max(axis=0)
            axes.fill_between(times, *bounds, color=colour(index), alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_xlabel("CPU seconds")
    axes.set_ylim(0, 1.02)
    axes.grid(True)


def _shares(done: Done, job: Evaluation, times: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The share solved within each of the times."""
    rows = done.rows(job)
    if not rows:
        return None
    taken = np.sort([row.cpu_seconds for row in rows.values() if row.solved])
    return np.searchsorted(taken, times, side="right") / len(rows)
