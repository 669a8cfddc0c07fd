"""Plots of a comparison: time against problems solved, share against time, two systems' times.

Figures are drawn with one ink colour and without a background, so that a page can show them in
its own colours. Systems differ in colour and in the pattern of their line.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from threesil.measure.compare.standing import Entrant, Standing, time_of
from threesil.measure.compare.statistics import wilson

matplotlib.use("Agg")

INK: Final = "#22272e"
# Colours that differ for every common kind of colour vision, on light and on dark ground.
COLOURS: Final = (
    *("#0a78be", "#e08a00", "#009e73", "#cc5a8f"),
    *("#8a6fd1", "#d1491f", "#5a8a9a", "#9a7b1c"),
)
# One fewer than the colours, so that a colour that comes again has another pattern.
PATTERNS: Final = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (2, 1)))
STYLE: Final[dict[Any, Any]] = {
    "font.size": 10.5,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": INK,
    "grid.alpha": 0.13,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "threesil",
}
_SHORTEST: Final = 0.001  # seconds; what was faster is drawn here
_BEYOND: Final = 1.8  # times the limit: where a scatter has what was not solved
_PANELS: Final = 6  # of the scatters at most


def colour(index: int) -> str:
    """The colour of a system, by its place in the comparison."""
    return COLOURS[index % len(COLOURS)]


def label(name: str) -> str:
    """A name as figures show it: no mathematics, and never hidden, as names with _ in front are."""
    plain = "".join(c if c.isprintable() else "?" for c in name).replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain


def cactus(standing: Standing) -> Figure:
    """For each system, how many problems take at most how long."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _curves()
        for index, entrant in _by_solved(standing):
            times = _times(entrant, standing)
            counts = np.arange(1, len(times) + 1)
            axes.plot(counts, times, label=f"{label(entrant.name)}  {len(times)}", **_line(index))
        axes.set_yscale("log")
        axes.set_ylim(_SHORTEST * 0.8, standing.limit * 1.4)
        axes.set_xlim(0, max(1, len(standing.problems)))
        axes.yaxis.set_major_formatter(FuncFormatter(_seconds))
        axes.set_xlabel("problems solved")
        axes.set_ylabel(_clock(standing))
        _legend(axes, "solved")
    return figure


def shares(standing: Standing) -> Figure:
    """The share that each system has solved by a time, with its 95 % interval as a shade."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _curves()
        for index, entrant in _by_solved(standing):
            found = _times(entrant, standing)
            total = max(1, len(entrant.rows))
            end = max(min(entrant.reach(), standing.limit), found[-1] if len(found) else 0.0)
            times = np.concatenate(([_SHORTEST], found, [end]))
            counts = np.searchsorted(found, times, side="right")
            bounds = np.array([wilson(int(count), total) for count in counts])
            shade: dict[str, Any] = {"color": colour(index), "alpha": 0.13, "linewidth": 0}
            axes.fill_between(times, bounds[:, 0], bounds[:, 1], step="post", **shade)
            name = f"{label(entrant.name)}  {counts[-1] / total:.3f}"
            axes.step(times, counts / total, where="post", label=name, **_line(index))
        axes.set_xscale("log")
        axes.set_xlim(_SHORTEST, standing.limit)
        axes.set_ylim(0, 1)
        axes.xaxis.set_major_formatter(FuncFormatter(_seconds))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
        axes.set_xlabel(_clock(standing))
        axes.set_ylabel("share solved")
        _legend(axes, "share")
    return figure


def scatters(standing: Standing) -> Figure:
    """The times of the first system against those of each other one, a point for each problem.

    What one of the two did not solve lies beyond its dashed line.
    """
    first, *others = standing.entrants[: _PANELS + 1]
    across = min(3, len(others))
    down = -(-len(others) // across)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(max(3.6, 2.9 * across), 2.9 * down), layout="constrained")
        panels = list(figure.subplots(down, across, squeeze=False).flat)
        for axes, other in zip(panels, others, strict=False):
            _scatter(axes, first, other, standing)
        for axes in panels[len(others) :]:
            axes.set_axis_off()
    return figure


def _scatter(axes: Axes, first: Entrant, other: Entrant, standing: Standing) -> None:
    limit, unsolved = standing.limit, standing.limit * _BEYOND
    both: list[list[float]] = []
    one: list[list[float]] = []
    for name in first.rows.keys() & other.rows.keys():
        rows = first.rows[name], other.rows[name]
        times = [time_of(row, standing.clock) if row.solved else unsolved for row in rows]
        point = [max(t, _SHORTEST) if t <= limit else unsolved for t in times]
        (both if max(point) <= limit else one).append(point)
    for points, place, mark in ((both, 0, "o"), (one, 5, "D")):
        x, y = zip(*sorted(points), strict=True) if points else ((), ())
        axes.scatter(x, y, s=13, marker=mark, alpha=0.55, linewidth=0, color=colour(place))
    ends = (_SHORTEST * 0.8, unsolved * 1.3)
    axes.plot(ends, ends, color=INK, linewidth=0.7, alpha=0.5)
    for line in (axes.axvline, axes.axhline):
        line(limit * _BEYOND**0.5, color=INK, linewidth=0.7, linestyle="--", alpha=0.5)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    axes.set_xlabel(f"{label(first.name)}, {_clock(standing)}")
    axes.set_ylabel(label(other.name))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(_seconds))
        axis.set_minor_formatter(NullFormatter())
    axes.set_box_aspect(1)


def draw(figure: Figure, kind: str) -> bytes:
    """The figure as `svg`, or as `png` on white; the same figure gives the same bytes."""
    target = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        if kind == "svg":
            nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
            figure.savefig(target, format=kind, transparent=True, metadata=nothing)
        else:
            figure.savefig(
                target, format=kind, dpi=170, facecolor="white", metadata={"Software": None}
            )
    return target.getvalue()


def _curves() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.grid(True)
    return figure, axes


def _legend(axes: Axes, title: str) -> None:
    """Beside the curves, where it covers none of them."""
    legend = axes.legend(
        title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0), alignment="left", handlelength=3
    )
    legend.get_title().set_fontweight("bold")


def _by_solved(standing: Standing) -> Sequence[tuple[int, Entrant]]:
    """The entrants with their places, the best first, as the legend has them."""
    placed = list(enumerate(standing.entrants))
    return sorted(placed, key=lambda p: (-len(_times(p[1], standing)), p[0]))


def _times(entrant: Entrant, standing: Standing) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    rows = entrant.rows.values()
    found = (time_of(row, standing.clock) for row in rows if row.solved)
    return np.array(sorted(max(t, _SHORTEST) for t in found if t <= standing.limit))


def _line(index: int) -> dict[str, Any]:
    return {"color": colour(index), "linestyle": PATTERNS[index % len(PATTERNS)], "linewidth": 1.9}


def _clock(standing: Standing) -> str:
    return "CPU seconds" if standing.clock == "cpu" else "seconds"


def _seconds(value: float, _place: object) -> str:
    return f"{value:g}"
