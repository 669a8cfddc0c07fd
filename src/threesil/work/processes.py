"""Work in processes, which can have a limit on their memory, and may be killed at any moment.

Each is looked after by a thread that has started it, and ends with that thread, however that ends.
What it gives comes through a pipe, where certificates are checked again.
"""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Final

import psutil

from threesil.engine import Stop, Stopped
from threesil.errors import ThreesilError
from threesil.kernel.outcome import described
from threesil.work.machine import be_deaf, die_with, limit_memory, signals_wait
from threesil.work.place import TICK, Job, Make
from threesil.work.threads import Threads

_CONTEXT: Final[SpawnContext] = multiprocessing.get_context("spawn")
_STARTING: Final = threading.Lock()  # processes are started one at a time
_LOOK: Final = 1.0  # seconds between looks at what a process has used
_FULL: Final = 0.25  # of its memory: one that keeps more after an item is replaced


class Died(ThreesilError):
    """A process has ended in the middle of an item, so many seconds after it had begun.

    `code` is how it ended; None if it was killed because it ran much longer than its limit.
    """

    def __init__(self, message: str = "", seconds: float = 0.0, code: int | None = None) -> None:
        super().__init__(message)
        self.seconds, self.code = seconds, code


class Child:
    """A process with a job that `make` makes there.

    It is killed when it takes more CPU seconds or seconds for an item than it may, when it is
    stopped, and after an error. For the next item there is another one.
    """

    def __init__(
        self,
        make: Make[Any, Any],
        *,
        megabytes: int | None = None,
        cpu: float = math.inf,
        wall: float = math.inf,
    ) -> None:
        self._make, self._megabytes = make, megabytes
        self._ready = False
        self._begin: float | None = None  # of the item that it does now
        self._used = 0.0  # CPU seconds by then
        self._most_cpu, self._most_wall = cpu, wall
        self._start()

    def __call__(self, item: Any, give: Callable[[Any], None], stop: Stop) -> None:
        """Has an item done; passes on what it gives."""
        # It may have ended while nobody asked: the system may have needed its memory.
        if not self._process.is_alive() or (self._ready and self._connection.poll()):
            self.close()
            self._start()
        try:
            if not self._ready:
                self._hear(stop)
                self._ready = True
            self._begin, self._used = time.monotonic(), self._cpu_seconds()
            with suppress(OSError):  # it has ended, which is heard of next
                self._connection.send(item)
            while (message := self._hear(stop))[0] == "gives":
                give(message[1])
        except BaseException:
            self.close()
            raise
        finally:
            self._begin = None
        if message[1]:  # it is full
            self.close()
            self._start()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def close(self) -> None:
        """Kills it, whatever it does."""
        self._process.kill()
        self._process.join()
        self._connection.close()

    def _start(self) -> None:
        with _STARTING:
            self._connection, theirs = _CONTEXT.Pipe()
            arguments = (theirs, self._make, self._megabytes, os.getpid())
            self._process: SpawnProcess = _CONTEXT.Process(
                target=_serve, args=arguments, daemon=True
            )
            with signals_wait():
                self._process.start()
            theirs.close()
        self._ready = False

    def _hear(self, stop: Stop) -> tuple[str, Any]:
        """The next message: it is `ready`, `gives` something, or is `done` with the item."""
        look = time.monotonic() + _LOOK
        while not stop.is_set() and not self._connection.poll(TICK):
            if self._begin is not None and time.monotonic() > look:
                self._check(time.monotonic() - self._begin)
                look = time.monotonic() + _LOOK
        if stop.is_set():
            raise Stopped
        try:
            kind, value = self._connection.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            took = 0.0 if self._begin is None else time.monotonic() - self._begin
            raise Died(f"its process ended with code {code}", took, code) from None
        if kind == "failed":
            raise value
        return kind, value

    def _check(self, took: float) -> None:
        if took > self._most_wall or self._cpu_seconds() - self._used > self._most_cpu:
            raise Died(f"it ran for {took:.0f} seconds, much longer than its limit", took)

    def _cpu_seconds(self) -> float:
        try:
            times = psutil.Process(self.pid).cpu_times()
        except psutil.Error:
            return 0.0  # it has ended, which is heard of next
        return float(times.user + times.system)


class Processes(Threads):
    """So many processes, with so many megabytes each beyond what they begin with.

    One that an item has taken longer than `wall` seconds is killed; so is one whose item is
    stopped. Another takes its place.
    """

    ahead = 1

    def __init__(self, count: int, *, megabytes: int | None = None, wall: float = math.inf) -> None:
        super().__init__(count)
        self._megabytes, self._wall = megabytes, wall

    def worker(self, make: Make[Any, Any]) -> Job[Any, Any]:
        return Child(make, megabytes=self._megabytes, wall=self._wall)

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the processes that are there now."""
        workers = [worker for worker in self.workers if isinstance(worker, Child)]
        return tuple(worker.pid for worker in workers if worker.pid is not None)


def _serve(connection: Connection, make: Make[Any, Any], most: int | None, parent: int) -> None:
    """What the process does: the job, until nobody asks any more."""
    be_deaf()
    die_with(parent)
    with suppress(OSError):
        os.dup2(2, 1)  # what anything prints is no answer
    try:
        do = make()
        full = math.inf
        if most is not None:
            limit_memory(most)
            full = psutil.Process().memory_info().rss + _FULL * most * 2**20
        connection.send(("ready", None))
        while True:
            try:
                item = connection.recv()
            except EOFError:
                return
            do(item, lambda value: connection.send(("gives", value)), Stop())
            connection.send(("done", _is_over(full)))
    except Exception as error:
        connection.send(("failed", portable(error)))


def _is_over(full: float) -> bool:
    """Whether the process keeps so many bytes that it should be replaced."""
    process = psutil.Process()
    if process.memory_info().rss > full:
        gc.collect()
    return process.memory_info().rss > full


def portable(error: Exception) -> Exception:
    """The error, or another one that can travel and says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return ThreesilError(described(error))
    return error
