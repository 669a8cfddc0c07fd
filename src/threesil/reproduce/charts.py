"""The pictures of a report: curves over epochs and over time, and who solved what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from threesil.measure.compare.plots import PATTERNS, STYLE, colour
from threesil.measure.compare.set_plots import venn
from threesil.reproduce.experiment import Chart, Curves, Done, Venn, Within
from threesil.reproduce.jobs import Evaluation, Job

_FIRST = 0.0005  # seconds, where the axis begins
_POINTS = 200


def draw_chart(done: Done, chart: Chart, who: Callable[[Job], str]) -> Figure | None:
    """The figure; None if nothing of it was run. `who` says what follows the name of a set."""
    if isinstance(chart, Within):
        return draw_panels(done, chart)
    return _curves(done, chart) if isinstance(chart, Curves) else _venn(done, chart, who)


def draw_panels(done: Done, chart: Within) -> Figure | None:
    times = np.geomspace(_FIRST, chart.seconds, _POINTS)
    with matplotlib.rc_context(STYLE):
        width = 3.4 * len(chart.panels)
        figure = Figure(figsize=(width, 4.4), layout="constrained")
        row = figure.subplots(1, len(chart.panels), sharey=True, squeeze=False)[0]
        for axes, (theory, labels) in zip(row, chart.panels.items(), strict=True):
            for index, (label, over) in enumerate(labels.items()):
                found = [share for job in over if (share := _shares(done, job, times)) is not None]
                pattern = PATTERNS[index % len(PATTERNS)]
                _band(axes, times, found, index, label=label, linestyle=pattern)
            axes.set_xscale("log")
            axes.set_xlabel("CPU seconds")
            axes.set_ylim(0, 1.02)
            axes.grid(True)
            axes.set_title(theory)
        row[0].set_ylabel("share solved")
        handles, words = row[0].get_legend_handles_labels()
        if not handles:
            return None
        figure.legend(handles, words, loc="outside lower center", ncols=3, fontsize="small")
    return figure


def _curves(done: Done, chart: Curves) -> Figure | None:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = figure.subplots()
        for index, (label, runs) in enumerate(chart.runs.items()):
            found = [metrics for run in runs if (metrics := done.metrics(run))]
            length = min(map(len, found), default=0)
            values = [[row[chart.key] for row in one[:length]] for one in found]
            _band(axes, np.arange(1, length + 1), values, index, label=label)
        axes.set_xlabel("epoch")
        axes.set_ylabel(chart.axis)
        axes.grid(True)
        if not axes.lines:
            return None
        axes.legend(fontsize="small")
    return figure


def _venn(done: Done, chart: Venn, who: Callable[[Job], str]) -> Figure | None:
    sets, names = {}, set[str]()
    for label, job in chart.sets.items():
        rows = done.rows(job)
        if rows is not None:
            names |= rows.keys()
            sets[f"{label}{who(job)}"] = {row.name for row in rows.values() if row.solved}
    return venn(sets, len(names)) if len(sets) > 1 else None


def _band(axes: Axes, x: NDArray[Any], found: Sequence[Any], index: int, **style: Any) -> None:
    """The mean of curves and their range; nothing if there are none."""
    if found:
        values = np.array(found)
        axes.plot(x, values.mean(axis=0), color=colour(index), **style)
        bounds = values.min(axis=0), values.max(axis=0)
        axes.fill_between(x, *bounds, color=colour(index), alpha=0.15, linewidth=0)


def _shares(done: Done, job: Evaluation, times: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The share solved within each of the times."""
    rows = done.rows(job)
    if not rows:
        return None
    taken = np.sort([row.cpu_seconds for row in rows.values() if row.solved])
    return np.searchsorted(taken, times, side="right") / len(rows)
