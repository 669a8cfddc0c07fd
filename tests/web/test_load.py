"""Fifty clients at once: every job ends, no process is left over, memory stays flat."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from waiting import HANG, wait_until
from web.serving import ENDLESS, Server, http, serving

CLIENTS = 50
ROUNDS = 16  # requests of each client
LEAVING = 5  # every so many clients leaves a search once in a while
MEGABYTES = 25  # that the server may grow by in the second half

EASY = (
    {"text": "x * e = x", "theory": "groups"},
    {"text": "x * T(y,x) = y * x", "theory": "aim"},
    {"text": "Axiom a: f(x) = x.\nTheorem t: f(f(x)) = x."},
    {"text": "x * (y", "theory": "groups"},
)


async def prove(client: httpx.AsyncClient, body: object) -> str:
    """The last event of a search."""
    answer = await client.post("api/prove", json=body)
    assert answer.status_code == 200, answer.text
    events = [line for line in answer.text.splitlines() if line.startswith("event: ")]
    return events[-1].removeprefix("event: ")


async def leave(client: httpx.AsyncClient) -> str:
    """Begins a search, and goes away; its id."""
    body = {"text": ENDLESS, "seconds": 100}
    async with client.stream("POST", "api/prove", json=body) as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                return str(json.loads(line.removeprefix("data: "))["id"])
    raise AssertionError("no event came")


async def one(number: int, url: str, half: asyncio.Event, done: dict[str, Any]) -> None:
    random = Random(number)
    async with httpx.AsyncClient(base_url=url, timeout=HANG) as client:
        for turn in range(ROUNDS):
            if turn == ROUNDS // 2:
                half.set()
            kind = random.choice(("check", "prove", "prove", "play", "about"))
            if number % LEAVING == 0 and turn == number // LEAVING % ROUNDS:
                done["left"].append(await leave(client))
            elif kind == "prove":
                body = random.choice(EASY)
                end = await prove(client, {**body, "seconds": 10})
                assert end == ("failed" if body is EASY[-1] else "done")
                done["proved"] += 1
            elif kind == "about":
                assert (await client.get("api/about")).status_code == 200
            else:
                body = {"theory": "aim", "text": "x * T(y,x) = y * x"}
                assert (await client.post(f"api/{kind}", json=body)).status_code == 200


async def load(server: Server) -> dict[str, Any]:
    done: dict[str, Any] = {"proved": 0, "left": []}
    half = asyncio.Event()

    async def measure() -> None:
        await half.wait()
        done["half"] = server.process.memory_info().rss

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(measure())
        for number in range(CLIENTS):
            tasks.create_task(one(number, server.url, half, done))
    done["end"] = server.process.memory_info().rss
    return done


@pytest.mark.slow
def test_fifty_clients(tmp_path: Path) -> None:
    with serving(where=tmp_path) as server:
        wait_until(lambda: len(server.workers()) == 4)
        done = asyncio.run(load(server))
        assert done["proved"] > CLIENTS and len(done["left"]) == CLIENTS // LEAVING
        for job in done["left"]:
            path = f"{server.url}api/jobs/{job}"
            wait_until(lambda path=path: http.get(path).json()["status"] == "cancelled")
        wait_until(lambda: len(server.workers()) == 4)
        assert (done["end"] - done["half"]) / 2**20 < MEGABYTES
        assert http.get(f"{server.url}api/about").status_code == 200
        left = server.workers()
    for pid in left:
        assert not Path(f"/proc/{pid}").exists()
