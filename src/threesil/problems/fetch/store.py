"""The directory of problem sets: what is there, what is written, and the digests of it.

`SHA256SUMS` lists every file that was made, as `sha256sum -c` reads it. A file that is in the list
as it stands was made by threesil, so a later version may put another in its place; any other file
is the user's and is not changed.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from threesil.errors import InputError
from threesil.files import is_file, write_atomically

SUMS: Final = "SHA256SUMS"


def text_digest(text: str) -> str:
    """SHA-256 of the text of a file, which may be compressed there."""
    return hashlib.sha256(text.encode()).hexdigest()


def encoded(file: str, text: str) -> bytes:
    """The bytes of a file; the same text gives the same bytes."""
    return gzip.compress(text.encode(), 9, mtime=0) if file.endswith(".gz") else text.encode()


def holds(path: Path, digest: str) -> bool:
    """Whether a file is there whose text has this digest."""
    if not is_file(path):
        return False
    content = path.read_bytes()
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            return False
    return hashlib.sha256(content).hexdigest() == digest


def read_sums(directory: Path) -> dict[str, str]:
    """The digest of each file that was made here, by its path."""
    path = directory / SUMS
    if not is_file(path):
        return {}
    sums = {}
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        digest, gap, file = line.partition("  ")
        if len(digest) != 64 or not gap or not file:
            message = "not a line of digests; remove this file and fetch again"
            raise InputError(message, source=str(path), line=number)
        sums[file] = digest
    return sums


def refuse_strangers(directory: Path, made: Mapping[str, str]) -> None:
    """Refuses to write where a file stands that threesil has not made like this."""
    sums = read_sums(directory)
    for file, digest in made.items():
        path = directory / file
        if not path.exists() or holds(path, digest):
            continue
        if not is_file(path) or _digest(path) != sums.get(file):
            raise InputError(
                f"{path} is there with other content (an older layout, a part, or your own) and is "
                "not changed; move it away, or fetch into another directory with --to"
            )


def write(directory: Path, made: Mapping[str, str]) -> None:
    """Writes the files and their digests."""
    sums = read_sums(directory)
    for file, text in made.items():
        content = encoded(file, text)
        path = directory / file
        if not holds(path, text_digest(text)):
            write_atomically(path, content)
        sums[file] = _digest(path)
    lines = (f"{sums[file]}  {file}\n" for file in sorted(sums))
    write_atomically(directory / SUMS, "".join(lines).encode())


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
