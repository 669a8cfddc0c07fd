"""The interface for proving: check a text, search, read and write what came of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

import threesil
from threesil.errors import InputError
from threesil.provers.registry import found
from threesil.theories import all_theories
from threesil.web.desk import Desk, DeskOf
from threesil.web.examples import EXAMPLES
from threesil.web.jobs import Job

router = APIRouter(prefix="/api", tags=["prove"])

Format = Literal["text", "latex", "json", "tstp", "lean", "rocq", "prover9", "mace4"]
_SUFFIX = {"text": "txt", "latex": "tex", "rocq": "v", "prover9": "in", "mace4": "out"}
_Id = Annotated[str, Path(max_length=40)]


class Asked(BaseModel):
    """A text in a theory: an equation a line, or a whole file in TPTP, LADR or a theory file."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(examples=["x * T(y,x) = y * x"])
    theory: str | None = Field(
        None, max_length=500, description="default: what the text says, else aim", examples=["aim"]
    )
    assume: list[str] = Field([], max_length=50, description="further equations of the theory")


class Search(Asked):
    """What is to be proved, and what may be spent on it."""

    seconds: float = Field(10.0, gt=0, description="CPU time for each problem")
    expansions: int | None = Field(None, ge=1, description="of the search; makes it repeatable")
    solver: str | None = Field(None, max_length=40, description="default: best for its goals")
    weights: str | None = Field(
        None, max_length=500, description="a run; default: the bundled ones"
    )
    helpers: list[str] = Field([], max_length=10, description="provers that continue where it ends")
    from_axioms: bool = Field(False, description="no known equation is taken on trust")
    seed: int = Field(0, ge=0, lt=2**63)


@router.get("/about")
async def about(desk: DeskOf) -> dict[str, Any]:
    """What there is: theories, provers, bounds, and examples to begin with."""
    settings = desk.settings
    return {
        "version": threesil.__version__,
        "theories": [{"name": t.name, "title": t.title} for t in all_theories()],
        "files": sorted(settings.theory_files()),
        "runs": list(settings.places("runs")),
        "provers": found(),
        "seconds": settings.seconds,
        "bytes": settings.body,
        "examples": EXAMPLES,
    }


@router.post("/check")
async def check(asked: Asked, desk: DeskOf) -> dict[str, Any]:
    """How a text is read: the theory, the goals as they were understood, notes on the reading."""
    theory = desk.theory(asked.theory)
    return await desk.ask("check", text=asked.text, theory=theory, assume=asked.assume)


@router.post("/prove", response_class=StreamingResponse)
async def prove(search: Search, desk: DeskOf) -> Response:
    """Searches for proofs; answers with server-sent events until all is done.

    `job` has the id, `waiting` how many are before it; `turn` says which search begins or ended
    its turn, `tick` comes every second, `answer` is what came of a problem; at last `done`,
    `failed` with an error, or `cancelled`.
    """
    if search.seconds > desk.settings.seconds:
        raise InputError(f"at most {desk.settings.seconds:g} seconds are spent on a search")
    places = {"theory": desk.theory(search.theory), "weights": desk.weights(search.weights)}
    job = desk.jobs.begin({"task": "prove", **search.model_dump(), **places})
    return StreamingResponse(_events(desk, job), media_type="text/event-stream")


async def _events(desk: Desk, job: Job) -> AsyncIterator[str]:
    async with aclosing(desk.jobs.follow(job)) as events:
        async for event in events:
            yield f"event: {event['event']}\ndata: {json.dumps(event)}\n\n"


@router.get("/jobs/{job}")
async def read_job(job: _Id, desk: DeskOf) -> dict[str, Any]:
    """How far a job is, and what it has answered; what shows it are files of their own."""
    found = desk.jobs.find(job)
    return {
        "id": found.id,
        "status": found.status,
        "answers": found.answers,
        "certificates": sorted(found.certificates),
    }


@router.post("/jobs/{job}/cancel")
async def cancel(job: _Id, desk: DeskOf) -> dict[str, Any]:
    """Ends a job at once."""
    found = desk.jobs.find(job)
    desk.jobs.cancel(found)
    return {"id": found.id}


@router.get("/jobs/{job}/certificates/{number}/{form}", response_class=PlainTextResponse)
async def write_certificate(job: _Id, number: int, form: Format, desk: DeskOf) -> Response:
    """A proof or a counter-model of a job, checked once more, as a file in some notation."""
    found = desk.jobs.find(job)
    if number not in found.certificates:
        raise InputError(f"the job has nothing that shows answer {number}")
    task = {key: found.task[key] for key in ("text", "theory", "assume")}
    given = await desk.ask("export", **task, certificate=found.certificates[number], format=form)
    return attached(given["text"], f"answer-{number}", form)


def attached(text: str, name: str, form: Format) -> Response:
    """A text as a file that the browser saves."""
    headers = {"content-disposition": f'attachment; filename="{name}.{_SUFFIX.get(form, form)}"'}
    return PlainTextResponse(text, headers=headers)
