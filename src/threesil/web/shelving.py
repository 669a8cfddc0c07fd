"""The interface for theories: what there is, all of one, proofs of what it knows, its models."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from threesil.web.desk import DeskOf

router = APIRouter(prefix="/api", tags=["theories"])

_Name = Annotated[str, Query(max_length=500)]


@router.get("/theories")
async def theories(desk: DeskOf) -> dict[str, Any]:
    """The bundled theories with their counts, and the files that may be read."""
    return {**await desk.ask("theories"), "files": sorted(desk.settings.theory_files())}


@router.get("/theory")
async def theory(name: _Name, desk: DeskOf) -> dict[str, Any]:
    """A theory: its symbols, its equations with their actions, the bundled goals."""
    return await desk.ask("theory", theory=desk.theory(name))


@router.get("/theory/proof")
async def proof(name: _Name, equation: _Name, desk: DeskOf) -> dict[str, Any]:
    """The proof of a known equation from the axioms alone, certified when it is asked for."""
    return await desk.ask("known", theory=desk.theory(name), equation=equation)


@router.get("/theory/model")
async def model(
    name: _Name, desk: DeskOf, size: Annotated[int, Query(ge=2, le=20)] = 2
) -> dict[str, Any]:
    """A model of the theory with so many elements, if one is found in a few seconds."""
    return await desk.ask("finite", theory=desk.theory(name), size=size)
