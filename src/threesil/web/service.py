"""What the parts of the interface share: the settings, two pools of processes, the jobs.

Searches have processes of their own, so that checking, drawing and reading never wait for them.
"""

from __future__ import annotations

import asyncio
import re
from copy import copy
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, HTTPException, Request

from threesil.errors import InputError
from threesil.files import check_closed
from threesil.notations.lines import read_text
from threesil.runs.run import RUN
from threesil.theories import all_theories
from threesil.web.jobs import Jobs
from threesil.web.pool import Limits, Pool
from threesil.web.settings import Settings
from threesil.web.tasks import warm
from threesil.web.training import Trainings

_LOOK: Final = 0.25  # seconds between looks at whether a client is still there
_QUICK: Final = 20.0  # seconds that anything but a search may take
_SLACK: Final = 30.0  # seconds by the wall clock beyond what CPU time a search may take
_LONG: Final = 4.0  # times the CPU seconds that it may take where the machine is busy


class Service:
    """One for each server; each request gets a copy of its own, with the same pools."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.request: Request | None = None  # that this copy serves
        bounds = settings.waiting, settings.megabytes
        seconds = settings.seconds * _LONG + _SLACK
        self.searching = Pool(Limits(settings.processes, *bounds, seconds=seconds), ready=warm)
        self.quick = Pool(Limits(2, *bounds, niceness=0, seconds=_QUICK))
        self.jobs = Jobs(self.searching)
        self.trainings = Trainings()

    def start(self) -> None:
        self.quick.start()
        self.searching.start()

    async def close(self) -> None:
        await self.trainings.close()
        await self.quick.close()
        await self.searching.close()

    async def ask(self, task: str, **given: Any) -> dict[str, Any]:
        """What a quick task gives; it ends if the client that asks goes away."""
        work = asyncio.create_task(self.quick.ask({"task": task, **given}))
        try:
            while not (await asyncio.wait({work}, timeout=_LOOK))[0]:
                if self.request is not None and await self.request.is_disconnected():
                    raise HTTPException(499, "the client has gone")
            return work.result()
        finally:
            work.cancel()

    def place(self, kind: Literal["runs", "comparisons"], name: str) -> str:
        """The path of a run or a comparison that the page lists under this name."""
        places = self.settings.places(kind)
        if name not in places:
            raise InputError(f"there is no {name[:80]!r} among the {kind}")
        return str(places[name])

    def new_run(self, theory: str) -> Path:
        """Where a run for a theory goes: a directory that is not there yet."""
        root = next((place for place in self.settings.runs if not (place / RUN).exists()), None)
        if root is None:
            raise InputError(
                "there is no directory for runs: start threesil serve --runs DIRECTORY"
            )
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", theory).strip("-")[:40] or "theory"
        taken = self.settings.places("runs")
        names = (f"{base}-{number}" for number in count(1))
        return next(
            root / name for name in names if name not in taken and not (root / name).exists()
        )

    def weights(self, run: str | None) -> str | None:
        """The directory of the run whose weights are wanted."""
        if not run:
            return None
        path = self.place("runs", run)
        check_closed(Path(path), run)
        return path

    def theory(self, name: str | None) -> str | dict[str, str] | None:
        """A theory as tasks take it: its name, or the text of a file that may be read."""
        if not name:
            return None
        known = {theory.name: theory for theory in all_theories()}
        base, _, lemma = name.partition(":")
        if base in known and (base == name or lemma in [e.name for e in known[base].lemmas]):
            return name
        files = self.settings.theory_files()
        if name not in files:
            there = ", ".join((*known, *list(files)[:20]))
            raise InputError(f"there is no theory {name[:80]!r} here; there are {there}")
        return {"name": name, "text": _content(files[name], name)}


def _content(path: Path, name: str) -> str:
    try:
        return read_text(path).content
    except InputError as error:
        raise InputError(error.message, source=name) from None


def _service(request: Request) -> Service:
    service = copy(request.app.state.service)
    assert isinstance(service, Service)
    service.request = request
    return service


ServiceOf = Annotated[Service, Depends(_service)]
