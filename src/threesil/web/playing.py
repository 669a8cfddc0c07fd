"""The interface for playing: the environment itself, one question a state."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from threesil.web.desk import Desk, DeskOf
from threesil.web.proving import Format, attached

router = APIRouter(prefix="/api", tags=["play"])


class Episode(BaseModel):
    """A problem and the actions that were taken; an episode is nothing more."""

    model_config = ConfigDict(extra="forbid")

    theory: str = Field("aim", max_length=500)
    text: str | None = Field(None, max_length=20_000, description="default: a random problem")
    weights: str | None = Field(None, max_length=500, description="a run; default: bundled ones")
    actions: list[int] = Field([], max_length=20_000, description="indices of the theory's actions")
    seed: int = Field(0, ge=0, lt=2**63, description="decides what is random")
    go: Literal["best", "chance"] | None = Field(
        None, description="the policy plays to the end: what it likes best, or by chance"
    )


@router.post("/play")
async def play(episode: Episode, desk: DeskOf) -> dict[str, Any]:
    """The state after the actions: its tree and cursor, and the legal actions.

    Each has the probability that the policy gives it, if there are weights. A solved episode comes
    with its proof, which the kernel has certified.
    """
    return await desk.ask("play", **_task(episode, desk))


@router.post("/play/{form}", response_class=PlainTextResponse)
async def write_play(episode: Episode, form: Format, desk: DeskOf) -> Response:
    """The derivation of a solved episode, certified, as a file in some notation."""
    given = await desk.ask("export_play", **_task(episode, desk), format=form)
    return attached(given["text"], "episode", form)


def _task(episode: Episode, desk: Desk) -> dict[str, Any]:
    places = {"theory": desk.theory(episode.theory), "weights": desk.weights(episode.weights)}
    return {**episode.model_dump(), **places}
