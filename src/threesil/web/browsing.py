"""The interface for looking at what is on disk: training runs and comparisons."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from threesil.web.desk import Desk, DeskOf

router = APIRouter(prefix="/api", tags=["look"])

_Name = Annotated[str, Query(max_length=500)]


@router.get("/runs")
async def runs(desk: DeskOf) -> dict[str, Any]:
    """The training runs below the directories that were named, and how far each is."""
    return await desk.ask("runs", places=_places(desk, "runs"))


@router.get("/run")
async def run(name: _Name, desk: DeskOf, after: int = -1) -> dict[str, Any]:
    """A run with its metrics, those of epochs after a given one; ask again to watch it."""
    return await desk.ask("run", place=(name, desk.place("runs", name)), after=after)


@router.get("/comparisons")
async def comparisons(desk: DeskOf) -> dict[str, Any]:
    """The comparisons below the directories that were named."""
    return await desk.ask("comparisons", places=_places(desk, "comparisons"))


@router.get("/comparison")
async def comparison(name: _Name, desk: DeskOf) -> dict[str, Any]:
    """A comparison: how many problems each system solved by when, and every single problem."""
    return await desk.ask("comparison", place=(name, desk.place("comparisons", name)))


def _places(desk: Desk, kind: Literal["runs", "comparisons"]) -> list[tuple[str, str]]:
    return [(name, str(path)) for name, path in desk.settings.places(kind).items()]
