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


def command(*arguments: object) -> list[str]:
    """The command line of an interpreter of its own."""
    return [sys.executable, "-m", "threesil", *map(str, arguments)]


def threesil(
    *arguments: object, given: str | None = None, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What the command says, in an interpreter of its own; `given` is its standard input."""
    return subprocess.run(
        command(*arguments),
        input=given,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "", "FORCE_COLOR": "", **environment},
    )
