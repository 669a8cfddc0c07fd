"""A process that does the tasks of a page: `python -m threesil.web.worker`.

Tasks come on standard input, a JSON object a line; for each, lines go to standard output: what it
tells on the way (`say`), and at last what it gives (`done`) or what is wrong with it (`wrong`).
A line with `last` is the last of the process.
The process dies with its parent, keeps its memory below a limit, and leaves room for others.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from typing import IO, Any

import psutil

from threesil.errors import InputError, ThreesilError
from threesil.notations.reading.tptp import forbid_includes
from threesil.web.tasks import TASKS
from threesil.work.machine import be_nice, die_with, limit_memory

_TIRED = 600 * 2**20  # bytes of memory after which a process is replaced


def main(parent: int, megabytes: int, niceness: int) -> None:
    die_with(parent)
    forbid_includes()
    lines = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints by mistake is no answer
    be_nice(niceness)
    limit_memory(megabytes)
    for line in sys.stdin.buffer:
        if not _do(json.loads(line), lines):
            return


def _do(task: dict[str, Any], lines: IO[bytes]) -> bool:
    """Does a task; whether the process will do others. If not, its last line says so."""

    def write(value: dict[str, Any]) -> None:
        # Halves of surrogate pairs, which JSON can say and no text can hold, become question marks.
        lines.write(json.dumps(value, ensure_ascii=False).encode(errors="replace") + b"\n")
        lines.flush()

    try:
        given = TASKS[task["task"]](task, lambda value: write({"say": value}))
        tired = _is_tired()
        write({"done": given, "last": tired})
        return not tired
    except InputError as error:
        write({"wrong": error_view(error, task.get("weights") or "\0")})
    except ThreesilError as error:
        write({"wrong": {"message": str(error)}})
    except MemoryError:
        given = {"message": "this needs more memory than a task may have"}
        write({"wrong": given, "last": True})
        return False
    except RecursionError:
        write({"wrong": {"message": "this is nested too deeply"}})
    except Exception:
        traceback.print_exc()
        write({"wrong": {"message": "something went wrong; the server's terminal says more"}})
    return True


def _is_tired() -> bool:
    """Whether the process has so much memory that it should be replaced."""
    process = psutil.Process()
    if process.memory_info().rss > _TIRED:
        gc.collect()
    return process.memory_info().rss > _TIRED


def error_view(error: InputError, hidden: str) -> dict[str, Any]:
    """An error with its place, and the text under which a caret can stand; a path is hidden."""
    shown = str(error).splitlines()
    return {
        "message": error.message.replace(hidden, "the run"),
        "line": error.line,
        "column": error.column,
        "shown": shown[-2:] if error.text is not None and error.column is not None else [],
    }


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
