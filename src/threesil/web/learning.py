"""What the process of a training does: a theory of the page is trained, or a run is resumed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from threesil.errors import InputError
from threesil.kernel.theory import Theory
from threesil.notations.reading import notation_of

Value = dict[str, Any]
Tell = Callable[[Value], None]

_SUFFIXES: Final = {"tptp": ".p", "ladr": ".in", "theory": ".thy"}


def load() -> None:
    """Loads what learning needs, before the memory of the process is limited."""
    import threesil.learn.train  # noqa: F401


def teachable(task: Value, theory_of: Callable[[Value], Theory]) -> Value:
    """The name of the theory that a task is about, and what a training reads: a bundled theory by
    its name, or a file with a name and a text."""
    if task.get("assume"):
        raise InputError("further equations are not learned: write them into the theory")
    notation, given = notation_of(task["text"]), task.get("theory")
    if notation is not None:
        given = {"name": f"input{_SUFFIXES[notation]}", "text": task["text"]}
    theory = theory_of({"theory": given})
    if not isinstance(given, dict):
        return {"name": theory.name, "theory": given or theory.name, "text": None}
    file = Path(given["name"]).name
    return {"name": Path(theory.name).stem, "theory": file, "text": given["text"]}


def train(task: Value, tell: Tell) -> Value:
    """Trains a theory, `theory` its name or that of a file with the text `text`, in a new run."""
    from threesil.learn.train import train

    theory = task["theory"]
    with tempfile.TemporaryDirectory(prefix="threesil-") as place:
        if task["text"] is not None:
            path = Path(place) / theory
            path.write_text(task["text"], encoding="utf-8", errors="replace")
            theory = str(path)
        done = train(theory, minutes=task["minutes"], out=Path(task["directory"]), **_calls(tell))
    return {"finished": done.finished}


def resume(task: Value, tell: Tell) -> Value:
    """Resumes the run in `directory`."""
    from threesil.learn.train import resume

    return {"finished": resume(Path(task["directory"]), **_calls(tell)).finished}


def _calls(tell: Tell) -> dict[str, Any]:
    """Who watches a training: the page."""
    return {
        "begin": lambda begun: tell({"what": "training", "done": begun.epoch, "total": None}),
        "progress": lambda row: tell({"what": "training", "done": row["epoch"] + 1, "total": None}),
        "listen": lambda what, done, total: tell({"what": what, "done": done, "total": total}),
        "say": lambda words: tell({"said": words}),
    }
