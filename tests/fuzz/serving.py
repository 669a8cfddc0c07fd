"""The page's server: malformed and mutated requests, in this process and without a network.

Whatever is asked, the answer is 2xx, 3xx or 4xx; an error has the shape that the interface promises
and names no path; nothing that lies outside of the directories is ever told.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any, Final
from urllib.parse import quote

from fuzz.requests import BODIES, NAMES, ODD_KEY, RAW, headers_of, mutated, odd_path, odd_value
from fuzz.servers import CANARY, TOKEN, Answer, spoken, world
from threesil.web.connections import Connection

Target = Callable[[Random], None]


def _post(random: Random, path: str, value: Any) -> Answer:
    """Sends a value as JSON, now and then spoilt in its letters."""
    body = json.dumps(value).encode()
    if random.random() < 0.1:
        body = mutated(random, body)
    where = world()
    answer = where.ask("POST", path, body, "host: 127.0.0.1:8000", "content-type: application/json")
    answer.check(where.root, "")
    return answer


def _get(path: str, **given: object) -> Answer:
    query = "&".join(
        f"{name}={quote(str(value), safe='', errors='replace')}" for name, value in given.items()
    )
    where = world()
    answer = where.ask("GET", f"{path}?{query}", b"", "host: localhost")
    answer.check(where.root, query)
    return answer


def _spoilt(random: Random, path: str) -> dict[str, Any]:
    """A request that could be good, with some of its values replaced."""
    value = dict(random.choice(BODIES[path]))
    for _ in range(random.choice((0, 1, 1, 2))):
        key = random.choice((*value, "theory", "text", "seed", "model", "assume", ODD_KEY))
        value[key] = odd_value(random, value.get(key))
    return value


def target_check(random: Random) -> None:
    """Texts of all kinds, and what is no text."""
    _post(random, "/api/check", _spoilt(random, "/api/check"))


def target_prove(random: Random) -> None:
    """A search, and then what it found in some notation."""
    answer = _post(random, "/api/prove", _spoilt(random, "/api/prove"))
    if answer.status != 200:
        return
    events = [
        json.loads(line.removeprefix(b"data: "))
        for line in answer.body.splitlines()
        if line.startswith(b"data: ")
    ]
    assert events[-1]["event"] in ("done", "failed")
    if events[-1]["event"] == "failed":
        answer.check_error({"error": events[-1]["error"]})
    job = f"/api/jobs/{events[0]['id']}"
    form = random.choice(("text", "latex", "json", "tstp", "lean", "rocq", "prover9", "mace4", ""))
    number = random.choice((1, 1, 1, 2, -1, 10**30, "x", "%00"))
    _get(job)
    _get(f"{job}/certificates/{number}/{form}")


def target_play(random: Random) -> None:
    """Episodes."""
    form = random.choice(("", "", "/text", "/lean", "/json", "/none"))
    _post(random, f"/api/play{form}", _spoilt(random, "/api/play"))


def target_train(random: Random) -> None:
    """Theories to learn, and runs to stop and to resume."""
    path = random.choice(("/api/train", "/api/train", "/api/train/resume", "/api/train/stop"))
    _post(random, path, _spoilt(random, path))


def target_look(random: Random) -> None:
    """Runs, comparisons, theories and jobs by all sorts of names."""
    name = random.choice(NAMES)
    if random.random() < 0.3:
        name = str(odd_value(random, name))
    if random.random() < 0.2:
        name = random.choice(("..", "")) + f"{world().root}/outside/runs/r"
    number = odd_value(random, 2) if random.random() < 0.5 else 2
    kind = random.randrange(8)
    if kind == 0:
        _get("/api/run", name=name, after=number)
    elif kind == 1:
        _get("/api/comparison", name=name)
    elif kind == 2:
        _get("/api/theory", name=name)
    elif kind == 3:
        _get("/api/theory/model", name=name, size=number)
    elif kind == 4:
        _get("/api/theory/proof", name=name, equation=random.choice(NAMES))
    elif kind == 5:
        _get(f"/api/jobs/{quote(name, safe='', errors='replace')}")
    elif kind == 6:
        _get("/api/run/theory", name=name)
    else:
        _get(random.choice(("/api/runs", "/api/comparisons", "/api/theories", "/api/about")))


def target_requests(random: Random) -> None:
    """Any method, path, headers and body."""
    where = world()
    method = random.choice(("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PRI", "é"))
    path = odd_path(random, where.root)
    body = mutated(random, b'{"text": "x = x", "theory": "groups"}')
    headers = headers_of(random, TOKEN)
    where.ask(method, path, body, *headers).check(where.root, path)


def target_token(random: Random) -> None:
    """Nobody is let in without the token, whatever else he brings."""
    where = world()
    headers = [h for h in headers_of(random, "wrong") if TOKEN not in h]
    path = odd_path(random, where.root)
    answer = where.ask("GET", path, b"", *headers, token=TOKEN)
    answer.check(where.root, path)
    assert answer.status in (401, 403, 413, 421), answer.status


def target_files(random: Random) -> None:
    """Runs and comparisons whose files are damaged, or name files elsewhere."""
    where = world()
    kind = random.choice(("runs", "comparisons"))
    place = where.root / "inside" / kind / "spoilt"
    shutil.copytree(where.root / "inside" / kind / ("r" if kind == "runs" else "c"), place)
    try:
        path = random.choice([path for path in sorted(place.rglob("*")) if path.is_file()])
        outside = where.root / "outside" / kind / ("r" if kind == "runs" else "c")
        if random.random() < 0.2:
            path.unlink()
            path.symlink_to(outside / path.relative_to(place))
        elif random.random() < 0.3 and path.suffix == ".json":
            facts = json.loads(path.read_text())
            key = random.choice(sorted(facts))
            odd = odd_value(random, "../../../../outside/comparisons/c/results/quick")
            facts[key] = [odd] if isinstance(facts[key], list) else odd
            path.write_text(json.dumps(facts))
        else:
            path.write_bytes(mutated(random, path.read_bytes()))
        _get(f"/api/{kind}")
        _get(f"/api/{kind[:-1]}", name="spoilt")
        if kind == "runs":
            value = {"theory": "robinson", "text": "1 + 0", "model": "spoilt"}
            _post(random, "/api/play", value)
            _post(random, "/api/prove", value)
    finally:
        shutil.rmtree(place)


def target_connection(random: Random) -> None:
    """What is no request, and requests in pieces, as they come from the network."""
    where = world()
    request = random.choice(RAW)
    if random.random() < 0.8:
        request = mutated(random, request)
    count = random.choice((1, 2, 5))
    cuts = sorted(random.randrange(len(request) + 1) for _ in range(count - 1))
    pieces = [request[i:j] for i, j in pairwise((0, *cuts, len(request))) if i < j]
    told = where.runner.run(spoken(where.open, pieces, random.random() < 0.3))
    faults, where.faults.reports = where.faults.reports, []
    assert not faults, faults[0]
    assert CANARY.encode() not in told and not Connection.waiting
    for line in told.split(b"\r\n"):
        if line.startswith(b"HTTP/1.1 "):
            assert line[9:10] in b"1234", line


TARGETS: Final[tuple[Target, ...]] = (
    target_check,
    target_prove,
    target_play,
    target_train,
    target_look,
    target_requests,
    target_token,
    target_files,
    target_connection,
)
