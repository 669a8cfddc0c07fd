"""Running another program under limits, and ending it with all that it started.

The program is run by a small program of ours, the *supervisor* (native/supervise.cpp). It adopts
whatever the program starts and lets go of, so the tree of processes below it is complete, and none
of them is left when it ends: when the program does, when we say so, or when we are gone ourselves,
killed or not. While it runs, psutil is asked now and then what the whole tree has used; as a second
line the supervisor has set the kernel's limits for each process, somewhat above. The output is kept
up to a limit: the first part and the last.

There is a supervisor on Linux only. Elsewhere the program is run and ended plainly, and may outlive
us if we are killed.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import psutil

from threesil.engine import Stop
from threesil.work.machine import LINUX

HEAD = 1 << 20  # bytes of output kept from its beginning
TAIL = 3 << 20  # and from its end
_TICK = 0.05  # seconds between looks at the clock and at the stop flag
_LOOK = 0.25  # seconds, at most, between looks at what the processes use
_END = 5.0  # seconds that the supervisor has for ending everything
_SPARE = 2  # seconds of processor time that the kernel allows beyond the limit
_SPARE_MEGABYTES = 512  # of memory, for each process


class Cause(Enum):
    """Why a process ended."""

    EXIT = "exit"
    SECONDS = "seconds"
    MEMORY = "memory"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Ended:
    """How a process ended. `code` is its exit code, or the number of a signal, negative.

    `cpu_seconds` are those of all processes that it started, too.
    """

    cause: Cause
    code: int
    output: str
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Allowance:
    """At most so much wall time, processor time and memory, all processes together."""

    seconds: float
    cpu_seconds: float
    megabytes: int


def run_process(
    command: Sequence[str | Path],
    allowance: Allowance,
    *,
    directory: Path,
    stop: Stop | None = None,
) -> Ended:
    """Runs a program in a directory, which is also where it puts temporary files.

    Whatever happens, none of its processes is left when this returns or raises. If this process
    is killed, the directory goes with them.
    """
    whole = [*map(str, command)]
    if LINUX:
        cpu = math.ceil(allowance.cpu_seconds) + _SPARE
        numbers = (os.getpid(), cpu, _SPARE, allowance.megabytes + _SPARE_MEGABYTES)
        whole = [_supervisor(), *map(str, numbers), str(directory), *whole]
    begin, output = time.monotonic(), _Clipped()
    process = subprocess.Popen(
        whole,
        cwd=directory,
        env={**os.environ, "TMPDIR": str(directory), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=LINUX,  # a terminal's signals are for us
    )
    assert process.stdout is not None
    reader = threading.Thread(target=output.read, args=[process.stdout.fileno()], daemon=True)
    reader.start()
    try:
        cause, cpu_seconds = _watch(process, reader, allowance, begin, stop)
        if LINUX:
            if cause is not Cause.EXIT:
                os.kill(process.pid, signal.SIGTERM)
                reader.join(_END)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu_seconds = used.ru_utime + used.ru_stime
    finally:
        if not LINUX:
            _kill(process)
        elif process.returncode is None:
            os.kill(process.pid, signal.SIGINT)
        process.wait()
        reader.join(_END)
        process.stdout.close()
    seconds = time.monotonic() - begin
    return Ended(cause, process.returncode, output.text(), seconds, cpu_seconds)


def _watch(
    process: subprocess.Popen[bytes],
    reader: threading.Thread,
    allowance: Allowance,
    begin: float,
    stop: Stop | None,
) -> tuple[Cause, float]:
    """Waits for the end: of the output, which is the supervisor's, or of the program itself.

    Also the seconds of processor time at the last look.
    """
    end, look, cpu_seconds = begin + allowance.seconds, begin + _TICK, 0.0
    while True:
        now = time.monotonic()
        if stop is not None and stop.is_set():
            return Cause.STOPPED, cpu_seconds
        if now >= end:
            return Cause.SECONDS, cpu_seconds
        if now >= look:
            spent, megabytes = usage(process.pid)
            cpu_seconds = max(cpu_seconds, spent)
            if cpu_seconds >= allowance.cpu_seconds:
                return Cause.SECONDS, cpu_seconds
            if megabytes > allowance.megabytes:
                return Cause.MEMORY, cpu_seconds
            left = allowance.cpu_seconds - cpu_seconds
            if LINUX:  # elsewhere nobody says at the end what was used
                look = now + min(_LOOK, max(_TICK / 2, left / 2))
        reader.join(min(_TICK, end - now))
        if not reader.is_alive() or (not LINUX and process.poll() is not None):
            return Cause.EXIT, cpu_seconds


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a program that has no supervisor, and what it started."""
    with contextlib.suppress(psutil.Error):
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()  # first, so that it says nothing of their ends
        for child in children:
            child.kill()
        psutil.wait_procs(children, _END)


@cache
def _supervisor() -> str:
    """The supervisor's program, which is installed beside the native core."""
    return str(distribution("threesil").locate_file("threesil/supervise"))


class _Clipped:
    """Bytes of which the first and the last are kept."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail: deque[bytes] = deque()
        self.length = 0  # of the tail
        self.dropped = 0

    def read(self, pipe: int) -> None:
        """Takes in what comes, up to the end of the output."""
        while data := os.read(pipe, 1 << 16):
            self.add(data)

    def add(self, data: bytes) -> None:
        room = HEAD - len(self.head)
        self.head += data[:room]
        rest = data[room:]
        if rest:
            self.tail.append(rest)
            self.length += len(rest)
        while self.tail and self.length - len(self.tail[0]) > TAIL:
            gone = len(self.tail.popleft())
            self.length -= gone
            self.dropped += gone

    def text(self) -> str:
        gap = f"\n... {self.dropped} bytes left out ...\n".encode() if self.dropped else b""
        return (bytes(self.head) + gap + b"".join(self.tail)).decode("utf-8", "replace")


def usage(pid: int) -> tuple[float, float]:
    """(processor seconds, megabytes) of a process and all below it.

    The times of a process include those of its children that have ended.
    """
    seconds = size = 0.0
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with contextlib.suppress(psutil.Error), process.oneshot():
                times = process.cpu_times()
                seconds += times.user + times.system
                seconds += times.children_user + times.children_system
                size += process.memory_info().rss
    return seconds, size / 2**20
