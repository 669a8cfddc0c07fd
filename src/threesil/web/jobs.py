"""Searches that pages have asked for: their events while they run, their certificates afterwards.

A job lives as long as somebody listens to it. The results of the last ones are kept, up to a number
and a size, so that they can be written in other notations later.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Final

from threesil.errors import InputError
from threesil.web.pool import Busy, Pool, RunningTask, Wrong

Event = dict[str, Any]

_VIEWS: Final = ("shown",)  # of an answer, which are not kept
USUAL: Final = 10.0  # CPU seconds for a goal, where none are asked for
_TICK: Final = 1.0  # seconds between signs of life


@dataclass
class Job:
    """A search: what was asked, what shows the answers, by their numbers, and how it ended."""

    id: str
    task: dict[str, Any]
    status: str = "waiting"
    answers: list[Event] = field(default_factory=list)
    certificates: dict[int, dict[str, Any]] = field(default_factory=dict)
    size: int = 0
    running: RunningTask | None = None


class Jobs:
    """All jobs of a server. At most `most` of them are kept, of so many characters in all."""

    def __init__(self, pool: Pool, *, most: int = 500, size: int = 200_000_000) -> None:
        self._pool = pool
        self._most, self._size = most, size
        self._kept: OrderedDict[str, Job] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def running(self) -> int:
        return sum(job.status == "running" for job in self._kept.values())

    def find(self, name: str) -> Job:
        """A job by its id; `InputError` if there is none, or none any more."""
        if name not in self._kept:
            raise InputError("there is no such job, or it is no longer kept: ask for it again")
        return self._kept[name]

    def begin(self, task: dict[str, Any]) -> Job:
        """A new job; `Busy` if there are too many."""
        self._pool.check()
        job = Job(secrets.token_urlsafe(12), task, size=len(task.get("text", "")))
        self._kept[job.id] = job
        return job

    async def follow(self, job: Job) -> AsyncGenerator[Event]:
        """Does the job and gives its events; if nobody listens any more it ends."""
        clock = asyncio.get_running_loop().time
        begin, end = clock(), Event(event="cancelled")
        job.status = "running"
        try:
            yield {"event": "job", "id": job.id}
            if self._pool.waiting:
                yield {"event": "waiting", "ahead": self._pool.waiting}
            job.running = self._pool.begin(job.task)
            due = begin + _TICK
            while True:
                if clock() >= due:
                    yield {"event": "tick", "seconds": round(clock() - begin, 1)}
                    due = clock() + _TICK
                try:
                    event = await job.running.receive(due - clock())
                except TimeoutError:
                    continue
                if event is None:
                    break
                if "done" in event:
                    end = {"event": "done", **event["done"]}
                elif event["event"] == "keep":
                    self._keep(job, event)
                else:
                    if event["event"] == "answer":
                        job.answers.append({k: v for k, v in event.items() if k not in _VIEWS})
                    yield event
        except Wrong as error:
            end = {"event": "failed", "error": error.value}
        except Busy as error:
            end = {"event": "failed", "error": {"message": str(error)}}
        finally:
            self.cancel(job)
            job.status = end["event"]
            self._forget()
        yield end

    def cancel(self, job: Job) -> None:
        """Ends a job at once; nothing happens if it has ended."""
        if job.running is not None:
            job.running.stop.set()

    def _keep(self, job: Job, event: Event) -> None:
        job.certificates[event["number"]] = event["certificate"]
        job.size += len(json.dumps(event["certificate"]))

    def _forget(self) -> None:
        """Drops the oldest jobs that have ended, until what is kept is small enough."""
        size = sum(job.size for job in self._kept.values())
        for name, job in list(self._kept.items()):
            if len(self._kept) <= self._most and size <= self._size:
                return
            if job.status != "running":
                size -= job.size
                del self._kept[name]
