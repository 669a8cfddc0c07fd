"""The command as tests run it: in an interpreter of its own, or in theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Protocol

_TESTS = Path(__file__).parents[1]
# For PYTHONPATH: other interpreters import the helpers of the tests as these do.
HELPERS = os.pathsep.join([str(_TESTS), str(_TESTS / "shared")])


class Done(NamedTuple):
    """How a command ended that was run in the process of the tests."""

    code: int
    out: str
    err: str


class Run(Protocol):
    def __call__(self, *arguments: object) -> Done: ...


def threesil(
    *arguments: object, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What the command says; `given` is its standard input."""
    command = [sys.executable, "-m", "threesil", *map(str, arguments)]
    settings = {**os.environ, "NO_COLOR": "", "FORCE_COLOR": "", **environment}
    return subprocess.run(
        command, input=given, capture_output=True, text=True, check=False, env=settings
    )
