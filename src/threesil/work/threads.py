"""Jobs done in threads: the searches hold no interpreter lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from queue import Queue
from typing import Final, TypeVar

from threesil.engine import Stop

_PATIENCE: Final = 10.0  # seconds that stopped workers have to end
_J = TypeVar("_J")
_R = TypeVar("_R")


def in_threads(
    jobs: Iterator[_J],
    worker: Callable[[], Callable[[_J], Iterable[_R]]],
    workers: int,
    stop: Stop,
) -> Generator[_R, None, None]:
    """What comes of the jobs, as it comes; `worker` makes a thread's own way to do them.

    When `stop` is set, or this generator is closed, no further job is begun.
    """
    lock = threading.Lock()
    found: Queue[tuple[_R] | BaseException | None] = Queue()

    def take() -> tuple[_J] | None:
        with lock:
            return None if stop.is_set() else next(((job,) for job in jobs), None)

    def work() -> None:
        try:
            do = worker()
            while (job := take()) is not None:
                for result in do(*job):
                    found.put((result,))
            found.put(None)
        except BaseException as error:
            found.put(None if stop.is_set() else error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(max(1, workers))]
    for thread in threads:
        thread.start()
    working = len(threads)
    try:
        while working:
            result = found.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                working -= 1
            else:
                yield result[0]
    except BaseException:
        stop.set()
        for thread in threads:
            thread.join(_PATIENCE)
        raise
