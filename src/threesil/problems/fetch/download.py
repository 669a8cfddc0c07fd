"""A file from the network, or from a directory that stands for it.

What has come so far is kept beside the file, with the ending `.part`: when the connection breaks,
and when the same command is given again, only the rest is asked for, if the host can do that. A
download that stands still, or brings nothing new in a few tries, is given up.
"""

from __future__ import annotations

import errno
import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Final

from threesil.errors import ThreesilError

TRIES: Final = 4
"""without anything new before a download is given up"""
PATIENCE: Final = 30.0
"""seconds without a byte after which a connection counts as broken"""
LARGEST: Final = 200_000_000
"""bytes of a download"""
_CHUNK: Final = 1 << 16
_PASSING: Final = (408, 425, 429, 500, 502, 503, 504)  # the host may answer later
# Errors of the disk, which no host is to blame for.
_DISK: Final = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO),
    *(errno.EROFS, errno.EACCES, errno.EISDIR),
)

Progress = Callable[[int, int | None], None]
"""hears how many bytes have come, and how many there will be as far as that is known"""


class NoConnection(ThreesilError):
    """A host that can't be reached, or that does not give the file."""


def download(
    url: str,
    path: Path,
    *,
    progress: Progress = lambda done, total: None,
    patience: float = PATIENCE,
    pause: float = 1.0,
) -> None:
    """Fetches a file whole or not at all. `pause`: seconds before the second try.

    `NoConnection` if the host does not give it, `OSError` if it can't be written.
    """
    part = path.with_name(f"{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    failures, before = 0, _size(part)
    while True:
        try:
            _attempt(url, part, progress, patience)
            break
        except (ValueError, http.client.InvalidURL) as error:
            raise NoConnection(f"{url} can't be asked for: {error}") from None
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in _DISK:
                raise OSError(error.errno, error.strerror, str(part)) from None
            _refuse_if_final(url, error)
            size = _size(part)
            failures = 0 if size > before else failures + 1
            before = size
            if failures == TRIES:
                raise NoConnection(f"{url}: {_reason(error)}") from None
            time.sleep(pause * 2**failures)
    os.replace(part, path)


def _attempt(url: str, part: Path, progress: Progress, patience: float) -> None:
    """Asks for what is missing and appends it; `OSError` if it does not all come."""
    have = _size(part)
    request = urllib.request.Request(url, headers={"User-Agent": "threesil"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        reply = urllib.request.urlopen(request, timeout=patience)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # there is no such rest: what we have belongs to something else
            part.unlink()
        raise
    with reply:
        goes_on = reply.status == 206 and _begins_at(reply.headers["Content-Range"], have)
        if not goes_on:
            have = 0
        length = reply.headers["Content-Length"]
        total = have + int(length) if length and length.isdecimal() else None
        _refuse_if_large(url, total or 0)
        with part.open("ab" if goes_on else "wb") as file:
            while chunk := reply.read1(_CHUNK):
                file.write(chunk)
                have += len(chunk)
                progress(have, total)
                _refuse_if_large(url, have)
    if total is not None and have != total:
        raise OSError(f"the connection broke after {have:,} of {total:,} bytes")


def _begins_at(header: str | None, place: int) -> bool:
    return (header or "").replace("bytes ", "").split("-")[0] == str(place)


def _refuse_if_large(url: str, size: int) -> None:
    if size > LARGEST:
        raise NoConnection(f"{url} has more than {LARGEST // 1_000_000} MB")


def _refuse_if_final(url: str, error: Exception) -> None:
    """An answer that will not change when it is asked for again."""
    if not isinstance(error, urllib.error.HTTPError):
        return
    if error.code == 404:
        raise NoConnection(f"{url} is not there (404)") from None
    if 300 <= error.code < 400:
        raise NoConnection(f"{url} redirects in a circle, or nowhere ({error.code})") from None
    if error.code not in (*_PASSING, 416):
        raise NoConnection(f"{url} is refused ({error.code} {error.reason})") from None


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the host answers {error.code} {error.reason}"
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    return str(getattr(reason, "strerror", None) or reason or type(error).__name__)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def is_address(text: str) -> bool:
    """Whether a mirror is named by an address, not by a directory."""
    return text.startswith(("https://", "http://"))
