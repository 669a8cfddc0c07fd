"""Who is let in: the name in `Host`, the page in `Origin`, the token, the size of what is sent.

A page of another site can make a browser send requests here, under our address or under a name
that it points to this machine. The first has a foreign `Origin`, the second a foreign `Host`;
neither is answered. The answers' headers let a page load nothing but what the server itself has.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from threesil.web.settings import Settings

COOKIE: Final = "threesil"
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


class Guard:
    """Stands in front of the application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # there are no other protocols here
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        if self._brings_token(scope, headers):
            await _answer(send, 303, "", self._welcome(scope))
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_encoded(_HEADERS.items())]
            await send(message)

        asked = [(key, value) for key, value in scope["headers"] if key != b"range"]
        # What is answered in parts would have errors of another shape, and nothing here is long.
        await self.app({**scope, "headers": asked}, self._counted(receive), guarded)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is not answered, if it isn't."""
        host = _host(headers.get("host", ""))
        if host is None or not self.settings.knows(host):
            return 421, "this server does not go by that name; see: threesil serve --name"
        origin = headers.get("origin")
        if origin is not None and _site(origin) != headers["host"].lower():
            return 403, "a page of another site asked for this"
        if headers.get("sec-fetch-site") == "cross-site" and scope["path"].startswith("/api/"):
            return 403, "a page of another site asked for this"
        if not self._has_token(scope, headers):
            return 401, "this server needs its token: open the address that it printed"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18 or int(length) > self.settings.body:
            return 413, self._too_large()
        return None

    def _too_large(self) -> str:
        return f"this is too long: at most {self.settings.body / 1e6:g} MB are read"

    # The token: in the address that was printed, later in a cookie; programs send a header.

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        token = self.settings.token
        if token is None:
            return True
        given = [_cookie(headers.get("cookie", "")), _asked(scope) or ""]
        given.append(headers.get("authorization", "").removeprefix("Bearer "))
        return any(hmac.compare_digest(one.encode(), token.encode()) for one in given)

    def _brings_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        return self.settings.token is not None and scope["path"] == "/" and bool(_asked(scope))

    def _welcome(self, scope: Scope) -> list[tuple[str, str]]:
        cookie = f"{COOKIE}={self.settings.token}; HttpOnly; SameSite=Strict; Path=/"
        return [("location", "/"), ("set-cookie", cookie)]

    def _counted(self, receive: Receive) -> Receive:
        """Receives until there is too much: not every request says how long it is."""
        count = 0

        async def counted() -> Message:
            nonlocal count
            message = await receive()
            count += len(message.get("body", b""))
            if count > self.settings.body:
                raise HTTPException(413, self._too_large())
            return message

        return counted


def _host(header: str) -> str | None:
    """The name in a `Host` header, without the port; None if it is none."""
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


def _site(origin: str) -> str | None:
    """The name and port in an `Origin` header; None if it is none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _asked(scope: Scope) -> str | None:
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return next(iter(query.get("token", ())), None)


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(key.encode(), value.encode("latin-1")) for key, value in headers]


async def _answer(
    send: Send, status: int, message: str, headers: Iterable[tuple[str, str]] = ()
) -> None:
    body = json.dumps({"error": {"message": message}}).encode() if message else b""
    kind = ("content-type", "application/json")
    listed = _encoded([kind, *_HEADERS.items(), *headers, ("content-length", str(len(body)))])
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})
