"""Running another program under limits, and ending it with all that it started.

The program gets a session of its own, so that a signal reaches the whole group. While it runs,
/proc is looked at now and then for what all of its processes together have used; as a second
line, a shell has set the kernel's limits for each of them, somewhat above. At the end the group is
told to end (SIGTERM), then killed; processes that have left the group are found by a mark in their
environment. Its output is kept up to a limit: the first part and the last.
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
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

HEAD = 1 << 20  # bytes of output kept from its beginning
TAIL = 3 << 20  # and from its end
_MARK = "THREESIL_RUN"
_TICK = 0.05  # seconds between looks at the clock and at the stop event
_LOOK = 0.25  # seconds, at most, between looks at /proc
_GRACE = 0.5  # seconds between SIGTERM and SIGKILL
_SPARE = 2  # seconds of processor time that the kernel allows beyond the limit
_SPARE_MEGABYTES = 512  # of memory, for each process
_LIMITS = (
    'ulimit -S -t "$1" 2>/dev/null; ulimit -H -t "$2" 2>/dev/null; '
    'ulimit -d "$3" 2>/dev/null; ulimit -c 0; shift 3; exec "$@"'
)


class Cause(Enum):
    """Why a process ended."""

    EXIT = "exit"
    SECONDS = "seconds"
    MEMORY = "memory"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Ended:
    """How a process ended. `code` is its exit code, or the number of a signal, negative."""

    cause: Cause
    code: int
    output: str
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Limits:
    """At most so much wall time, processor time and memory, all processes together."""

    seconds: float
    cpu_seconds: float
    megabytes: int


def run_process(
    command: Sequence[str | Path],
    limits: Limits,
    *,
    directory: Path,
    stop: threading.Event | None = None,
) -> Ended:
    """Runs a program in a directory, which is also where it puts temporary files.

    Whatever happens, none of its processes is left when this returns or raises.
    """
    mark = uuid.uuid4().hex
    environment = {**os.environ, _MARK: mark, "TMPDIR": str(directory), "LC_ALL": "C"}
    cpu = math.ceil(limits.cpu_seconds)
    memory = (limits.megabytes + _SPARE_MEGABYTES) * 1024
    numbers = (cpu + _SPARE, cpu + 2 * _SPARE, memory)
    shell = ["/bin/sh", "-c", _LIMITS, "sh", *map(str, numbers), *map(str, command)]
    begin = time.monotonic()
    process = None
    try:
        process = subprocess.Popen(
            shell,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        return _Watch(process, limits, begin, stop).run()
    finally:
        if process is not None:
            _kill_all(process, mark)


class _Watch:
    """One run: reads the output, watches the limits, ends the group."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        limits: Limits,
        begin: float,
        stop: threading.Event | None,
    ) -> None:
        assert process.stdout is not None
        self.process = process
        self.limits = limits
        self.begin = begin
        self.stop = stop
        self.output = _Clipped()
        self.pipe = process.stdout.fileno()
        self.open = True
        self.cpu = 0.0
        os.set_blocking(self.pipe, False)

    def run(self) -> Ended:
        cause = self.watch()
        if cause is not Cause.EXIT:
            self.cpu = max(self.cpu, _usage(self.process.pid)[0])
            self.end()
        self.drain()
        _signal_group(self.process.pid, signal.SIGKILL)  # before its number can be given again
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.drain()
        return Ended(
            cause,
            self.process.returncode,
            self.output.text(),
            time.monotonic() - self.begin,
            max(self.cpu, used.ru_utime + used.ru_stime),
        )

    def watch(self) -> Cause:
        look = self.begin + _TICK
        with selectors.DefaultSelector() as selector:
            selector.register(self.pipe, selectors.EVENT_READ)
            while not self.has_ended():
                now = time.monotonic()
                if self.stop is not None and self.stop.is_set():
                    return Cause.STOPPED
                if now >= self.begin + self.limits.seconds:
                    return Cause.SECONDS
                if now >= look:
                    self.cpu, megabytes = _usage(self.process.pid)
                    if self.cpu >= self.limits.cpu_seconds:
                        return Cause.SECONDS
                    if megabytes > self.limits.megabytes:
                        return Cause.MEMORY
                    left = self.limits.cpu_seconds - self.cpu
                    look = now + min(_LOOK, max(_TICK / 2, left / 2))
                wait = min(_TICK, self.begin + self.limits.seconds - now)
                if not self.open:  # it is about to end
                    time.sleep(max(min(wait, _TICK / 10), 0))
                elif selector.select(wait):
                    self.read()
                    if not self.open:
                        selector.unregister(self.pipe)
        return Cause.EXIT

    def has_ended(self) -> bool:
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, flags) is not None

    def end(self) -> None:
        """Asks the group to end, and waits a moment for it."""
        _signal_group(self.process.pid, signal.SIGTERM)
        deadline = time.monotonic() + _GRACE
        while not self.has_ended() and time.monotonic() < deadline:
            self.drain()
            time.sleep(_TICK / 5)

    def read(self) -> bool:
        """Takes in what is there; whether there was something."""
        try:
            data = os.read(self.pipe, 1 << 16)
        except BlockingIOError:
            return False
        self.open = bool(data)
        self.output.add(data)
        return self.open

    def drain(self) -> None:
        most = (HEAD + TAIL) >> 16  # a process outside the group might write for ever
        while self.open and most and self.read():
            most -= 1


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


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _kill_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kills what is left: the group if it has not been waited for, and whoever has the mark."""
    if process.returncode is None:
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
    deadline = time.monotonic() + 2 * _GRACE
    while time.monotonic() < deadline:
        left = [pid for pid in _processes() if _has_mark(pid, mark)]
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_TICK / 5)


def _processes() -> Iterator[int]:
    with contextlib.suppress(OSError):
        yield from (int(name) for name in os.listdir("/proc") if name.isdigit())


def _has_mark(pid: int, mark: str) -> bool:
    try:
        return f"{_MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def _usage(session: int) -> tuple[float, float]:
    """(processor seconds, megabytes) of all processes of a session."""
    ticks = pages = 0
    for pid in _processes():
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            continue
        fields = stat[stat.rindex(b")") + 2 :].split()  # from the third field of proc(5)
        if int(fields[3]) == session:
            ticks += sum(int(field) for field in fields[11:15])
            pages += int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / 2**20
