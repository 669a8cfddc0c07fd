"""A host on this machine that gives files, and fails in the ways that hosts do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Host(ThreadingHTTPServer):
    """`files` by their paths; `faults` are taken one for each request, then it behaves."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes], faults: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.faults = files, faults
        self.asked: list[tuple[str, str | None]] = []
        self.released = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Host

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        wanted = self.headers["Range"]
        self.server.asked.append((self.path, wanted))
        fault = self.server.faults.pop(0) if self.server.faults else "none"
        content = self.server.files.get(self.path)
        if fault == "busy":
            return self.refuse(503)
        if fault == "circle":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if fault == "nowhere":
            self.send_response(302)
            self.send_header("Location", "http://[")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if content is None:
            return self.refuse(404)
        if fault == "wrong":
            content = content[::-1]
        start = 0
        if wanted and fault != "from the start":
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(content):
                return self.refuse(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if fault == "endless":
            self.send_header("Content-Length", str(10**15))
        elif fault != "unknown length":
            self.send_header("Content-Length", str(len(content) - start))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if fault in ("cut", "stall"):
            self.wfile.write(content[start : (start + len(content)) // 2])
            self.wfile.flush()
            if fault == "stall":
                self.server.released.wait(20)
        else:
            self.wfile.write(content[start:])

    def refuse(self, code: int) -> None:
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()


@contextmanager
def host(files: dict[str, bytes], faults: list[str] | None = None) -> Iterator[Host]:
    """The host, as long as the block runs."""
    server = Host(files, faults or [])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
