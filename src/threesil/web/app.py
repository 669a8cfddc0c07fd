"""The application: the page's files, and the parts of the JSON interface."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import threesil
from threesil.errors import InputError
from threesil.web.guard import Guard
from threesil.web.pool import Busy, Wrong
from threesil.web.routes import router
from threesil.web.service import Service
from threesil.web.settings import Settings

STATIC = Path(str(files("threesil.web") / "static"))
_ABOUT = """The interface that the page of `threesil serve` itself uses.

Errors are `{"error": {"message", "line", "column", "shown"}}`; where a text is wrong, `shown`
is its line and a line with a caret under the place. Searches answer with a stream of
server-sent events; whoever closes the stream ends the search.
"""


def make_app(settings: Settings) -> ASGIApp:
    """The guarded application; its processes live as long as its lifespan."""
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            await service.close()

    app = FastAPI(
        title="threesil",
        version=threesil.__version__,
        description=_ABOUT,
        docs_url=None,  # these pages would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    app.state.service = service
    for error, status in ((InputError, 400), (Wrong, 400), (Busy, 503)):
        app.add_exception_handler(error, _handler(status))
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unexpected)
    app.include_router(router)
    app.mount("/", StaticFiles(directory=STATIC, html=True))
    return Guard(app, settings)


def _handler(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(_: Request, error: Exception) -> Response:
        value = error.value if isinstance(error, Wrong) else {"message": _plain(error)}
        headers = {"retry-after": "2"} if status == 503 else None
        return _error(value, status, headers)

    return handle


def _plain(error: Exception) -> str:
    return error.message if isinstance(error, InputError) else str(error)


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error({"message": str(error.detail)}, error.status_code)


async def _invalid(_: Request, error: Exception) -> Response:
    """What is wrong with a request, without the request itself: that may be long."""
    assert isinstance(error, RequestValidationError)
    said = [
        f"{'.'.join(str(part) for part in one['loc'][1:])}: {one['msg']}"[:200]
        for one in error.errors()[:5]
    ]
    return _error({"message": "; ".join(said) or "not a request"}, 422)


async def _unexpected(_: Request, error: Exception) -> Response:
    return _error({"message": "something went wrong; the server's terminal says more"}, 500)


def _error(value: object, status: int, headers: dict[str, str] | None = None) -> Response:
    """An error in its shape; what it cites of a request may be no text, so that it is escaped."""
    content = json.dumps({"error": value})
    return Response(content, status, headers, media_type="application/json")
