"""Which problems several systems share: Venn diagrams and UpSet plots.

A Venn diagram has a region for each combination of two to four sets: circles for two and three,
ellipses for four. An UpSet plot has a bar for each combination that occurs, the largest first,
and below it the sets that take part, as dots.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any, Final

import matplotlib
import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from threesil.measure.compare.plots import INK, STYLE, colour, label
from threesil.measure.compare.statistics import regions

MOST_SETS: Final = 4
MOST_BARS: Final = 24
_GRID: Final = 421  # points a side on which the places of the numbers are looked for

Points = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Oval:
    """An ellipse: centre, half axes, turn in degrees, and where its label stands."""

    x: float
    y: float
    a: float
    b: float
    turn: float
    label: tuple[float, float]

    def depth(self, x: Points, y: Points) -> Points:
        """About how far points lie inside (positive) or outside of it (negative)."""
        c, s = cos(radians(self.turn)), sin(radians(self.turn))
        u, v = (x - self.x) * c + (y - self.y) * s, (y - self.y) * c - (x - self.x) * s
        level = np.sqrt((u / self.a) ** 2 + (v / self.b) ** 2)
        slope = np.sqrt((u / self.a**2) ** 2 + (v / self.b**2) ** 2) / np.maximum(level, 1e-9)
        return np.asarray((1 - level) / np.maximum(slope, 1e-9))


OVALS: Final = {
    2: (
        Oval(-0.42, 0, 0.8, 0.8, 0, (-0.8, 0.88)),
        Oval(0.42, 0, 0.8, 0.8, 0, (0.8, 0.88)),
    ),
    3: (
        Oval(-0.42, 0.26, 0.74, 0.74, 0, (-0.86, 1.02)),
        Oval(0.42, 0.26, 0.74, 0.74, 0, (0.86, 1.02)),
        Oval(0, -0.46, 0.74, 0.74, 0, (0, -1.32)),
    ),
    4: (
        Oval(-0.42, -0.2, 1.08, 0.58, -50, (-1.24, 0.72)),
        Oval(-0.02, 0.18, 1.06, 0.56, -50, (-0.66, 1.16)),
        Oval(0.02, 0.18, 1.06, 0.56, 50, (0.66, 1.16)),
        Oval(0.42, -0.2, 1.08, 0.58, 50, (1.24, 0.72)),
    ),
}


def places(count: int) -> dict[tuple[int, ...], tuple[float, float]]:
    """For each region of the diagram of so many sets, the point farthest from its borders."""
    ovals = OVALS[count]
    axis = np.linspace(-1.7, 1.7, _GRID)
    x, y = np.meshgrid(axis, axis)
    depths = np.array([oval.depth(x, y) for oval in ovals])
    inside, room = depths > 0, np.abs(depths).min(axis=0) - 1e-4 * np.abs(y)
    found: dict[tuple[int, ...], tuple[float, float]] = {}
    for code in range(1, 2**count):
        members = tuple(i for i in range(count) if code >> i & 1)
        pattern = np.array([i in members for i in range(count)])[:, None, None]
        here = np.where((inside == pattern).all(axis=0), room, -1.0)
        best = np.unravel_index(int(here.argmax()), here.shape)
        if here[best] > 0:
            found[members] = float(x[best]), float(y[best])
    return found


def venn(sets: Mapping[str, Collection[str]], problems: int) -> Figure:
    """The regions of two to four sets with their numbers; `problems` tells what is in none."""
    names = list(sets)
    if not 2 <= len(names) <= MOST_SETS:
        raise ValueError(f"a Venn diagram has 2 to {MOST_SETS} sets, not {len(names)}")
    counts = regions(sets)
    with matplotlib.rc_context(STYLE):
        low, high = (-1.05, 1.1) if len(names) == 2 else (-1.5, 1.35)
        figure = Figure(figsize=(6.0, 1.8 * (high - low)), layout="constrained")
        axes = figure.subplots()
        for index, (name, oval) in enumerate(zip(names, OVALS[len(names)], strict=True)):
            axes.add_patch(
                Ellipse(
                    (oval.x, oval.y),
                    2 * oval.a,
                    2 * oval.b,
                    angle=oval.turn,
                    facecolor=to_rgba(colour(index), 0.22),
                    edgecolor=colour(index),
                    linewidth=1.8,
                )
            )
            axes.text(
                *oval.label,
                f"{label(name)}\n{len(set(sets[name]))}",
                ha="center",
                va="center",
                color=colour(index),
                weight="bold",
                linespacing=1.25,
            )
        for members, (x, y) in places(len(names)).items():
            number = counts.get(tuple(names[i] for i in members), 0)
            faint = 0.45 if number == 0 else 1.0
            axes.text(x, y, str(number), ha="center", va="center", alpha=faint)
        none = problems - sum(counts.values())
        axes.text(1.62, low + 0.08, f"solved by none: {none}", ha="right", va="center")
        axes.set_xlim(-1.65, 1.65)
        axes.set_ylim(low, high)
        axes.set_aspect("equal")
        axes.axis("off")
    return figure


def upset(sets: Mapping[str, Collection[str]]) -> Figure:
    """A bar for each combination of systems that solved exactly these problems."""
    names = list(sets)
    counts = sorted(regions(sets).items(), key=lambda item: (-item[1], len(item[0]), item[0]))
    shown = counts[:MOST_BARS]
    width = max(6.4, 1.9 + 0.34 * len(shown))
    height = 2.6 + 0.34 * len(names)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        parts = figure.subplots(
            2,
            2,
            width_ratios=(1.3, max(3.6, 0.34 * len(shown))),
            height_ratios=(2.3, 0.34 * len(names) + 0.1),
        )
        (corner, bars), (sizes, dots) = parts
        corner.axis("off")
        columns = range(len(shown))
        heights = [number for _, number in shown]
        bars.bar(columns, heights, color=INK, width=0.62, alpha=0.85)
        for column, number in zip(columns, heights, strict=True):
            bars.annotate(
                str(number), (column, number), (0, 2), textcoords="offset points", ha="center"
            )
        bars.set_ylabel("problems")
        bars.set_xticks([])
        bars.set_xlim(-0.6, max(1, len(shown)) - 0.4)
        bars.spines["bottom"].set_visible(False)
        bars.margins(y=0.12)
        for row, name in enumerate(names):
            if row % 2 == 0:
                band = Rectangle((-0.6, row - 0.5), max(1, len(shown)) + 0.2, 1, lw=0, alpha=0.06)
                band.set_facecolor(INK)
                dots.add_patch(band)
            dots.scatter(columns, [row] * len(shown), s=34, color=INK, alpha=0.13, linewidths=0)
            member = [column for column in columns if name in shown[column][0]]
            dots.scatter(member, [row] * len(member), s=38, color=colour(row), zorder=3)
        for column, (members, _) in enumerate(shown):
            rows = [names.index(name) for name in members]
            dots.plot([column, column], [min(rows), max(rows)], color=INK, lw=1.4, alpha=0.6)
        dots.set_xlim(bars.get_xlim())
        dots.set_ylim(len(names) - 0.5, -0.5)
        dots.set_yticks(range(len(names)), [label(name) for name in names])
        dots.tick_params(length=0)
        dots.set_xticks([])
        totals = [len(set(sets[name])) for name in names]
        own = [colour(row) for row in range(len(names))]
        sizes.barh(range(len(names)), totals, color=own, height=0.55)
        for row, total in enumerate(totals):
            sizes.annotate(
                str(total), (total, row), (-3, 0), textcoords="offset points", ha="right",
                va="center",
            )  # fmt: skip
        sizes.set_ylim(dots.get_ylim())
        sizes.invert_xaxis()
        sizes.margins(x=0.45)
        sizes.set_yticks([])
        sizes.set_xticks([])
        sizes.set_xlabel("solved")
        for axes in (sizes, dots):
            for spine in axes.spines.values():
                spine.set_visible(False)
    return figure
