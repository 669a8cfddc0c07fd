"""Trying systems on problems: each attempt in a process of its own, several at a time.

A *lane* is a thread with one worker process for each system; a lane does one attempt at a time,
so with one lane for each core an attempt has a core to itself. The processes keep what is slow to
make, share no interpreter lock, and may be killed at any moment: by an interruption, when they
don't answer long after the limit, or by the system when memory runs out.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
import sys
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from queue import Queue
from typing import Final

from threesil.compare.results import Row
from threesil.compare.systems import WALL, make_system
from threesil.errors import ThreesilError
from threesil.provers import MEMORY
from threesil.theory import Problem

_CONTEXT: Final[SpawnContext] = multiprocessing.get_context("spawn")
_STARTING: Final = threading.Lock()  # processes are started one at a time
_START: Final = 120.0  # seconds that a worker may take to start
_STOP: Final = 2.0  # seconds that workers have to stop by themselves

Job = tuple[Problem, str]


@dataclass(frozen=True)
class Limits:
    """What every attempt gets: seconds of CPU time, and megabytes."""

    seconds: float
    memory: int = MEMORY

    @property
    def patience(self) -> float:
        """Seconds after which a worker that has not answered is killed.

        No system should need it: each keeps its limit itself.
        """
        return 2 * WALL * self.seconds + 30


def run(
    jobs: Sequence[Job],
    theory: str | Path,
    limits: Limits,
    *,
    workers: int = 1,
    model: str | None = None,
) -> Generator[Row, None, None]:
    """Rows as they come. Closing the generator stops everything."""
    waiting = iter(jobs)
    lock = threading.Lock()
    rows: Queue[Row | BaseException] = Queue()
    lanes = [_Lane(theory, limits, model) for _ in range(max(1, min(workers, len(jobs))))]

    def take() -> Job | None:
        with lock:
            return next(waiting, None)

    def work(lane: _Lane) -> None:
        try:
            while not lane.stopped and (job := take()) is not None:
                row = lane.solve(*job)
                if row is not None:
                    rows.put(row)
        except BaseException as error:
            rows.put(error)

    threads = [threading.Thread(target=work, args=(lane,), daemon=True) for lane in lanes]
    for thread in threads:
        thread.start()
    try:
        for _ in jobs:
            row = rows.get()
            if isinstance(row, BaseException):
                raise row
            yield row
    finally:
        for lane in lanes:
            lane.stopped = True
        with _STARTING:  # from now on no lane starts a worker
            processes = [worker.process for lane in lanes for worker in lane.workers.values()]
        _stop(processes)
        for thread in threads:
            thread.join(_STOP)


@dataclass(frozen=True)
class _Worker:
    process: SpawnProcess
    connection: Connection


class _Lane:
    def __init__(self, theory: str | Path, limits: Limits, model: str | None) -> None:
        self.theory = theory
        self.limits = limits
        self.model = model
        self.workers: dict[str, _Worker] = {}
        self.stopped = False

    def solve(self, problem: Problem, system: str) -> Row | None:
        """A row, or None if the lane was stopped meanwhile."""
        begin = time.perf_counter()
        worker = None
        try:
            worker = self.workers.get(system) or self._start(system)
            begin = time.perf_counter()
            worker.connection.send((problem, self.limits.seconds))
            if worker.connection.poll(self.limits.patience):
                row = worker.connection.recv()
                assert isinstance(row, Row)
                if row.status == "ResourceOut":  # what is left of it may be too full to go on
                    self._end(system)
                return row
            status = "Timeout"
        except (EOFError, OSError):
            status = "ResourceOut"
        if self.stopped:
            return None
        took = round(time.perf_counter() - begin, 6)
        if worker is None:
            raise ThreesilError(f"the process for {system} did not start")
        self._end(system)
        if status == "ResourceOut" and worker.process.exitcode != -signal.SIGKILL:
            status = "Error"
        return Row(system, problem.name, status, took, took)

    def _end(self, system: str) -> None:
        _stop([self.workers.pop(system).process])

    def _start(self, system: str) -> _Worker:
        with _STARTING:
            if self.stopped:
                raise EOFError
            ours, theirs = _CONTEXT.Pipe()
            arguments = (theirs, system, self.theory, self.limits.memory, self.model)
            process = _CONTEXT.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            theirs.close()
            worker = self.workers[system] = _Worker(process, ours)
        if not ours.poll(_START):
            raise ThreesilError(f"the process for {system} does not answer")
        ours.recv()
        return worker


def _stop(processes: Sequence[SpawnProcess]) -> None:
    for process in processes:
        process.terminate()
    end = time.perf_counter() + _STOP
    for process in processes:
        process.join(max(0.0, end - time.perf_counter()))
        if process.is_alive():
            process.kill()
            process.join()


def _serve(
    connection: Connection, spec: str, theory: str | Path, memory: int, model: str | None
) -> None:
    """What a worker does: answers problems with rows until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    system = make_system(spec, theory, memory, model)
    if system.in_process:
        _limit_memory(memory)
    connection.send("ready")
    while True:
        try:
            problem, seconds = connection.recv()
        except EOFError:
            return
        connection.send(system.solve(problem, seconds))


def _limit_memory(megabytes: int) -> None:
    """Allows so much more memory than the process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + megabytes * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
