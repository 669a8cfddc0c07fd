"""What `threesil prove --explain` adds: where the time went, turn by turn."""

from __future__ import annotations

from rich.table import Table

from threesil.cli.app import out, plain, visible
from threesil.kernel.outcome import Outcome

_FIGURES = ("terms", "rules", "pairs", "rewrites", "distance", "hints")


def show_turns(outcome: Outcome) -> None:
    """A table on a terminal, lines that begin with % elsewhere."""
    head, rows = _cells(outcome)
    if out.is_terminal:
        table = Table(*head, box=None)
        for column in table.columns[1:-1]:
            column.justify = "right"
        for row in rows:
            table.add_row(*(plain(cell) for cell in row))
        out.print(table)
        return
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if k in (0, len(head) - 1) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print(visible(f"% {'  '.join(cells)}".rstrip()))


def _cells(outcome: Outcome) -> tuple[list[str], list[list[str]]]:
    """The head and the rows; what has gone into no turn is in the last but one, the sum below."""
    turns = (*outcome.parts, outcome)[0].turns
    names = [name for name in _FIGURES if any(name in turn.figures for turn in turns)]
    head = ["search", "CPU s", "expansions", *names, "ended"]
    rows = [
        [
            turn.solver,
            f"{turn.seconds:.4f}",
            f"{turn.expansions:,}",
            *(f"{turn.figures[n]:,.0f}" if n in turn.figures else "" for n in names),
            turn.status,
        ]
        for turn in turns
    ]
    empty = [""] * len(names)
    rest = max(0.0, outcome.cpu_seconds - sum(turn.seconds for turn in turns))
    rows.append(["the rest", f"{rest:.4f}", "", *empty, ""])
    total = f"{outcome.cpu_seconds:.4f}", f"{outcome.expansions:,}"
    rows.append(["all", *total, *empty, str(outcome.status)])
    return head, rows
