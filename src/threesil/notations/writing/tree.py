"""Terms drawn as trees of text, one node a line, the cursor marked.

    *
    ├─ 2
    └─ +  ◀
       ├─ x
       └─ 0

A numeral is one node with its value, unless the cursor stands inside it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Signature
from threesil.notations.infix import numeral_values

CURSOR: Final = "  ◀"
_NOT_ON_PATH: Final = -1


class _Row(NamedTuple):
    """A line of the drawing; `parent` is the index of another row, -1 for the root."""

    label: str
    parent: int
    last: bool
    is_cursor: bool


def draw_tree(
    term: Term, signature: Signature, cursor: Position | None = None, max_lines: int = 60
) -> str:
    """The drawing of `term`, at most `max_lines` (4 or more) lines of it.

    Lines that are left out are counted at an ellipsis. The root and the cursor always stay in
    sight: where the cursor lies too far down, the lines around it follow the first ones.
    """
    if max_lines < 4:
        raise ValueError(f"max_lines must be at least 4, not {max_lines}")
    rows = _rows(term, signature, cursor)
    here = next((index for index, row in enumerate(rows) if row.is_cursor), 0)
    if len(rows) <= max_lines:
        shown = [range(len(rows))]
    elif here < max_lines - 1:
        shown = [range(max_lines - 1)]
    else:
        head = max_lines // 3
        size = max_lines - head - 2
        start = min(here - size // 2, len(rows) - size)
        shown = [range(head), range(start, start + size)]
    lines: list[str] = []
    end = 0
    for part in (*shown, range(len(rows), len(rows))):
        if part.start > end:
            lines.append(f"… {part.start - end} more")
        lines += [_line(rows, index) for index in part]
        end = part.stop
    return "\n".join(lines)


def _rows(term: Term, signature: Signature, cursor: Position | None) -> list[_Row]:
    """All lines in preorder. `on_path` counts the steps from the root along the cursor's path."""
    values = numeral_values(term, signature)
    path = cursor or ()
    term.at(path)
    rows: list[_Row] = []
    on_path = _NOT_ON_PATH if cursor is None else 0
    stack = [(term, -1, True, on_path)]
    while stack:
        t, parent, last, on_path = stack.pop()
        above_cursor = 0 <= on_path < len(path)
        number = None if above_cursor else values.get(id(t))
        label = t.head if number is None else str(number)
        rows.append(_Row(label, parent, last, on_path == len(path)))
        if number is not None:
            continue
        parent = len(rows) - 1
        for index in range(len(t.args) - 1, -1, -1):
            along = above_cursor and index == path[on_path]
            follows = on_path + 1 if along else _NOT_ON_PATH
            stack.append((t.args[index], parent, index == len(t.args) - 1, follows))
    return rows


def _line(rows: list[_Row], index: int) -> str:
    row = rows[index]
    parts = [row.label + (CURSOR if row.is_cursor else "")]
    if row.parent >= 0:
        parts.append("└─ " if row.last else "├─ ")
        above = rows[row.parent]
        while above.parent >= 0:
            parts.append("   " if above.last else "│  ")
            above = rows[above.parent]
    return "".join(reversed(parts))
