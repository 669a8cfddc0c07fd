"""The command line. Exit codes: 0 done, 1 not, 2 bad input or usage, 3 a tool is missing."""

from __future__ import annotations

import atexit
import gc
import io
import signal
import sys
from importlib import import_module
from typing import Final

from threesil.cli.app import app, err, visible
from threesil.cli.help import Group
from threesil.errors import MissingTool, ThreesilError
from threesil.work.machine import ENDINGS

__all__ = ["app", "main"]

# The commands in groups, in the order of the help, with the modules that add them.
GROUPS: Final = {
    "Prove": {
        "prove": "proving",
        "show": "showing",
        "check": "checking",
        "export": "checking",
        "shorten": "shortening",
        "lemmas": "lemmas",
    },
    "Learn": {"train": "learning", "runs": "learning", "plot": "learning"},
    "Measure": {
        "evaluate": "evaluating",
        "compare": "comparing",
        "reproduce": "reproducing",
        "bench": "bench",
    },
    "What there is": {
        "theories": "theories",
        "problems": "problems",
        "data": "data",
        "provers": "provers",
    },
    "For browsers and agents": {"serve": "serving", "mcp": "agents"},
}

# Words that options had before; they work, and the message says what is meant now.
_RENAMED: Final = {"--mode": "--solver", "--model": "--weights", "--systems": "--solvers"}

_registered: Final[set[str]] = set()
Group.groups = {title: tuple(commands) for title, commands in GROUPS.items()}


def register(command: str | None = None) -> None:
    """Adds the commands; where one is named, no module but its own is loaded."""
    modules = {name: module for group in GROUPS.values() for name, module in group.items()}
    if command == "--version":
        return
    for module in [modules[command]] if command in modules else modules.values():
        if module not in _registered:
            _registered.add(module)
            import_module(f"threesil.cli.{module}").register(app)


def main() -> int:
    """Runs the command line; mendable errors become a message and an exit code."""
    # What large modules like PyTorch hold is freed with the process: to look for it takes a second.
    atexit.register(gc.freeze)
    # As Ctrl-C does, so that nothing is lost, and nothing that was started is left behind.
    ended = [int(signal.SIGINT)]

    def end(number: int, _: object) -> None:
        ended.append(number)
        raise KeyboardInterrupt

    for number in ENDINGS[1:]:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            signal.signal(number, end)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what it can't write becomes a question mark
            stream.reconfigure(errors="replace")
    try:
        sys.argv[1:] = [_renamed(word) for word in sys.argv[1:]]
        register(next(iter(sys.argv[1:]), None))
        app(standalone_mode=True)
    except KeyboardInterrupt:  # while modules are loaded; all else is interrupted in the command
        return 128 + ended[-1]
    except SystemExit as error:
        if error.code != 128 + signal.SIGINT:
            raise
        return 128 + ended[-1]
    except MissingTool as error:
        return _complain(str(error), 3)
    except ThreesilError as error:
        return _complain(str(error), 2)
    except MemoryError:
        return _complain("there is not enough memory for this", 1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}", 1)
    return 0


def _renamed(word: str) -> str:
    option, equals, value = word.partition("=")
    if option not in _RENAMED:
        return word
    err.print(f"threesil: {option} is called {_RENAMED[option]} now", style="yellow", markup=False)
    return f"{_RENAMED[option]}{equals}{value}"


def _complain(message: str, code: int) -> int:
    err.print("threesil:", visible(message, keep="\n\t"), style="red", markup=False)
    return code
