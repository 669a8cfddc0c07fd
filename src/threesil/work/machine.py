"""What differs between operating systems: signals, limits of a process, the parent's death.

All of it is complete on Linux. Elsewhere each function has a plain fallback, so that threesil
proves there too; what is then not kept is said at each.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LINUX: Final = sys.platform == "linux"
_PR_SET_PDEATHSIG: Final = 1  # of prctl(2): the signal that a process gets when its parent ends
_LOOK: Final = 1.0  # seconds between looks at the parent, where the kernel does not tell

# What ends a program that is asked to end. Windows has no SIGHUP.
ENDINGS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def die_with(parent: int) -> None:
    """Has this process killed when its parent ends, however that ends; within a second or two
    where the kernel does not do it."""
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it had ended before
            os._exit(1)
        return

    import psutil

    def watch() -> None:
        while psutil.pid_exists(parent):
            time.sleep(_LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def signals_wait() -> Iterator[None]:
    """Processes that are started in the block ignore signals that end programs, until they call
    `be_deaf`: while they start, such a signal would make a mess. Windows has no such signals."""
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # else the first process starts it, which lets signals in
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def be_deaf() -> None:
    """From now on this process does not end when others are asked to; what it starts does."""
    for number in ENDINGS:
        signal.signal(number, lambda *_: None)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)


def limit_memory(megabytes: int) -> None:
    """Allows so much more memory than the process has now; without a limit on Windows."""
    if sys.platform == "win32":
        return
    import resource

    import numpy  # noqa: F401  # it is loaded late: then there might be no room for it
    import psutil
    import safetensors  # noqa: F401

    most = psutil.Process().memory_info().vms + megabytes * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def be_nice(niceness: int) -> None:
    """Leaves room for others; all alike on Windows."""
    if sys.platform != "win32":
        os.nice(niceness)


@contextmanager
def held(directory: str, *, wait: bool) -> Iterator[None]:
    """Locks a directory; `OSError` if another process has it. Windows has no such locks."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    opened = os.open(directory, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)
