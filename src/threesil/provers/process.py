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
import selectors
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
    if not LINUX:
        return _run_plainly(command, allowance, directory, stop)
    cpu = math.ceil(allowance.cpu_seconds) + _SPARE
    numbers = (os.getpid(), cpu, _SPARE, allowance.megabytes + _SPARE_MEGABYTES)
    begin = time.monotonic()
    process = subprocess.Popen(
        [_supervisor(), *map(str, numbers), str(directory), *map(str, command)],
        cwd=directory,
        env={**os.environ, "TMPDIR": str(directory), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a terminal's signals are for us
    )
    try:
        return _Watch(process, allowance, begin, stop).run()
    finally:
        if process.returncode is None:
            os.kill(process.pid, signal.SIGINT)
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _run_plainly(
    command: Sequence[str | Path], allowance: Allowance, directory: Path, stop: Stop | None
) -> Ended:
    """The same without a supervisor."""
    begin, output, cpu_seconds, cause = time.monotonic(), _Clipped(), 0.0, Cause.EXIT
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=directory,
        env={**os.environ, "TMPDIR": str(directory), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )

    assert process.stdout is not None
    pipe = process.stdout.fileno()

    def read() -> None:
        while data := os.read(pipe, 1 << 16):
            output.add(data)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        while process.poll() is None and cause is Cause.EXIT:
            spent, megabytes = usage(process.pid)
            cpu_seconds = max(cpu_seconds, spent)
            if stop is not None and stop.is_set():
                cause = Cause.STOPPED
            elif cpu_seconds >= allowance.cpu_seconds or passed(begin) >= allowance.seconds:
                cause = Cause.SECONDS
            elif megabytes > allowance.megabytes:
                cause = Cause.MEMORY
            else:
                time.sleep(_TICK)
    finally:
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(process.pid).children(recursive=True)
            process.kill()  # first, so that it says nothing of their ends
            for child in children:
                child.kill()
            psutil.wait_procs(children, _END)
        process.wait()
        reader.join(_END)
        process.stdout.close()
    return Ended(cause, process.returncode, output.text(), passed(begin), cpu_seconds)


def passed(begin: float) -> float:
    """Seconds by the wall clock since then."""
    return time.monotonic() - begin


@cache
def _supervisor() -> str:
    """The supervisor's program, which is installed beside the native core."""
    return str(distribution("threesil").locate_file("threesil/supervise"))


class _Watch:
    """One run: reads the output, watches the limits, ends it."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        allowance: Allowance,
        begin: float,
        stop: Stop | None,
    ) -> None:
        assert process.stdout is not None
        self.process = process
        self.allowance = allowance
        self.begin = begin
        self.stop = stop
        self.output = _Clipped()
        self.pipe = process.stdout.fileno()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.pipe, selectors.EVENT_READ)

    def run(self) -> Ended:
        with self.selector:
            cause = self.watch()
            if cause is not Cause.EXIT:
                os.kill(self.process.pid, signal.SIGTERM)
                deadline = time.monotonic() + _END
                while (left := deadline - time.monotonic()) > 0 and self.read(left):
                    pass
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(
            cause,
            self.process.returncode,
            self.output.text(),
            passed(self.begin),
            used.ru_utime + used.ru_stime,
        )

    def watch(self) -> Cause:
        """Waits for the end of the output, which is the supervisor's end."""
        end = self.begin + self.allowance.seconds
        look = self.begin + _TICK
        while True:
            now = time.monotonic()
            if self.stop is not None and self.stop.is_set():
                return Cause.STOPPED
            if now >= end:
                return Cause.SECONDS
            if now >= look:
                cpu_seconds, megabytes = usage(self.process.pid)
                if cpu_seconds >= self.allowance.cpu_seconds:
                    return Cause.SECONDS
                if megabytes > self.allowance.megabytes:
                    return Cause.MEMORY
                left = self.allowance.cpu_seconds - cpu_seconds
                look = now + min(_LOOK, max(_TICK / 2, left / 2))
            if not self.read(min(_TICK, end - now)):
                return Cause.EXIT

    def read(self, seconds: float) -> bool:
        """Takes in what comes within that time; False at the end of the output."""
        if not self.selector.select(seconds):
            return True
        data = os.read(self.pipe, 1 << 16)
        self.output.add(data)
        return bool(data)


class _Clipped:
    """Bytes of which the first and the last are kept."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail: deque[bytes] = deque()
        self.length = 0  # of the tail
        self.dropped = 0

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
