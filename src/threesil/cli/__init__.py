"""The command line. Exit codes: 0 done, 1 not, 2 bad input or usage, 3 a tool is missing."""

from __future__ import annotations

import signal
import sys

from threesil.cli import comparing, engine, learning, problems, provers, proving, showing
from threesil.cli.app import app, err
from threesil.errors import MissingTool, ThreesilError

__all__ = ["app", "main"]

proving.register(app)
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
        err.print(f"threesil: {error}", style="red", markup=False)
        return 3
    except ThreesilError as error:
        err.print(f"threesil: {error}", style="red", markup=False)
        return 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        err.print(f"threesil: {where}{error.strerror or error}", style="red", markup=False)
        return 1
    return 0
