"""What a process of the page does: tasks, whose answers leave it as JSON.

For each task it gives the task's messages on the way (`say`), and at last its result (`done`)
or what is wrong with it (`wrong`).
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from threesil.engine import Stop
from threesil.errors import InputError, ThreesilError
from threesil.notations.reading.tptp import forbid_includes
from threesil.web.tasks import TASKS
from threesil.work.machine import be_nice


class Worker:
    """Does the tasks of a page; `ready` makes ready what most of them need."""

    def __init__(self, *, niceness: int = 0, ready: Callable[[], None] | None = None) -> None:
        forbid_includes()
        be_nice(niceness)
        if ready is not None:
            with suppress(ThreesilError):
                ready()

    def __call__(self, task: dict[str, Any], give: Callable[[bytes], None], stop: Stop) -> None:
        def write(key: str, value: dict[str, Any]) -> None:
            # Halves of surrogate pairs, which JSON can say and no text can hold, become `?`.
            give(json.dumps({key: value}, ensure_ascii=False).encode(errors="replace"))

        try:
            write("done", TASKS[task["task"]](task, lambda value: write("say", value)))
        except InputError as error:
            hidden = task.get("weights") or task.get("directory")
            write("wrong", error_view(error, hidden or "\0"))
        except ThreesilError as error:
            write("wrong", {"message": str(error)})
        except MemoryError:
            raise  # it would be of no more use
        except RecursionError:
            write("wrong", {"message": "this is nested too deeply"})
        except Exception:
            traceback.print_exc()
            write("wrong", {"message": "something went wrong; the server's terminal says more"})


def error_view(error: InputError, hidden: str) -> dict[str, Any]:
    """An error with its place, and the text under which a caret can stand; a path is hidden."""
    shown = str(error).splitlines()
    return {
        "message": error.message.replace(hidden, "the run"),
        "line": error.line,
        "column": error.column,
        "shown": shown[-2:] if error.text is not None and error.column is not None else [],
    }
