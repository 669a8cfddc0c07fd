"""The command line. Exit codes: 0 done, 1 not, 2 bad input or usage, 3 a tool is missing."""

from __future__ import annotations

import signal
import sys

from threesil.cli import (
    checking,
    comparing,
    engine,
    learning,
    problems,
    provers,
    proving,
    shortening,
    showing,
)
from threesil.cli.app import app, err, visible
from threesil.errors import MissingTool, ThreesilError

__all__ = ["app", "main"]

proving.register(app)
checking.register(app)
shortening.register(app)
problems.register(app)
provers.register(app)
engine.register(app)
learning.register(app)
comparing.register(app)
showing.register(app)


def main() -> int:
    """Runs the command line; mendable errors become a message and an exit code."""
    # As Ctrl-C does, so that nothing that was started is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        app(standalone_mode=True)
    except MissingTool as error:
        return _complain(str(error), 3)
    except ThreesilError as error:
        return _complain(str(error), 2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}", 1)
    return 0


def _complain(message: str, code: int) -> int:
    err.print("threesil:", visible(message, keep="\n\t"), style="red", markup=False)
    return code
