"""The command line. Exit codes: 0 done, 1 not, 2 bad input or usage, 3 a tool is missing."""

from __future__ import annotations

from threesil.cli import engine, learning, proving
from threesil.cli.app import app, err
from threesil.errors import MissingTool, ThreesilError

__all__ = ["app", "main"]

proving.register(app)
engine.register(app)
learning.register(app)


def main() -> int:
    """Runs the command line; mendable errors become a message and an exit code."""
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
