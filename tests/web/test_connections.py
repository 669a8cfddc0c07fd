"""Slow clients are cut off, and keep nobody else out meanwhile. Nothing here measures time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

pytest.importorskip("fastapi")
import uvicorn

from threesil.web.connections import CONNECTIONS, LONGEST_HEADERS, Connection
from waiting import HANG
from web.serving import http, serving

BEGUN = b"POST /api/check HTTP/1.1\r\nhost: 127.0.0.1\r\n"
BODY = BEGUN + b"content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"
UNFINISHED = {
    "nothing": b"",
    "a line": b"GET / HT",
    "headers": BEGUN,
    "a body": BODY,
    "a chunk": BEGUN + b"transfer-encoding: chunked\r\n\r\n5\r\n{",
    "a refused one": b"POST /api/check HTTP/1.1\r\nhost: elsewhere\r\ncontent-length: 9\r\n\r\n{",
}


def address(url: str) -> tuple[str, int]:
    found = httpx.URL(url)
    assert found.port is not None
    return found.host, found.port


def connected(where: tuple[str, int], sends: bytes) -> socket.socket:
    client = socket.create_connection(where, HANG)
    client.sendall(sends)
    return client


@pytest.mark.slow
def test_six_hundred_unfinished_requests_keep_nobody_out(tmp_path: Path) -> None:
    kinds = list(UNFINISHED.values())
    with serving(where=tmp_path) as server, ExitStack() as stack:
        for round_ in range(3):
            for number in range(200):
                sends = kinds[number % len(kinds)]
                stack.enter_context(connected(address(server.url), sends))
            answer = http.get(f"{server.url}api/about")
            assert answer.status_code == 200, round_
            body = {"text": "x * e = x", "theory": "groups"}
            assert http.post(f"{server.url}api/check", json=body).status_code == 200


class Quick(Connection):
    """Has no patience."""

    seconds: ClassVar = {"headers": 0.3, "body": 0.3, "taking": 0.3}
    most: ClassVar = 5
    waiting: ClassVar[dict[Connection, None]] = {}


@contextmanager
def quick(
    answer: bytes = b"done", kind: type[Connection] = Quick, *, early: bool = False
) -> Iterator[tuple[str, int]]:
    """A server in a thread that answers whatever is asked, once it has all of it, or `early`."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while not early and (await receive()).get("more_body"):
            pass
        length = str(len(answer)).encode()
        headers = [(b"content-length", length)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    config = uvicorn.Config(
        app,
        port=0,
        http=kind,
        lifespan="off",
        log_level="critical",
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield bound.getsockname()
        finally:
            server.should_exit = True
            thread.join(HANG)
            assert not thread.is_alive()
    assert not kind.waiting


def is_cut_off(client: socket.socket, trickles: bytes) -> bool:
    """Whether the server ends a connection whose client sends a byte now and then."""
    client.settimeout(0.05)
    end = time.monotonic() + HANG
    while time.monotonic() < end:
        try:
            if not client.recv(65_536):
                return True
        except TimeoutError:
            pass
        except ConnectionError:
            return True
        try:
            client.sendall(trickles)
        except OSError:
            return True
    return False


@pytest.mark.parametrize("kind", [kind for kind in UNFINISHED if kind != "a refused one"])
@pytest.mark.parametrize("trickles", [b"", b"x"])
def test_what_never_ends_is_cut_off(kind: str, trickles: bytes) -> None:
    with quick() as where, connected(where, UNFINISHED[kind]) as client:
        assert is_cut_off(client, trickles)


@pytest.mark.parametrize("trickles", [b"", b"x"])
def test_a_connection_that_is_kept_is_cut_off_too(trickles: bytes) -> None:
    with quick() as where, connected(where, b"GET / HTTP/1.1\r\nhost: a\r\n\r\n") as client:
        assert client.recv(10_000).startswith(b"HTTP/1.1 200")
        assert is_cut_off(client, trickles)


@pytest.mark.parametrize("closing", [b"", b"connection: close\r\n"])
def test_who_takes_no_answer_is_cut_off(closing: bytes) -> None:
    request = b"GET / HTTP/1.1\r\nhost: a\r\n" + closing + b"\r\n"
    cut = threading.Event()

    class Told(Quick):
        waiting: ClassVar[dict[Connection, None]] = {}

        def _cut_off(self) -> None:
            super()._cut_off()
            cut.set()

    with quick(bytes(50_000_000), Told) as where, connected(where, request) as client:
        assert cut.wait(HANG)
        taken = 0
        with pytest.raises(ConnectionError):
            while part := client.recv(1_000_000):
                taken += len(part)
            raise ConnectionError
        assert taken < 50_000_000


def test_the_one_that_waits_longest_gives_way() -> None:
    class Patient(Quick):
        seconds: ClassVar = dict.fromkeys(("headers", "body", "taking"), HANG)
        waiting: ClassVar[dict[Connection, None]] = {}

    with quick(kind=Patient) as where, ExitStack() as stack:
        clients = [stack.enter_context(connected(where, b"G")) for _ in range(Quick.most + 3)]
        assert http.get(f"http://{where[0]}:{where[1]}/").text == "done"
        for client in clients[:4]:  # one of them for the request
            assert is_cut_off(client, b"")
        for client in clients[4:]:
            client.sendall(b"ET / HTTP/1.1\r\nhost: a\r\n\r\n")
            assert client.recv(1000).startswith(b"HTTP/1.1 200")


def test_who_goes_on_taking_is_left_alone() -> None:
    class Transport:
        """What a connection writes to: so many bytes are left."""

        left, aborted = 100_000, False

        def get_write_buffer_size(self) -> int:
            return self.left

        def abort(self) -> None:
            self.aborted = True

    class Waiting(Connection):
        def __init__(self) -> None:
            self.transport = Transport()  # type: ignore[assignment]
            self.loop = type("Loop", (), {"call_later": lambda *_: None})()

    one = Waiting()
    one._enter("taking")
    for left, aborted in ((90_000, False), (50_000, False), (49_000, True)):
        one.transport.left = left  # type: ignore[attr-defined]
        one._end("taking")
        assert one.transport.aborted is aborted  # type: ignore[attr-defined]
    assert one not in Connection.waiting


def test_many_and_long_headers_are_refused(tmp_path: Path) -> None:
    with serving(where=tmp_path) as server:
        for lines in (1, LONGEST_HEADERS // 100):
            line = b"x: " + b"y" * (LONGEST_HEADERS // lines) + b"\r\n"
            request = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n" + line * lines
            with connected(address(server.url), request) as client:
                assert client.recv(1000).startswith(b"HTTP/1.1 4")


def test_what_is_no_request_after_an_answer_began_is_cut_off(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The rest of the body is none, but the request was refused already."""
    refused = BEGUN + b"transfer-encoding: chunked\r\n\r\n"
    with quick(early=True) as where, connected(where, refused) as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        client.sendall(b"no chunk\r\n")
        assert is_cut_off(client, b"")
    assert not caplog.records
