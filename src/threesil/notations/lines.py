"""Whole texts, gzipped or not, that know where their parts stand."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from pathlib import Path

from threesil.errors import InputError
from threesil.files import limits, opened, read_bytes


@dataclass(frozen=True, slots=True)
class Text:
    """A whole text, with the name that messages give it and what there is to say of its reading."""

    source: str
    content: str
    notes: tuple[str, ...] = ()
    path: Path | None = None
    line_end: str = "\n"
    """how lines end in the file; in `content` it is a line feed"""
    _breaks: list[int] = field(default_factory=list, repr=False, compare=False)
    """where lines end, as soon as that is asked for"""

    def error(self, message: str, offset: int, kind: type[InputError] = InputError) -> InputError:
        """The error at a place, given by its offset."""
        first = self.content.rfind("\n", 0, offset) + 1
        end = self.content.find("\n", first)
        return kind(
            message,
            source=self.source,
            line=self.line(offset),
            column=offset - first + 1,
            text=self.content[first : end if end >= 0 else len(self.content)],
        )

    def line(self, offset: int) -> int:
        """The number of the line, from 1, that holds this place."""
        if not self._breaks:
            ends = (at for at, sign in enumerate(self.content) if sign == "\n")
            self._breaks.extend((*ends, len(self.content)))
        return min(bisect_left(self._breaks, offset) + 1, len(self._breaks))


def read_text(path: Path) -> Text:
    """A whole file. What is not UTF-8 is read as Latin-1, which is noted."""
    return decoded(read_bytes(path, limits.TEXT, unzip=True), path)


def beginning(path: Path) -> str:
    """As much of a file as the largest text has: all of it, unless it is a list of problems."""
    with opened(path, unzip=True) as file:
        content = file.read(limits.TEXT)
    return content.decode("utf-8", errors="replace").removeprefix("\ufeff")


def decoded(content: bytes, path: Path) -> Text:
    """The text of a file's bytes."""
    notes: tuple[str, ...] = ()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        notes = (f"line {line} is not UTF-8: the file was read as Latin-1",)
        text = content.decode("latin-1")
    line_end = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = Text(str(path), text, notes, path, line_end)
    if "\0" in text:
        raise found.error("this is not a text file", text.index("\0"))
    return found
