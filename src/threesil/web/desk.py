"""What the parts of the interface share: the settings, two pools of processes, the jobs.

Searches have processes of their own, so that checking, drawing and reading never wait for them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from threesil.errors import InputError
from threesil.formats.lines import read_text
from threesil.theories import all_theories
from threesil.web.settings import Settings
from threesil.workflows.jobs import Jobs
from threesil.workflows.pool import Limits, Pool

QUICK: Final = 20.0  # seconds that anything but a search may take


class Desk:
    """One for each server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        bounds = settings.waiting, settings.megabytes
        self.searching = Pool(Limits(settings.processes, *bounds), {"task": "warm"})
        self.quick = Pool(Limits(2, *bounds, niceness=0))
        self.jobs = Jobs(self.searching, settings.seconds)

    def start(self) -> None:
        self.quick.start()
        self.searching.start()

    async def close(self) -> None:
        await self.quick.close()
        await self.searching.close()

    async def ask(self, task: str, **given: Any) -> dict[str, Any]:
        """What a quick task gives."""
        return await self.quick.ask({"task": task, **given}, QUICK)

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


def _desk(request: Request) -> Desk:
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk


DeskOf = Annotated[Desk, Depends(_desk)]
