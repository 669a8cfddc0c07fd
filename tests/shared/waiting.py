"""Waiting for what other threads and processes do, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil

HANG = 120.0  # seconds of the clock, after which nothing will happen any more


def wait_until(true: Callable[[], object], what: str = "it never came true") -> None:
    """Waits until `true()` holds."""
    end = time.monotonic() + HANG
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def wait_for_work(pid: int, seconds: float = 0.2) -> None:
    """Waits until a process and its threads have used so much more CPU time."""
    process = psutil.Process(pid)
    begin = sum(process.cpu_times()[:2])
    wait_until(lambda: sum(process.cpu_times()[:2]) - begin >= seconds, "it does not work")


def wait_for_threads(seconds: float = 0.1) -> None:
    """Waits until the other threads of this process have used so much more CPU time."""

    def used() -> float:
        return time.process_time() - time.thread_time()

    begin = used()
    wait_until(lambda: used() - begin >= seconds, "they do not work")
