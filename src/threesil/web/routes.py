"""The JSON interface of the page: every address, what it takes and what it gives."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

import threesil
from threesil.errors import InputError
from threesil.provers.registry import found
from threesil.theories import all_theories
from threesil.web.examples import EXAMPLES
from threesil.web.jobs import USUAL, Job
from threesil.web.service import Service, ServiceOf
from threesil.web.training import LONGEST

router = APIRouter(prefix="/api")

Format = Literal["text", "latex", "json", "tstp", "lean", "lean-term", "rocq", "prover9", "mace4"]
_SUFFIX = {
    "text": "txt",
    "latex": "tex",
    "lean-term": "lean",
    "rocq": "v",
    "prover9": "in",
    "mace4": "out",
}
_Id = Annotated[str, Path(max_length=40)]
_Name = Annotated[str, Query(max_length=500)]


class Asked(BaseModel):
    """A text in a theory: an equation a line, or a file in TPTP, LADR, Lean or as a theory."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(examples=["x * T(y,x) = y * x"])
    theory: str | None = Field(
        None, max_length=500, description="default: what the text says, else aim", examples=["aim"]
    )
    assume: list[str] = Field([], max_length=50, description="further equations of the theory")


class Search(Asked):
    """What is to be proved, and what may be spent on it."""

    seconds: float | None = Field(
        None,
        gt=0,
        description=f"CPU time for each problem; default: {USUAL:g}, or the most that is allowed",
    )
    expansions: int | None = Field(None, ge=1, description="of the search; makes it repeatable")
    solver: str | None = Field(None, max_length=40, description="default: best for its goals")
    refute: bool | None = Field(None, description="a counter-model only, or none; default: both")
    size: int | None = Field(None, ge=2, le=100, description="elements of the largest model")
    weights: str | None = Field(
        None, max_length=500, description="a run; default: the bundled ones"
    )
    helpers: list[str] = Field([], max_length=10, description="provers that continue where it ends")
    from_axioms: bool = Field(False, description="no known equation is taken on trust")
    seed: int = Field(0, ge=0, lt=2**63)


# What there is, and how to prove


@router.get("/about")
async def about(service: ServiceOf) -> dict[str, Any]:
    """What there is: theories, provers, bounds, and examples to begin with."""
    settings = service.settings
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
async def check(asked: Asked, service: ServiceOf) -> dict[str, Any]:
    """How a text is read: the theory, the goals as they were understood, notes on the reading."""
    theory = service.theory(asked.theory)
    return await service.ask("check", text=asked.text, theory=theory, assume=asked.assume)


@router.post("/prove", response_class=StreamingResponse)
async def prove(search: Search, service: ServiceOf) -> Response:
    """Searches for proofs; answers with server-sent events until all is done.

    `job` has the id, `waiting` how many are before it; `turn` says which search begins or ended
    its turn, `tick` comes every second, `answer` is the result of a problem; at last `done`,
    `failed` with an error, or `cancelled`.
    """
    most = service.settings.seconds
    if search.seconds is not None and search.seconds > most:
        raise InputError(f"at most {most:g} seconds are spent on a search")
    search.seconds = search.seconds or min(USUAL, most)
    places = {"theory": service.theory(search.theory), "weights": service.weights(search.weights)}
    job = service.jobs.begin({"task": "prove", **search.model_dump(), **places})
    return StreamingResponse(_events(service, job), media_type="text/event-stream")


async def _events(service: Service, job: Job) -> AsyncIterator[str]:
    async with aclosing(service.jobs.follow(job)) as events:
        async for event in events:
            yield f"event: {event['event']}\ndata: {json.dumps(event)}\n\n"


@router.get("/jobs/{job}")
async def read_job(job: _Id, service: ServiceOf) -> dict[str, Any]:
    """How far a job is, and its answers; certificates are files of their own."""
    found = service.jobs.find(job)
    return {
        "id": found.id,
        "status": found.status,
        "answers": found.answers,
        "certificates": sorted(found.certificates),
    }


@router.post("/jobs/{job}/cancel")
async def cancel(job: _Id, service: ServiceOf) -> dict[str, Any]:
    """Ends a job at once."""
    found = service.jobs.find(job)
    service.jobs.cancel(found)
    return {"id": found.id}


@router.get("/jobs/{job}/certificates/{number}/{form}", response_class=PlainTextResponse)
async def write_certificate(job: _Id, number: int, form: Format, service: ServiceOf) -> Response:
    """A proof or a counter-model of a job, checked once more, as a file in some notation."""
    found = service.jobs.find(job)
    if number not in found.certificates:
        raise InputError(f"the job has nothing that shows answer {number}")
    task = {key: found.task[key] for key in ("text", "theory", "assume")}
    given = await service.ask("export", **task, certificate=found.certificates[number], format=form)
    return attached(given["text"], f"answer-{number}", form)


def attached(text: str, name: str, form: Format) -> Response:
    """A text as a file that the browser saves."""
    headers = {"content-disposition": f'attachment; filename="{name}.{_SUFFIX.get(form, form)}"'}
    return PlainTextResponse(text, headers=headers)


# Play: the environment itself, one question a state


class Episode(BaseModel):
    """A problem and the actions that were taken; an episode is nothing more."""

    model_config = ConfigDict(extra="forbid")

    theory: str = Field("aim", max_length=500)
    text: str | None = Field(None, max_length=20_000, description="default: a random problem")
    weights: str | None = Field(None, max_length=500, description="a run; default: bundled ones")
    actions: list[int] = Field([], max_length=20_000, description="indices of the theory's actions")
    seed: int = Field(0, ge=0, lt=2**63, description="decides what is random")
    go: Literal["best", "chance"] | None = Field(
        None, description="the policy plays to the end: its most probable actions, or random ones"
    )


@router.post("/play")
async def play(episode: Episode, service: ServiceOf) -> dict[str, Any]:
    """The state after the actions: its tree and cursor, and the legal actions.

    Each has the probability that the policy gives it, if there are weights. A solved episode comes
    with its proof, which the kernel has certified.
    """
    return await service.ask("play", **_play_task(episode, service))


@router.post("/play/{form}", response_class=PlainTextResponse)
async def write_play(episode: Episode, form: Format, service: ServiceOf) -> Response:
    """The derivation of a solved episode, certified, as a file in some notation."""
    given = await service.ask("export_play", **_play_task(episode, service), format=form)
    return attached(given["text"], "episode", form)


def _play_task(episode: Episode, service: Service) -> dict[str, Any]:
    places = {"theory": service.theory(episode.theory), "weights": service.weights(episode.weights)}
    return {**episode.model_dump(), **places}


# Look at what is on disk: training runs and comparisons


@router.get("/runs")
async def runs(service: ServiceOf) -> dict[str, Any]:
    """The training runs below the directories that were named, and how far each is."""
    return await service.ask("runs", places=_places(service, "runs"))


@router.get("/run")
async def run(name: _Name, service: ServiceOf, after: int = -1) -> dict[str, Any]:
    """A run with its metrics, those of epochs after a given one; ask again to watch it.

    `training` says what this server does with it now, or did last.
    """
    training = service.trainings.view(name)
    if training is not None and name not in service.settings.places("runs"):
        return {"name": name, "metrics": [], "training": training}  # nothing is written yet
    place = name, service.place("runs", name)
    return {**await service.ask("run", place=place, after=after), "training": training}


@router.get("/run/theory")
async def run_theory(name: _Name, service: ServiceOf) -> dict[str, Any]:
    """The theory that a run trains: the name of a bundled one, or the text of a file."""
    return await service.ask("run_theory", place=(name, service.place("runs", name)))


class Lesson(Asked):
    """A theory to learn, and how long that may take."""

    minutes: float = Field(3.0, gt=0, le=LONGEST)


class Chosen(BaseModel):
    """A run by its name."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=500)


@router.post("/train")
async def train(lesson: Lesson, service: ServiceOf) -> dict[str, Any]:
    """Begins to learn a theory, in a new run; watch it with `run`. One is learned at a time."""
    service.trainings.check()
    given = service.theory(lesson.theory)
    asked = {"text": lesson.text, "theory": given, "assume": lesson.assume}
    found = await service.ask("teachable", **asked)
    run = service.new_run(found["name"])
    task = {"task": "train", "minutes": lesson.minutes, "directory": str(run)}
    service.trainings.begin(run.name, {**task, "theory": found["theory"], "text": found["text"]})
    return {"name": run.name}


@router.post("/train/resume")
async def resume(chosen: Chosen, service: ServiceOf) -> dict[str, Any]:
    """Resumes the training of a run that was stopped."""
    directory = service.weights(chosen.name)
    service.trainings.begin(chosen.name, {"task": "resume", "directory": directory})
    return {"name": chosen.name}


@router.post("/train/stop")
async def stop(chosen: Chosen, service: ServiceOf) -> dict[str, Any]:
    """Stops a training that this server has begun; nothing that is done is lost."""
    await service.trainings.stop(chosen.name)
    return {"name": chosen.name}


@router.get("/comparisons")
async def comparisons(service: ServiceOf) -> dict[str, Any]:
    """The comparisons below the directories that were named."""
    return await service.ask("comparisons", places=_places(service, "comparisons"))


@router.get("/comparison")
async def comparison(name: _Name, service: ServiceOf) -> dict[str, Any]:
    """A comparison: how many problems each solver solved within some times, and all problems."""
    return await service.ask("comparison", place=(name, service.place("comparisons", name)))


def _places(service: Service, kind: Literal["runs", "comparisons"]) -> list[tuple[str, str]]:
    return [(name, str(path)) for name, path in service.settings.places(kind).items()]


# Theories: what there is, all of one, proofs of what it knows, its models


@router.get("/theories")
async def theories(service: ServiceOf) -> dict[str, Any]:
    """The bundled theories with their counts, and the files that may be read."""
    return {**await service.ask("theories"), "files": sorted(service.settings.theory_files())}


@router.get("/theory")
async def theory(name: _Name, service: ServiceOf) -> dict[str, Any]:
    """A theory: its symbols, its equations with their actions, the bundled goals."""
    return await service.ask("theory", theory=service.theory(name))


@router.get("/theory/proof")
async def proof(name: _Name, equation: _Name, service: ServiceOf) -> dict[str, Any]:
    """The proof of a known equation from the axioms alone, certified when it is asked for."""
    return await service.ask("known", theory=service.theory(name), equation=equation)


@router.get("/theory/model")
async def model(
    name: _Name, service: ServiceOf, size: Annotated[int, Query(ge=2, le=20)] = 2
) -> dict[str, Any]:
    """A model of the theory with so many elements, if one is found in a few seconds."""
    return await service.ask("finite", theory=service.theory(name), size=size)
