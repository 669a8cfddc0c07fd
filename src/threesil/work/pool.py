"""A bounded number of processes that do tasks; whoever stops listening ends his task at once.

The processes stay warm from task to task. One whose task is given up is killed, with all that it
started, and another takes its place.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final

from threesil.errors import ThreesilError

_LONGEST_LINE: Final = 128 * 2**20


class Busy(ThreesilError):
    """Too many tasks wait already."""


class Wrong(ThreesilError):
    """What is wrong with a task: `value` has a message, and where its text is wrong if it is."""

    def __init__(self, value: dict[str, Any]) -> None:
        super().__init__(value["message"])
        self.value = value


@dataclass(frozen=True)
class Limits:
    """Processes at a time, tasks that may wait for one, megabytes and niceness of a process."""

    processes: int = 2
    waiting: int = 100
    megabytes: int = 2048
    niceness: int = 5


class Pool:
    """Call `start` in an event loop, and `close` at the end. Each process does `first` first."""

    def __init__(self, limits: Limits | None = None, first: dict[str, Any] | None = None) -> None:
        self.limits = limits or Limits()
        self.waiting = 0
        self._first = first
        self._idle: asyncio.Queue[Process] = asyncio.LifoQueue()  # the warmest first
        self._all: set[Process] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(self) -> None:
        """Starts the processes; tasks wait for them."""
        for _ in range(self.limits.processes):
            self._replace()

    async def close(self) -> None:
        """Kills all processes, whatever they do."""
        self._closed = True
        await asyncio.gather(*self._starting, return_exceptions=True)
        for process in list(self._all):
            self._kill(process)
        await asyncio.gather(*(process.wait() for process in list(self._all)))

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the processes that are there now."""
        return tuple(process.pid for process in self._all if process.returncode is None)

    async def run(self, task: dict[str, Any], seconds: float) -> AsyncGenerator[dict[str, Any]]:
        """What a task tells, and last `{"done": …}`; `Wrong` if it can't be done.

        It may take so many seconds by the wall clock once it has a process.
        """
        process = await self._take()
        end = asyncio.get_running_loop().time() + seconds
        whole = False
        try:
            await self._send(process, task)
            while True:
                try:
                    async with asyncio.timeout_at(end):
                        message = await self._hear(process)
                except TimeoutError:
                    raise Wrong({"message": f"it took longer than {seconds:g} s"}) from None
                if "say" in message:
                    yield message["say"]
                    continue
                whole = not message.get("last")
                if "wrong" in message:
                    raise Wrong(message["wrong"])
                yield message
                return
        finally:
            if whole and process.returncode is None:
                self._idle.put_nowait(process)
            else:
                self._kill(process)
                self._replace()

    async def ask(self, task: dict[str, Any], seconds: float) -> dict[str, Any]:
        """What a task gives that tells nothing on the way."""
        given: dict[str, Any] = {}
        async with contextlib.aclosing(self.run(task, seconds)) as messages:
            async for message in messages:
                given = message.get("done", given)
        return given

    async def _take(self) -> Process:
        if self.waiting >= self.limits.waiting:
            raise Busy("too many others are waiting; try again in a moment")
        self.waiting += 1
        try:
            while (process := await self._idle.get()).returncode is not None:
                self._replace()  # it was tired, or was killed by the system
            return process
        finally:
            self.waiting -= 1

    @staticmethod
    async def _send(process: Process, task: dict[str, Any]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):  # it has ended, which is heard of next
            process.stdin.write(json.dumps(task).encode() + b"\n")
            await process.stdin.drain()

    @staticmethod
    async def _hear(process: Process) -> dict[str, Any]:
        """The next message of a process: `say`, or last `done` or `wrong`."""
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            raise Wrong({"message": "its process has ended; perhaps it needed too much memory"})
        message: dict[str, Any] = json.loads(line)
        return message

    def _replace(self) -> None:
        if not self._closed:
            task = asyncio.create_task(self._start())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _start(self) -> None:
        limits = self.limits
        numbers = map(str, (os.getpid(), limits.megabytes, limits.niceness))
        command = (sys.executable, "-P", "-m", "threesil.web.worker", *numbers)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, start_new_session=True, limit=_LONGEST_LINE
        )
        self._all.add(process)
        if self._first is not None:
            with contextlib.suppress(Wrong):
                await self._send(process, self._first)
                await self._hear(process)
        self._idle.put_nowait(process)

    def _kill(self, process: Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        waiting = asyncio.ensure_future(process.wait())
        waiting.add_done_callback(lambda _: self._all.discard(process))
