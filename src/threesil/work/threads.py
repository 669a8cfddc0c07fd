"""Work in threads of this process, which are enough for searches: they hold no interpreter lock.

Threads stay until the place is closed, each with its worker.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final

from threesil.engine import Stop
from threesil.work.place import Crew, Done, Job, Make, Place, dismiss

_AHEAD: Final = 2  # items under way for each thread
_PATIENCE: Final = 10.0  # seconds that what is stopped has to end


@dataclass(frozen=True)
class Order:
    """An item on its way through a thread. `end` is called last, with what has ended it."""

    make: Make[Any, Any]
    item: Any
    stop: Stop
    give: Callable[[Any], None]
    end: Callable[[BaseException | None], None]


class Threads(Place):
    """So many threads at the most. Several lists may be under way, each asked for by a thread."""

    ahead = _AHEAD

    def __init__(self, count: int) -> None:
        self.count = max(1, count)
        self._lock = threading.Lock()
        self._hands: list[_Hand] = []
        self._idle: list[_Hand] = []  # the warmest last
        self._waiting: deque[Order] = deque()
        self.closed = False
        self.ready: Make[Any, Any] | None = None
        """what idle threads prepare for"""

    @property
    def waiting(self) -> int:
        """How many items wait for a thread."""
        with self._lock:
            return sum(not order.stop.is_set() for order in self._waiting)

    def prepare(self, make: Make[Any, Any]) -> None:
        """Makes all workers at once, and later ones as soon as they are missing."""
        self.ready = make
        with self._lock:
            while len(self._hands) < self.count:
                self._idle.append(self._hire())

    def begin(self, make: Make[Any, Any]) -> Crew:
        return _Crew(self, make)

    def submit(self, order: Order) -> None:
        """Hands an item to the thread that was idle last, or lets it wait."""
        with self._lock:
            if self.closed:
                order.end(None)
            elif self._idle:
                self._idle.pop().inbox.put(order)
            elif len(self._hands) < self.count:
                self._hire().inbox.put(order)
            else:
                self._waiting.append(order)

    def close(self) -> None:
        with self._lock:
            self.closed = True
            while self._waiting:
                self._waiting.popleft().end(None)
        for hand in self._hands:
            hand.stop.set()
            hand.inbox.put(None)
        end = time.monotonic() + _PATIENCE
        for hand in self._hands:
            hand.join(max(0.0, end - time.monotonic()))

    def worker(self, make: Make[Any, Any]) -> Job[Any, Any]:
        """A worker of a thread."""
        return make()

    @property
    def workers(self) -> list[Job[Any, Any] | None]:
        """Those of the threads that there are."""
        return [hand.worker for hand in self._hands]

    def _hire(self) -> _Hand:
        hand = _Hand(self)
        self._hands.append(hand)
        hand.start()
        return hand

    def rest(self, hand: _Hand) -> None:
        """A thread is done with its item: another one, or it is idle."""
        with self._lock:
            if self._waiting:
                hand.inbox.put(self._waiting.popleft())
            else:
                self._idle.append(hand)


class _Hand(threading.Thread):
    """A thread with its worker."""

    def __init__(self, place: Threads) -> None:
        super().__init__(daemon=True)
        self.inbox: SimpleQueue[Order | None] = SimpleQueue()
        self.stop = Stop()  # of what it does now
        self.worker: Job[Any, Any] | None = None
        self._made: Make[Any, Any] | None = None
        self._place = place

    def run(self) -> None:
        while True:
            if self._place.ready is not None and not self._place.closed:
                with suppress(OSError):  # the next item notices it
                    self._become(self._place.ready)
            order = self.inbox.get()
            if order is None:
                break
            order.end(self._do(order))
            self._place.rest(self)
        self._dismiss()

    def _do(self, order: Order) -> BaseException | None:
        self.stop = order.stop
        if self._place.closed or order.stop.is_set():
            return None
        try:
            self._become(order.make)(order.item, order.give, order.stop)
        except BaseException as error:
            self._dismiss()  # nobody knows what state it is in
            return None if order.stop.is_set() else error
        return None

    def _become(self, make: Make[Any, Any]) -> Job[Any, Any]:
        if self.worker is None or self._made is not make:
            self._dismiss()
            self.worker, self._made = self._place.worker(make), make
        return self.worker

    def _dismiss(self) -> None:
        worker, self.worker = self.worker, None
        dismiss(worker)


class _Crew(Crew):
    def __init__(self, place: Threads, make: Make[Any, Any]) -> None:
        self._place, self._make = place, make
        self._stop = Stop()
        self._found: SimpleQueue[Done[Any] | None] = SimpleQueue()  # None: an item has ended
        self._nothing_new = threading.Lock()
        self._nothing_new.acquire()
        self._under_way = 0

    @property
    def room(self) -> int:
        return self._place.ahead * self._place.count - self._under_way

    @property
    def busy(self) -> bool:
        return self._under_way > 0

    def add(self, index: int, item: Any) -> None:
        def end(error: BaseException | None) -> None:
            if error is not None:
                self._tell(Done(index, error=error))
            self._tell(None)

        def give(value: Any) -> None:
            self._tell(Done(index, value))

        self._under_way += 1
        self._place.submit(Order(self._make, item, self._stop, give, end))

    def _tell(self, done: Done[Any] | None) -> None:
        self._found.put(done)
        with suppress(RuntimeError):  # it has been told of others
            self._nothing_new.release()

    def results(self, seconds: float) -> Iterator[Done[Any]]:
        # Where a signal comes at the end of its timeout, SimpleQueue.get of Python 3.11 never ends.
        if self._found.empty():
            self._nothing_new.acquire(timeout=seconds)
        try:
            while True:
                done = self._found.get_nowait()
                if done is None:
                    self._under_way -= 1
                else:
                    yield done
        except Empty:
            return

    def stop(self) -> Iterator[Done[Any]]:
        self._stop.set()
        end = time.monotonic() + _PATIENCE
        while self.busy and time.monotonic() < end:
            yield from self.results(0.1)
