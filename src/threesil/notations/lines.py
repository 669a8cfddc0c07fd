"""Text files, gzipped or not: line by line, or as one text that knows where its parts stand."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from threesil.errors import InputError

LARGEST: Final = 20_000_000
"""Bytes of the largest file that is read as a whole; its terms take some sixty times as much."""

_BEGINNING: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Text:
    """A whole text, with the name that messages give it and what there is to say of its reading."""

    source: str
    content: str
    notes: tuple[str, ...] = ()
    path: Path | None = None

    def error(self, message: str, offset: int) -> InputError:
        """The error at a place, given by its offset."""
        first = self.content.rfind("\n", 0, offset) + 1
        end = self.content.find("\n", first)
        return InputError(
            message,
            source=self.source,
            line=self.line(offset),
            column=offset - first + 1,
            text=self.content[first : end if end >= 0 else len(self.content)],
        )

    def line(self, offset: int) -> int:
        """The number of the line, from 1, that holds this place."""
        return self.content.count("\n", 0, offset) + 1


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end) of a text file; bad files give `InputError`."""
    number = 0
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, 1):
                text = line.decode("utf-8").rstrip("\r\n")
                yield number, text.removeprefix("\ufeff") if number == 1 else text
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text (byte {error.start + 1} of the line)"
        raise InputError(message, source=str(path), line=number) from None


def read_text(path: Path, *, beginning: bool = False) -> Text:
    """A whole file, or its beginning. What is not UTF-8 is read as Latin-1, which is noted."""
    with _opened(path) as file:
        content = file.read(_BEGINNING if beginning else LARGEST + 1)
    if len(content) > LARGEST:
        message = f"too large: at most {LARGEST // 1_000_000} MB can be read"
        raise InputError(message, source=str(path))
    return decoded(content, path)


def decoded(content: bytes, path: Path) -> Text:
    """The text of a file's bytes."""
    notes: tuple[str, ...] = ()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        notes = (f"line {line} is not UTF-8: the file was read as Latin-1",)
        text = content.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = Text(str(path), text, notes, path)
    if "\0" in text:
        raise found.error("this is not a text file", text.index("\0"))
    return found


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    source = str(path)
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if zipped else path.open("rb") as file:
            yield cast("IO[bytes]", file)
    except FileNotFoundError:
        raise InputError("there is no such file", source=source) from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"damaged gzip file: {error}", source=source) from None
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror or error}", source=source) from None
