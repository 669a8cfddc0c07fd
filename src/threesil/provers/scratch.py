"""Directories for runs of provers, none of which is left behind.

The directory of a run is removed when the run ends; if this process is killed, by the supervisor of
the run. Should both be killed, or the machine stop, whoever runs a prover next removes it: its name
says which process made it, and that process has it locked for as long as it uses it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psutil

from threesil.work.machine import held

_NAME = re.compile(r"threesil-(\d{1,9})-\w+")


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A new directory, for as long as the context lasts."""
    _remove_abandoned(tempfile.gettempdir())
    prefix = f"threesil-{os.getpid()}-"
    with contextlib.ExitStack() as stack:
        made = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
        name = stack.enter_context(made)
        with contextlib.suppress(OSError):  # not every file system has locks
            stack.enter_context(held(name, wait=True))
        yield Path(name)


@cache
def _remove_abandoned(directory: str) -> None:
    """Looks once in the life of this process for directories whose makers are gone."""
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            name = _NAME.fullmatch(entry.name)
            if name and not psutil.pid_exists(int(name.group(1))) and _is_free(entry):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_free(entry: os.DirEntry[str]) -> bool:
    """Whether a directory is ours and nobody's lock is on it.

    A process that uses it may have a number that is unknown here, in another container.
    """
    with contextlib.suppress(OSError):
        own = os.name == "posix" and entry.stat(follow_symlinks=False).st_uid == os.getuid()
        if own and entry.is_dir(follow_symlinks=False):
            with held(entry.path, wait=False):
                return True
    return False
