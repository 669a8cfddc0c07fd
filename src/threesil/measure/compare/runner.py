"""Trying systems on problems: each attempt in a process of its own, several at a time.

A *lane* is a thread with one worker process for each system; a lane does one attempt at a time,
so with one lane for each core an attempt has a core to itself. The processes keep what is slow to
make, share no interpreter lock, and may be killed at any moment: by an interruption, when they go
on long after the limit, or by the system when memory runs out. They end when their parent does.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from queue import Empty, Queue
from typing import Final, Protocol

import psutil

from threesil.errors import ThreesilError
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.measure.compare.worker import Conditions, serve
from threesil.measure.results import Row, row_of

_CONTEXT: Final[SpawnContext] = multiprocessing.get_context("spawn")
_STARTING: Final = threading.Lock()  # processes are started one at a time
_START: Final = 120.0  # seconds that a worker may take to start
_STOP: Final = 2.0  # seconds that workers have to stop by themselves
_TICK: Final = 0.1  # seconds between looks at the stop flag
_LOOK: Final = 1.0  # seconds between looks at what a worker has used


class Stop(Protocol):
    """What ends a run from another thread."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True)
class Job:
    """A problem for a system; `theory` is that of the problem, where it is not everyone's."""

    system: str
    problem: Problem
    theory: Theory | None = None


def run(
    jobs: Sequence[Job],
    conditions: Conditions,
    *,
    workers: int = 1,
    stop: Stop | None = None,
) -> Generator[tuple[str, Row], None, None]:
    """(system, row) as they come. Closing the generator stops everything, and so does `stop`."""
    waiting = iter(jobs)
    lock = threading.Lock()
    found: Queue[tuple[str, Row] | BaseException] = Queue()
    lanes = [Lane(conditions) for _ in range(max(1, min(workers, len(jobs))))]

    def take() -> Job | None:
        with lock:
            return next(waiting, None)

    def work(lane: Lane) -> None:
        try:
            while not lane.stopped and (job := take()) is not None:
                outcome = lane.solve(job)
                if outcome is not None:
                    found.put((job.system, row_for(job, outcome, conditions)))
        except BaseException as error:
            found.put(error)

    threads = [threading.Thread(target=work, args=(lane,), daemon=True) for lane in lanes]
    for thread in threads:
        thread.start()
    try:
        for _ in jobs:
            row = _next(found, stop)
            if row is None:
                return
            if isinstance(row, BaseException):
                raise row
            yield row
    finally:
        for lane in lanes:
            lane.stopped = True
        with _STARTING:  # from now on no lane starts a worker
            processes = [worker.process for lane in lanes for worker in lane.workers.values()]
        _end(processes)
        for thread in threads:
            thread.join(_STOP)


def _next(
    found: Queue[tuple[str, Row] | BaseException], stop: Stop | None
) -> tuple[str, Row] | BaseException | None:
    """The next of the queue, None once `stop` is set."""
    while stop is None or not stop.is_set():
        try:
            return found.get(timeout=_TICK)
        except Empty:
            continue
    return None


@dataclass(frozen=True)
class _Worker:
    process: SpawnProcess
    connection: Connection


def row_for(job: Job, outcome: Outcome, conditions: Conditions) -> Row:
    """The row of a job; an outcome that shows something else is refused."""
    return row_of(outcome, job.theory or conditions.theory, job.problem)


class Lane:
    """Does one attempt at a time, in a process for each system."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.workers: dict[str, _Worker] = {}
        self.stopped = False

    def solve(self, job: Job) -> Outcome | None:
        """What came of it, or None if the lane was stopped meanwhile."""
        worker = None
        begin = time.perf_counter()
        try:
            worker = self.workers.get(job.system) or self._start(job.system)
            begin = time.perf_counter()
            worker.connection.send((job.problem, job.theory))
            outcome = self._wait(worker)
            if outcome is not None:
                if outcome.status is SZS.RESOURCE_OUT:  # it may be too full to go on
                    self._end(job.system)
                return outcome
            status, reason = SZS.TIMEOUT, "it went on long after its limit"
        except (EOFError, OSError):
            status, reason = SZS.RESOURCE_OUT, "its process was killed"
        if self.stopped:
            return None
        took = round(time.perf_counter() - begin, 6)
        if worker is None:
            raise ThreesilError(f"the process for {job.system} did not start")
        self._end(job.system)
        if status is SZS.RESOURCE_OUT and worker.process.exitcode != -signal.SIGKILL:
            status, reason = SZS.ERROR, f"its process ended with code {worker.process.exitcode}"
        return Outcome(job.problem, status, took, took, by=job.system, reason=reason)

    def _wait(self, worker: _Worker) -> Outcome | None:
        """What a worker answers; None if it goes on long after the limit.

        No system should come to that: each keeps its limit itself.
        """
        watched = psutil.Process(worker.process.pid)
        first = _cpu_seconds(watched)
        begin = time.perf_counter()
        while not worker.connection.poll(_LOOK):
            used = _cpu_seconds(watched) - first
            if used > self.conditions.most_cpu:
                return None
            if time.perf_counter() - begin > self.conditions.most_wall:
                return None
        outcome = worker.connection.recv()
        assert isinstance(outcome, Outcome)
        return outcome

    def _end(self, system: str) -> None:
        _end([self.workers.pop(system).process])

    def _start(self, system: str) -> _Worker:
        with _STARTING:
            if self.stopped:
                raise EOFError
            ours, theirs = _CONTEXT.Pipe()
            arguments = (theirs, system, self.conditions, os.getpid())
            process = _CONTEXT.Process(target=serve, args=arguments, daemon=True)
            process.start()
            theirs.close()
            worker = self.workers[system] = _Worker(process, ours)
        if not ours.poll(_START):
            raise ThreesilError(f"the process for {system} does not answer")
        ours.recv()
        return worker


def _cpu_seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error as error:  # it has ended
        raise EOFError from error
    return float(times.user + times.system)


def _end(processes: Sequence[SpawnProcess]) -> None:
    for process in processes:
        process.terminate()
    end = time.perf_counter() + _STOP
    for process in processes:
        process.join(max(0.0, end - time.perf_counter()))
        if process.is_alive():
            process.kill()
            process.join()
