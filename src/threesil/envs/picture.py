"""Pictures of a state: its tree with the cursor, as an image or in a window.

Matplotlib draws; it is loaded with the first picture. Where it is missing, or has no screen to
open a window on, people get the tree as text instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from threesil.errors import MissingTool
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Signature
from threesil.notations.writing.view import Drawing, draw

Image = NDArray[np.uint8]
_SIZE: Final = (6.0, 4.5)  # inches
_DPI: Final = 100
_LARGEST: Final = 150  # nodes that can be distinguished in a picture of this size
_ACROSS: Final = 85  # letters of the title that fit in a line
_INK, _QUIET, _CURSOR = "#222222", "#9a9a9a", "#d9480f"


def image(term: Term, signature: Signature, cursor: Position, title: str) -> Image:
    """The picture, (height, width, 3)."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingTool(
            "pictures need Matplotlib, which is not installed: pip install threesil[plots]"
        ) from error
    figure = Figure(figsize=_SIZE, dpi=_DPI)
    canvas: Any = FigureCanvasAgg(figure)
    _fill(figure, term, signature, cursor, title)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


class Window:
    """A window that shows one state after the other."""

    def __init__(self) -> None:
        self._figure: Any = None

    @staticmethod
    def possible() -> bool:
        """Whether Matplotlib is here and can open a window."""
        try:
            from matplotlib import pyplot
            from matplotlib.backends import registry
        except ImportError:
            return False
        known: Any = registry.backend_registry
        silent = known.list_builtin(registry.BackendFilter.NON_INTERACTIVE)
        return pyplot.get_backend().lower() not in silent

    def show(
        self, term: Term, signature: Signature, cursor: Position, title: str, seconds: float
    ) -> None:
        """Shows a state for some seconds; closed by the user, the window opens again."""
        from matplotlib import pyplot

        if self._figure is None or not pyplot.fignum_exists(self._figure.number):
            self._figure = pyplot.figure(figsize=_SIZE, dpi=_DPI)
        self._figure.clear()
        _fill(self._figure, term, signature, cursor, title)
        self._figure.canvas.draw_idle()
        pyplot.pause(seconds)

    def close(self) -> None:
        if self._figure is not None:
            from matplotlib import pyplot

            pyplot.close(self._figure)
            self._figure = None


def _fill(figure: Any, term: Term, signature: Signature, cursor: Position, title: str) -> None:
    axes = figure.add_axes((0, 0, 1, 0.92))
    axes.axis("off")
    above = {"ha": "center", "va": "center", "color": _QUIET, "fontsize": 9}
    # Matplotlib's own wrapping takes what stands between dollar signs for a formula all the same.
    first, *more = wrap(title, _ACROSS)
    figure.text(0.5, 0.96, "\n".join([first, *more[-1:]]), parse_math=False, **above)
    drawing = draw(term, signature, [cursor], _LARGEST)
    if drawing is None:
        figure.text(0.5, 0.5, "too large to be drawn", ha="center", color=_INK)
        return
    x, y = layout(drawing)
    here, behind = drawing.marks[0]
    size = float(np.clip(220 / (1 + max(x.max(), 2.0 * -y.min())), 5, 13))
    for node, parent in enumerate(parents(drawing.arities)):
        inside = here <= node < behind
        if parent >= 0:
            colour = _CURSOR if inside and node > here else _QUIET
            axes.plot(x[[parent, node]], y[[parent, node]], color=colour, linewidth=1, zorder=1)
        axes.text(
            *(x[node], y[node], drawing.labels[node]),
            parse_math=False,
            ha="center",
            va="center",
            fontsize=size,
            fontstyle="italic" if drawing.variables[node] else "normal",
            fontweight="bold" if node == here else "normal",
            color="white" if node == here else _INK,
            bbox={
                "boxstyle": "round,pad=0.3",
                "facecolor": _CURSOR if node == here else "white",
                "edgecolor": _CURSOR if inside else _QUIET,
            },
            zorder=2,
        )
    axes.set_xlim(-0.7, max(x.max(), 1.0) + 0.7)
    axes.set_ylim(min(y.min(), -1.0) - 0.5, 0.5)


def parents(arities: Sequence[int]) -> list[int]:
    """The parent of every node in preorder, -1 for the root."""
    found: list[int] = []
    stack: list[int] = []  # the nodes that still wait for an argument, once for each of them
    for node, arity in enumerate(arities):
        found.append(stack.pop() if stack else -1)
        stack.extend([node] * arity)
    return found


def layout(drawing: Drawing) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where every node goes, x and y: leaves side by side, the others above their arguments."""
    above = parents(drawing.arities)
    x, y = np.zeros((2, len(above)))
    for node, parent in enumerate(above[1:], 1):
        y[node] = y[parent] - 1
    leaves = [node for node, arity in enumerate(drawing.arities) if arity == 0]
    x[leaves] = np.arange(len(leaves))
    ends = x.copy()  # of the last leaf below a node; x holds the first one's on the way up
    first = np.full(len(above), np.inf)
    first[leaves] = x[leaves]
    for node in range(len(above) - 1, 0, -1):
        parent = above[node]
        first[parent] = min(first[parent], first[node])
        ends[parent] = max(ends[parent], ends[node])
    return (first + ends) / 2, y
