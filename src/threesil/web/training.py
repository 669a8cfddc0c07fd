"""Training that a page has asked for: one at a time, in a process that ends with the server.

The run is a directory like any other, so that what is stopped, or killed with the server, can be
resumed. What is known besides, of the runs of this server, is what their trainings have told.
"""

from __future__ import annotations

import asyncio
import importlib.util
import math
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from threesil.errors import InputError
from threesil.web.learning import load
from threesil.web.pool import Busy, Limits, Pool, RunningTask, Wrong

Value = dict[str, Any]

LONGEST: Final = 10.0  # minutes that a page may ask for
_MEGABYTES: Final = 4096  # that learning may take beyond PyTorch
_NICENESS: Final = 10  # searches come first
_SAID: Final = 50  # sentences that are kept
_RUNS: Final = 100  # of this server, of which it is known what they told


@dataclass
class Training:
    """A training as its page shows it: what it does, how much of it is done, of how much."""

    status: str = "running"  # then done, stopped or failed
    what: str = "starting"
    done: int = 0
    total: int | None = None
    said: list[str] = field(default_factory=list)
    error: str = ""

    def hear(self, event: Value) -> None:
        if "said" in event:
            self.said = [*self.said, event["said"]][-_SAID:]
        else:
            self.what, self.done, self.total = event["what"], event["done"], event["total"]


class Trainings:
    """Those of a server, by the names of their runs."""

    def __init__(self) -> None:
        self._known: dict[str, Training] = {}
        self._work: asyncio.Task[None] | None = None
        self._running: RunningTask | None = None
        self._name = ""  # of the one under way

    def view(self, name: str) -> Value | None:
        """What is known of the training of a run."""
        return asdict(self._known[name]) if name in self._known else None

    def check(self) -> None:
        """Refuses a training where another is under way, or what it needs is missing."""
        if self._work is not None and not self._work.done():
            raise Busy(f"{self._name} is being trained; one at a time: stop it, or wait for it")
        if importlib.util.find_spec("torch") is None:
            raise InputError(
                "learning needs PyTorch, which is not installed where this server runs: "
                "pip install 'threesil[train]', then start threesil serve again"
            )

    def begin(self, name: str, task: Value) -> None:
        """Begins the training of a run, or resumes it."""
        self.check()
        self._known.pop(name, None)
        self._known[name] = training = Training()
        while len(self._known) > _RUNS:
            del self._known[next(iter(self._known))]
        self._name = name
        self._work = asyncio.create_task(self._follow(training, task))

    async def _follow(self, training: Training, task: Value) -> None:
        limits = Limits(1, 1, _MEGABYTES, _NICENESS, math.inf)
        pool = Pool(limits, ready=load)
        try:
            self._running = running = pool.begin(task)
            while (event := await running.receive()) is not None:
                if "done" not in event or "what" in event:
                    training.hear(event)
                elif event["done"]["finished"]:
                    training.status = "done"
            if training.status == "running":
                training.status = "stopped"
        except Wrong as error:
            training.status, training.error = "failed", str(error)
        finally:
            self._running = None
            await pool.close()

    async def stop(self, name: str) -> None:
        """Ends the training of a run, and waits until its process has gone."""
        if name == self._name and self._running is not None:
            self._running.stop.set()
            assert self._work is not None
            await asyncio.shield(self._work)

    async def close(self) -> None:
        """Ends what is under way, with the server."""
        if self._work is not None:
            if self._running is not None:
                self._running.stop.set()
            with suppress(asyncio.CancelledError):
                await self._work
