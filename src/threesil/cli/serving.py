"""The command serve: the page in the browser."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import Annotated

import typer

from threesil.errors import InputError, MissingTool


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8000,
    host: Annotated[
        str, typer.Option(help="Where to listen; others than this machine need a token.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            help="What a browser must send; default: a new random one if --host is given."
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A further name by which browsers may call this machine."),
    ] = None,
    files: Annotated[
        list[Path] | None, typer.Option(help="A directory of theory files to choose from.")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(help="A directory of training runs, old and new; default: runs."),
    ] = None,
    comparisons: Annotated[
        list[Path] | None,
        typer.Option(help="A directory of comparisons; default: comparisons."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Searches at a time.")] = 2,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="CPU time that a search may take at most.")
    ] = 600.0,
    memory: Annotated[int, typer.Option(min=256, help="Megabytes of a search at most.")] = 2048,
) -> None:
    """Serve the page: prove, play, look at runs, comparisons and theories.

    Only this machine can reach it, unless --host says otherwise. Nothing is loaded from elsewhere,
    and no file is read but in the directories that are named.

      threesil serve

      threesil serve --port 8080 --files theories/ --runs runs/

      threesil serve --host 0.0.0.0 --name prover.example.org
    """
    try:
        import uvicorn

        from threesil.web.app import make_app
        from threesil.web.connections import CONNECTIONS, IDLE, LONGEST_HEADERS, Connection
        from threesil.web.settings import Settings, check_token, is_loopback
    except ImportError as error:
        raise MissingTool(
            f"{error.name} is not installed; try: pip install 'threesil[web]'"
        ) from None
    if token is not None:
        check_token(token)
    bound = _bound(host, port)
    address, taken = bound.getsockname()[:2]
    # What a name stands for decides, not the name: `localhost` may be another machine's.
    if token is None and not (is_loopback(host) and is_loopback(address)):
        token = secrets.token_urlsafe(18)
    settings = Settings(
        host,
        taken,
        token,
        tuple(name or ()),
        _directories(files, None),
        _directories(runs, Path("runs")),
        _directories(comparisons, Path("comparisons")),
        processes=workers,
        seconds=seconds,
        megabytes=memory,
    )
    shown = f"[{host}]" if ":" in host else host
    query = f"?token={token}" if token else ""
    print(f"threesil: http://{shown}:{settings.port}/{query}  (Ctrl-C ends it)", flush=True)
    config = uvicorn.Config(
        make_app(settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        http=Connection,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=LONGEST_HEADERS,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[bound])


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        reason = error.strerror or error
        advice = "another program listens there? try --port 0" if error.errno == 98 else "--host?"
        raise InputError(f"can't listen on {host}:{port}: {reason}; {advice}") from None
    return bound


def _directories(given: list[Path] | None, default: Path | None) -> tuple[Path, ...]:
    for path in given or ():
        if not path.is_dir():
            raise InputError(f"{path} is not a directory")
    if given is None and default is not None:
        return (default,)
    return tuple(given or ())


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command()(serve)
