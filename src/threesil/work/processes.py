"""What a process that works for another does first: it dies with it, and limits its memory."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from typing import Final

import psutil

_PR_SET_PDEATHSIG: Final = 1  # of prctl(2): the signal that a process gets when its parent ends


def die_with(parent: int) -> None:
    """Has the kernel kill this process when its parent ends, however that ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it had ended before
        os._exit(1)


def limit_memory(megabytes: int) -> None:
    """Allows so much more memory than the process has now."""
    most = psutil.Process().memory_info().vms + megabytes * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
