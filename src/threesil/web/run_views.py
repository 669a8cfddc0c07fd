"""Training runs and comparisons on disk, in values of JSON. Nothing is written.

A request names a directory; answers and errors use that name, never the path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeVar

from threesil.errors import InputError
from threesil.files import check_closed, read_text
from threesil.measure.compare.directory import read_comparison
from threesil.measure.compare.standing import Entrant, Standing
from threesil.measure.results import Row
from threesil.measure.setting import Setting
from threesil.runs.run import Run

T = TypeVar("T")
Value = dict[str, Any]
Named = list[tuple[str, str]]  # (name, path)

_POINTS: Final = 2_000  # epochs of a run that are sent at a time


def runs(task: Value) -> Value:
    """A line for each run; a damaged one says what is wrong."""
    return {"runs": [_each(name, path, _run_line) for name, path in task["places"]]}


def run(task: Value) -> Value:
    """The metrics of a run, of epochs after `after`; of many epochs, some evenly."""
    name, path = task["place"]
    metrics = _named(name, path, lambda path: Run(path).metrics())
    new = [row for row in metrics if row["epoch"] > task["after"]]
    step = max(1, len(new) // _POINTS)
    kept = new[::step]
    if new and kept[-1] is not new[-1]:
        kept.append(new[-1])
    figures = [{key: row[key] for key in row if _is_number(row[key])} for row in kept]
    return {
        **_named(name, path, _run_line),
        **_named(name, path, _findings),
        "name": name,
        "metrics": figures,
    }


def theory(task: Value) -> Value:
    """The theory that a run trains: the name of a bundled one, or the text of its own file."""
    name, path = task["place"]

    def read(directory: Path) -> Value:
        run = Run(directory)
        kept = run.theory_file
        return {"theory": None, "text": read_text(kept)} if kept else {"theory": run.source}

    return _named(name, path, read)


def _findings(directory: Path) -> Value:
    """What a run has come to: its stages, what it has made and found, the table."""
    run = Run(directory)
    facts, shares = run.facts, run.shares()
    return {
        "stages": dict(facts.stages),
        "minutes": facts.minutes,
        "counts": run.counts(),
        "shares": [asdict(row) for row in shares],
        "helps": run.judgement().helps,
    }


def _run_line(directory: Path) -> Value:
    run = Run(directory)
    facts, metrics = run.facts, run.metrics()
    last = metrics[-1] if metrics else {}
    line: Value = {"theory": facts.theory, "method": facts.method, "seed": facts.seed}
    line |= {key: last.get(key) for key in ("level", "solved", "problems", "success")}
    epochs = facts.config.get("ME")
    # Where minutes end a run, the number of epochs is only a bound.
    whole = epochs if isinstance(epochs, int) and not facts.config.get("minutes") else None
    return {**line, "epochs": last.get("epoch", -1) + 1, "of": whole, "done": run.finished}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def comparisons(task: Value) -> Value:
    """A line for each comparison."""
    return {"comparisons": [_each(name, path, _comparison_line) for name, path in task["places"]]}


def _comparison_line(directory: Path) -> Value:
    found = read_comparison(directory)
    setting = next((setting for setting, _ in found.values()), None)
    return {
        "systems": list(found),
        "problems": setting.count if setting else 0,
        "theory": setting.theory if setting else "",
        "set": Path(setting.problems).name if setting else "",
        "seconds": setting.seconds if setting else None,
    }


def comparison(task: Value) -> Value:
    """All rows of a comparison: for each problem, how each solver did on it."""
    name, path = task["place"]
    found = _named(name, path, read_comparison)
    names = tuple(dict.fromkeys(problem for _, rows in found.values() for problem in rows))
    entrants = tuple(_entrant(system, *of) for system, of in found.items())
    limit = max((setting.seconds or 0 for setting, _ in found.values()), default=0)
    standing = Standing(names, entrants, limit)
    return {
        **_named(name, path, _comparison_line),
        "name": name,
        "times": standing.times,
        "systems": [
            {
                "name": e.name,
                "within": [len(e.solved(t, standing.clock)) for t in standing.times],
                "certified": e.certified(),
                "claimed": e.claimed(),
                "tried": len(e.rows),
            }
            for e in entrants
        ],
        "problems": [
            {"name": problem, "cells": [_cell(e.rows.get(problem)) for e in entrants]}
            for problem in names
        ],
    }


def _entrant(name: str, setting: Setting, rows: dict[str, Row]) -> Entrant:
    return Entrant(name, rows, limit=setting.seconds or 0)


def _cell(row: Row | None) -> Value | None:
    if row is None:
        return None
    return {
        "status": row.status,
        "solved": row.solved,
        "seconds": row.cpu_seconds,
        "certified": row.certified,
        "rewrites": row.rewrites,
    }


def _each(name: str, path: str, read: Callable[[Path], Value]) -> Value:
    try:
        return {"name": name, **_named(name, path, read)}
    except InputError as error:
        return {"name": name, "error": str(error)}


def _named(name: str, path: str, read: Callable[[Path], T]) -> T:
    """What is read of a directory, and of nothing else; errors speak of its name."""
    try:
        check_closed(Path(path), name)
        return read(Path(path))
    except InputError as error:
        raise InputError(str(error).replace(path, name)) from None
    except OSError as error:
        raise InputError(f"{name} can't be read: {error.strerror}") from None
