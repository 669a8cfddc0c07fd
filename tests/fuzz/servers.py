"""Two servers in this process, without a network, for directories with links that lead out.

The tasks are done here as a worker does them, searches with next to no time.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from uvicorn import Config
from uvicorn.server import ServerState

from threesil.engine import Stop
from threesil.notations.reading import tptp as tptp_reader
from threesil.web import theory_views
from threesil.web.app import make_app
from threesil.web.connections import Connection
from threesil.web.jobs import Jobs
from threesil.web.pool import Pool, RunningTask
from threesil.web.settings import Settings
from threesil.web.training import Trainings
from threesil.web.worker import Worker
from web.test_browsing import make_comparison, make_run

CANARY: Final = "canary_kfmcqz"  # in all files outside
TOKEN: Final = "token_vwhxjd"
SECONDS: Final = 0.02  # CPU time of a search


class Inline(Pool):
    """Does tasks in this process."""

    def __init__(self) -> None:
        super().__init__()
        self._worker = Worker()

    def begin(self, task: dict[str, Any]) -> RunningTask:
        if task["task"] == "prove":
            task = {**task, "seconds": SECONDS, "expansions": 20, "helpers": ()}
        found: list[bytes] = []
        self._worker(task, found.append, Stop())
        running = RunningTask(self.limits)
        for message in found:
            assert b'"something went wrong' not in message, task
            running.put(message)
        running.put(None)
        return running


class Idle(Trainings):
    """Begins no training, but looks at where its run would be."""

    def __init__(self, runs: Path) -> None:
        super().__init__()
        self._runs = runs.resolve()

    def check(self) -> None:
        pass

    def begin(self, name: str, task: dict[str, Any]) -> None:
        assert Path(task["directory"]).resolve().parent == self._runs, task
        assert task["task"] == "resume" or "/" not in task["theory"], task


class Faults(logging.Handler):
    """What the server reports as an error of its own."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.reports: list[str] = []
        logger = logging.getLogger("uvicorn.error")
        logger.propagate = False
        logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.reports.append(self.format(record))


class World:
    """Directories with links that lead out of them, two servers for them, and an event loop."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="threesil-fuzz-"))
        atexit.register(shutil.rmtree, self.root, ignore_errors=True)
        self.runner = asyncio.Runner()
        atexit.register(self.runner.close)
        for side in ("inside", "outside"):
            make_run(self.root / side / "runs" / "r", 3)
            make_comparison(self.root / side / "comparisons" / "c")
            (self.root / side / "files").mkdir()
        self.outside = self._canaries(self.root / "outside")
        inside = self.root / "inside"
        (inside / "files" / "milk.thy").write_text(
            "Theory milk: M.\nConstants e.\nAxiom a: f(f(x)) = f(x).\nAxiom b: f(e) = e.\n"
        )
        (inside / "files" / "more.p").write_text("include('../../outside/files/secret.p').\n")
        (inside / "files" / "out.p").symlink_to(self.outside / "files" / "secret.p")
        (inside / "files" / "folder").symlink_to(self.outside / "files")
        (inside / "runs" / "out").symlink_to(self.outside / "runs" / "r")
        (inside / "comparisons" / "out").symlink_to(self.outside / "comparisons" / "c")
        shutil.copytree(inside / "runs" / "r", inside / "runs" / "leaky")
        (inside / "runs" / "leaky" / "metrics.jsonl").unlink()
        (inside / "runs" / "leaky" / "metrics.jsonl").symlink_to(
            self.outside / "runs" / "r" / "metrics.jsonl"
        )
        theory_views._SECONDS = SECONDS  # type: ignore[misc]
        tptp_reader.forbid_includes()
        self.faults = Faults()
        self.open, self.shut = self._served(None), self._served(TOKEN)

    def _canaries(self, outside: Path) -> Path:
        (outside / "files" / "secret.p").write_text(f"cnf({CANARY}, axiom, {CANARY}(X) = X).\n")
        facts = {"theory": CANARY, "method": CANARY, "seed": 1}
        (outside / "runs" / "r" / "run.json").write_text(json.dumps(facts))
        results = outside / "comparisons" / "c" / "results" / "quick.jsonl"
        results.write_text(results.read_text().replace("p1", CANARY))
        return outside

    def _served(self, token: str | None) -> Any:
        inside = self.root / "inside"
        places = [(inside / kind,) for kind in ("files", "runs", "comparisons")]
        app: Any = make_app(Settings("127.0.0.1", 8000, token, (), *places, seconds=5.0))
        service = app.app.state.service
        service.quick = service.searching = Inline()
        service.jobs = Jobs(service.searching, most=20)
        service.trainings = Idle(inside / "runs")
        return app

    def ask(self, method: str, target: str, body: bytes, *headers: str, token: str = "") -> Answer:
        """What a server says; `target` and the headers (`name: value`) are sent as they are."""
        app = self.shut if token else self.open
        return self.runner.run(_asked(app, method, target, body, headers))


class Answer:
    """The status, the headers and the body of an answer."""

    def __init__(self, messages: list[Any]) -> None:
        kinds = [message["type"] for message in messages]
        assert kinds and kinds[0] == "http.response.start", kinds
        assert set(kinds[1:]) <= {"http.response.body"}, kinds
        self.status: int = messages[0]["status"]
        self.headers = dict(messages[0]["headers"])
        self.body = b"".join(message.get("body", b"") for message in messages[1:])

    def check(self, root: Path, asked: str) -> None:
        """What holds for every answer; it may cite what was `asked`."""
        assert 200 <= self.status < 500, (self.status, self.body[:300])
        assert b"content-security-policy" in self.headers
        told = self.body + b"".join(self.headers.values())
        assert CANARY.encode() not in told and TOKEN.encode() not in self.body
        assert str(root).encode() not in told or root.name in asked
        if self.status >= 400 and self.body:
            self.check_error(json.loads(self.body))

    def check_error(self, value: Any) -> None:
        error = value["error"]
        assert value.keys() == {"error"}
        assert error.keys() <= {"message", "line", "column", "shown"}
        assert isinstance(error["message"], str) and error["message"]


async def _asked(app: Any, method: str, target: str, body: bytes, headers: Any) -> Answer:
    path, _, query = target.partition("?")
    pairs = [header.partition(":")[::2] for header in headers]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 9),
        "scheme": "http",
        "method": method,
        "root_path": "",
        "path": unquote(path),
        "raw_path": path.encode("ascii", "replace"),
        "query_string": query.encode("ascii", "replace"),
        "headers": [
            (name.strip().lower().encode("latin-1", "replace"), _value(value))
            for name, value in pairs
        ],
        "state": {},
    }
    parts = [body[:100], body[100:]]
    messages: list[Any] = []
    gone = asyncio.Event()

    async def receive() -> Any:
        if parts:
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        messages.append(message)

    await app(scope, receive, send)
    return Answer(messages)


def _value(text: str) -> bytes:
    return text.strip().encode("latin-1", "replace")


@cache
def world() -> World:
    return World()


class Wire(asyncio.Transport):
    """The network's side of a connection; `written` is what came."""

    def __init__(self) -> None:
        super().__init__({"sockname": ("127.0.0.1", 8000), "peername": ("127.0.0.1", 9)})
        self.written = b""
        self.closing = False

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    abort = close

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        pass

    resume_reading = pause_reading


async def spoken(app: Any, pieces: list[bytes], lost: bool) -> bytes:
    """What a connection says to these bytes; in the middle of them it may be `lost`."""
    state, wire = ServerState(), Wire()
    config = Config(app, lifespan="off", log_config=None, ws="none")
    connection = Connection(config, state, {})
    connection.connection_made(wire)
    for number, piece in enumerate(pieces):
        if wire.closing or (lost and number > 1):
            break
        connection.data_received(piece)
        await asyncio.sleep(0)
    if not lost and state.tasks:
        await asyncio.wait(set(state.tasks), timeout=0.05)
    connection.connection_lost(None)
    if state.tasks:
        _, left = await asyncio.wait(set(state.tasks), timeout=5)
        assert not left
    return wire.written
