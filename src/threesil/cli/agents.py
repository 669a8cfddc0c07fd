"""The command mcp: a server for agents."""

from __future__ import annotations

import os
import signal
from typing import Annotated

import typer

from threesil.errors import MissingTool
from threesil.work.machine import ENDINGS


def mcp(
    seconds: Annotated[
        float, typer.Option(min=0.1, help="CPU time that a call may take at most for a goal.")
    ] = 60.0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Searches at a time.")] = 2,
    memory: Annotated[int, typer.Option(min=256, help="Megabytes of a search at most.")] = 2048,
) -> None:
    """Serve agents: prove, refute, check and export as tools (Model Context Protocol).

    An agent's program starts this command and talks to it by standard input and output. Nothing
    is called proved that the kernel has not checked, and no file is read.

      threesil mcp --seconds 10

    In the settings of such a program:

      {"mcpServers": {"threesil": {"command": "threesil", "args": ["mcp"]}}}
    """
    try:
        from threesil.web.agents import make_server
    except ImportError as error:
        raise MissingTool(
            f"{error.name} is not installed; try: pip install 'threesil[mcp]'"
        ) from None
    # A thread waits for the agent's next line, and can't be interrupted. There is nothing to keep,
    # and the workers end with this process.
    for number in ENDINGS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: os._exit(128 + number))
    make_server(seconds=seconds, workers=workers, megabytes=memory).run("stdio")


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(mcp)
