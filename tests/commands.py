"""The command as tests run it: in an interpreter of its own, with nothing but plain text."""

from __future__ import annotations

import os
import subprocess
import sys


def threesil(
    *arguments: object, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What the command says; `given` is its standard input."""
    command = [sys.executable, "-m", "threesil", *map(str, arguments)]
    settings = {**os.environ, "NO_COLOR": "", "FORCE_COLOR": "", **environment}
    return subprocess.run(
        command, input=given, capture_output=True, text=True, check=False, env=settings
    )
