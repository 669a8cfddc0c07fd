"""What a server serves, to whom, and within which bounds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from threesil.errors import InputError
from threesil.runs.run import RUN

_MARKS: Final = {"runs": RUN, "comparisons": "compare.json"}
_KINDS = (".p", ".tptp", ".ax", ".in", ".ladr", ".thy")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~-]+")
_MOST = 5_000  # files below a directory that are looked at


@dataclass(frozen=True)
class Settings:
    """`seconds` is the most that a search may take, `body` the most bytes of a request.

    `files`, `runs` and `comparisons` are the only directories that are read. With a `token` nothing
    is served without it; where others can reach the server, there has to be one. `names` are
    further names under which the server is reached.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    names: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    runs: tuple[Path, ...] = ()
    comparisons: tuple[Path, ...] = ()
    processes: int = 2
    waiting: int = 100
    seconds: float = 600.0
    megabytes: int = 2048
    body: int = 4_000_000

    def __post_init__(self) -> None:
        if self.token is not None:
            check_token(self.token)
        elif not is_loopback(self.host):
            raise InputError(f"others can reach a server on {self.host}: it needs a token")

    def knows(self, host: str) -> bool:
        """Whether a request may call the server so: protects from names that others point here."""
        if is_loopback(host) or host in (self.host, *self.names):
            return True
        return self.host in ("0.0.0.0", "::") and _is_address(host)

    def theory_files(self) -> dict[str, Path]:
        """The files of the directories `files`, by the names that the page gives them."""
        found: dict[str, Path] = {}
        for directory in self.files:
            root = directory.resolve()
            for path in sorted(islice(root.rglob("*"), _MOST)):
                inside = path.resolve().is_relative_to(root)  # no link leads out
                name = path.relative_to(root).as_posix()
                if inside and path.suffix in _KINDS and _is_text(name) and path.is_file():
                    found[name] = path
        return found

    def places(self, kind: Literal["runs", "comparisons"]) -> dict[str, Path]:
        """Training runs or comparisons below the directories for them, by the page's names."""
        mark, found = _MARKS[kind], dict[str, Path]()
        for directory in self.runs if kind == "runs" else self.comparisons:
            root = directory.resolve()
            below = (path.parent for path in root.glob(f"*/{mark}"))
            for path in [root] if (root / mark).exists() else sorted(below):
                if path.resolve().is_relative_to(root) and _is_text(path.name):
                    name = path.name if path.name not in found else f"{root.name}/{path.name}"
                    found[name] = path
        return found


def check_token(token: str) -> None:
    """Refuses what can't stand in an address and in a cookie, and what keeps nobody out."""
    if not token.strip():
        raise InputError(
            "the token is empty, perhaps because a variable of the shell is not set; give another "
            "one, or leave --token out"
        )
    if not _TOKEN.fullmatch(token):
        raise InputError("a token has letters, digits and -._~ only")


def is_loopback(host: str) -> bool:
    """Whether a name is this machine's own."""
    if host == "localhost":
        return True
    return _is_address(host) and ip_address(host.strip("[]")).is_loopback


def _is_text(name: str) -> bool:
    """Whether the name of a file is a text, which no answer could hold otherwise."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
