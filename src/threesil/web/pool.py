"""The processes that do the tasks of a page; a task whose client has gone ends at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from threesil.engine import Stop
from threesil.errors import ThreesilError
from threesil.web.worker import Worker
from threesil.work.processes import Died, Processes
from threesil.work.threads import Order


class Busy(ThreesilError):
    """Too many tasks wait already."""


class Wrong(ThreesilError):
    """What is wrong with a task: `value` has a message, and where its text is wrong if it is."""

    def __init__(self, value: dict[str, Any]) -> None:
        super().__init__(value["message"])
        self.value = value


@dataclass(frozen=True)
class Limits:
    """Processes at a time, tasks that may wait for one, megabytes and niceness of a process.

    A task may take so many seconds by the wall clock once it has a process.
    """

    processes: int = 2
    waiting: int = 100
    megabytes: int = 2048
    niceness: int = 5
    seconds: float = 60.0


class Pool:
    """Call `start` in an event loop, and `close` at the end."""

    def __init__(
        self, limits: Limits | None = None, *, ready: Callable[[], None] | None = None
    ) -> None:
        self.limits = limits = limits or Limits()
        self._make = partial(Worker, niceness=limits.niceness, ready=ready)
        self._place = Processes(limits.processes, megabytes=limits.megabytes, wall=limits.seconds)

    def start(self) -> None:
        """Starts the processes; tasks wait for them."""
        self._place.prepare(self._make)

    async def close(self) -> None:
        """Kills all processes, whatever they do."""
        await asyncio.to_thread(self._place.close)

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the processes that are there now."""
        return self._place.processes

    @property
    def waiting(self) -> int:
        return self._place.waiting

    def check(self) -> None:
        """Refuses a further task if too many wait."""
        if self.waiting >= self.limits.waiting:
            raise Busy("too many others are waiting; try again in a moment")

    def begin(self, task: dict[str, Any]) -> RunningTask:
        """Has a task done; `Busy` if too many wait."""
        self.check()
        running = RunningTask(self.limits)
        self._place.submit(Order(self._make, task, running.stop, running.put, running.put))
        return running

    async def ask(self, task: dict[str, Any]) -> dict[str, Any]:
        """The result of a task without events."""
        running, given = self.begin(task), dict[str, Any]()
        try:
            while (message := await running.receive()) is not None:
                given = message.get("done", given)
        finally:
            running.stop.set()
        return given


class RunningTask:
    """A task under way; when `stop` is set, it ends at once."""

    def __init__(self, limits: Limits) -> None:
        self.stop = Stop()
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._messages: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue()

    def put(self, value: bytes | BaseException | None) -> None:
        """Passes on what a task gives, and at its end None or an error; from any thread."""
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._messages.put_nowait, value)

    async def receive(self, seconds: float | None = None) -> dict[str, Any] | None:
        """The next event, at last `{"done": …}`, then None; `Wrong` if it can't be done.

        `TimeoutError` if there is none for so many seconds.
        """
        async with asyncio.timeout(seconds):
            message = await self._messages.get()
        if isinstance(message, BaseException):
            raise Wrong({"message": self._reason(message)})
        if message is None:
            return None
        value: dict[str, Any] = json.loads(message)
        if "wrong" in value:
            await self._messages.get()  # its process continues
            raise Wrong(value["wrong"])
        return dict(value.get("say", value))

    def _reason(self, error: BaseException) -> str:
        """Why a task came to no end."""
        if isinstance(error, MemoryError):
            return "this needs more memory than a task may have"
        if not isinstance(error, Died):
            return "something went wrong; the server's terminal says more"
        if error.code is None:
            return f"it took longer than {self._limits.seconds:g} s"
        return "its process has ended; perhaps it needed too much memory"
