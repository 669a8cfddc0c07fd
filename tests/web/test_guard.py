"""Who is let in, and what never comes out. No worker is needed for this."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi")
from commands import Run
from threesil.cli import app as cli
from threesil.errors import InputError
from threesil.web.app import STATIC, make_app
from threesil.web.settings import Settings

HERE = "http://127.0.0.1:8000"


class client:  # noqa: N801
    """Asks the application itself; keeps cookies."""

    def __init__(self, **settings: object) -> None:
        self.app = make_app(Settings(**settings))  # type: ignore[arg-type]
        self.cookies = httpx.Cookies()

    def get(self, path: str, **given: Any) -> httpx.Response:
        return asyncio.run(self._ask("GET", path, **given))

    def post(self, path: str, **given: Any) -> httpx.Response:
        return asyncio.run(self._ask("POST", path, **given))

    async def _ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url=HERE, cookies=self.cookies
        ) as asking:
            answer = await asking.request(method, path, **given)
            self.cookies.update(asking.cookies)
            return answer


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "localhost", "[::1]:8000"])
def test_this_machine_has_these_names(host: str) -> None:
    assert client().get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example:8000", "localhost.evil.example", "", "a b", "[:"],
)
def test_other_names_are_refused(host: str) -> None:
    answer = client().get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "name" in answer.json()["error"]["message"]


def test_a_server_for_others_goes_by_its_addresses_and_names() -> None:
    one = client(host="0.0.0.0", token="t", names=("prover.example",))
    bearer = {"authorization": "Bearer t"}
    for host, status in (("10.1.2.3:8000", 200), ("prover.example", 200), ("evil.example", 421)):
        assert one.get("/", headers={"host": host, **bearer}).status_code == status


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:9", "http://["]
)
def test_pages_of_other_sites_are_refused(origin: str) -> None:
    answer = client().post("/api/check", json={"text": "x = x"}, headers={"origin": origin})
    assert answer.status_code == 403


def test_requests_that_a_browser_calls_foreign_are_refused() -> None:
    foreign = {"sec-fetch-site": "cross-site"}
    assert client().get("/api/about", headers=foreign).status_code == 403
    assert client().get("/", headers=foreign).status_code == 200  # a link from elsewhere


def test_the_page_itself_is_let_in() -> None:
    assert client().get("/api/about", headers={"origin": HERE}).status_code == 200


def test_a_token_is_needed_where_there_is_one() -> None:
    one = client(token="the-token")
    assert one.get("/").status_code == 401
    assert one.get("/?token=wrong").status_code == 401
    assert one.get("/api/about", headers={"authorization": "Bearer the-toke"}).status_code == 401
    assert one.get("/api/about", headers={"authorization": "Bearer the-token"}).status_code == 200
    welcome = one.get("/?token=the-token")
    assert welcome.status_code == 303 and welcome.headers["location"] == "/"
    assert re.search("HttpOnly; SameSite=Strict", welcome.headers["set-cookie"])
    assert one.get("/api/about").status_code == 200  # the client keeps the cookie


@pytest.mark.parametrize("path", ["/", "/main.js", "/api/about", "/nowhere"])
def test_nothing_foreign_can_be_loaded(path: str) -> None:
    headers = client().get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy
    assert "unsafe" not in policy and "*" not in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_the_page_names_no_other_site_and_holds_no_script() -> None:
    for file in STATIC.iterdir():
        text = file.read_text()
        found = set(re.findall(r"https?://[\w.]+", text)) - {"http://www.w3.org"}
        assert not found, file.name
        assert "innerHTML" not in text and "eval(" not in text
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*src)|<style|\son\w+=|style=", page)


def test_too_long_requests_are_refused() -> None:
    one = client(body=1000)
    declared = one.post("/api/check", json={"text": "x" * 2000})
    assert declared.status_code == 413 and "too long" in declared.json()["error"]["message"]

    async def parts() -> object:
        yield b'{"text": "'
        for _ in range(100):
            yield b"x" * 100

    headers = {"content-type": "application/json"}
    streamed = one.post("/api/check", content=parts(), headers=headers)  # type: ignore[arg-type]
    assert streamed.status_code == 413 and "too long" in streamed.json()["error"]["message"]


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "1e3", "²", ""])
def test_a_length_that_is_none_is_refused(length: str) -> None:
    answer = client().get("/api/about", headers=[(b"content-length", length.encode("latin-1"))])
    assert answer.status_code == 413


@pytest.mark.parametrize("asked", ["bytes=5-1", "bytes=-", "bytes=0-1"])
def test_files_are_served_whole(asked: str) -> None:
    answer = client().get("/main.js", headers={"range": asked})
    assert answer.status_code == 200 and answer.content == (STATIC / "main.js").read_bytes()


def test_an_error_says_what_is_no_text() -> None:
    body = b'{"text": "x", "\\ud800": 1}'
    answer = client().post("/api/check", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422 and answer.json()["error"]["message"]


def test_files_whose_names_are_no_text_are_left_out(tmp_path: Path) -> None:
    for name in (b"a.thy", b"\xff.thy"):
        Path(os.fsdecode(os.path.join(bytes(tmp_path), name))).write_text("Axiom a: f(x) = x.\n")
    (Path(os.fsdecode(bytes(tmp_path) + b"/\xff"))).mkdir()
    (Path(os.fsdecode(bytes(tmp_path) + b"/\xff/run.json"))).write_text("{}")
    about = client(files=(tmp_path,), runs=(tmp_path,)).get("/api/about").json()
    assert (about["files"], about["runs"]) == (["a.thy"], [])


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b'{"text": 1}', b'{"text": "x", "who": 1}', b"[" * 50_000, b"null"],
)
def test_what_is_no_request_gets_a_short_answer(body: bytes) -> None:
    answer = client().post("/api/check", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert 0 < len(answer.json()["error"]["message"]) < 600


@pytest.mark.parametrize(
    "theory",
    ["/etc/passwd", "../secret.thy", "secret.thy", "out.thy", ".", "milk.thy/../../secret.thy"],
)
def test_files_are_read_below_named_directories_only(theory: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.thy").write_text("Axiom a: f(x) = x.\n")
    (inside / "milk.thy").write_text("Axiom a: f(x) = x.\n")
    (inside / "out.thy").symlink_to(tmp_path / "secret.thy")
    one = client(files=(inside,))
    assert one.get("/api/about").json()["files"] == ["milk.thy"]
    answer = one.post("/api/check", json={"text": "f(x) = x", "theory": theory})
    assert answer.status_code == 400
    assert str(tmp_path) not in answer.text


@pytest.mark.parametrize("path", ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd"])
def test_no_file_beside_the_page_is_served(path: str) -> None:
    assert client().get(path).status_code == 404


def test_the_interface_describes_itself() -> None:
    described = client().get("/api/openapi.json").json()
    for path, methods in described["paths"].items():
        for method in methods.values():
            assert method["description"], path


@pytest.mark.parametrize("token", ["", " ", "\t\n", "a b", "a;b", "ä", "a\r\nx: y"])
def test_a_token_that_keeps_nobody_out_is_refused(token: str, threesil: Run) -> None:
    with pytest.raises(InputError, match="token"):
        Settings(token=token)
    given = threesil("serve", "--port", "0", "--token", token)
    assert given.code == 2 and not given.out
    assert "token" in given.err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3", "prover.example", "128.0.0.1", ""])
def test_nothing_is_served_to_others_without_a_token(host: str) -> None:
    with pytest.raises(InputError, match="token"):
        Settings(host)
    assert Settings(host, token="t").token == "t"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.4.5", "::1", "localhost"])
def test_this_machine_alone_needs_no_token(host: str) -> None:
    assert Settings(host).token is None


def shown_by_serve(*options: str) -> str:
    """What `threesil serve` prints before it begins to serve."""
    import uvicorn
    from typer.testing import CliRunner

    from threesil.cli import register

    register("serve")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uvicorn.Server, "run", lambda self, sockets: sockets[0].close())
        return CliRunner().invoke(cli, ["serve", "--port", "0", *options]).stdout


def test_others_than_this_machine_need_a_token() -> None:
    for host in ("0.0.0.0", "0", "::"):
        assert re.search(r"\?token=[\w-]{24}", shown_by_serve("--host", host))
    for options in ((), ("--host", "127.0.0.2"), ("--host", "localhost")):
        assert "http" in shown_by_serve(*options) and "token" not in shown_by_serve(*options)


def test_a_name_of_this_machine_that_leads_elsewhere_needs_a_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("0.0.0.0", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: there)
    assert "?token=" in shown_by_serve("--host", "localhost")
