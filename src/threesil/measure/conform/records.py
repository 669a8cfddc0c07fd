"""Trace files: one JSON object a line, one episode each.

Two kinds are known: episodes on equations (`equation`, steps with both sides `m`, `n`, the cursor
`cur` with positions from 1, a `mask` string, the action `act` from 0) and episodes on terms (steps
with the term `e` in prefix notation, the cursor `c`, legal actions `l` and the action `a` by the
numbers that people read). Which theory a file is about is seen from the kind and from the symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from threesil.errors import InputError
from threesil.files import read_lines
from threesil.files.json_text import NotJson, json_value
from threesil.kernel.theory import Goal, Theory
from threesil.notations.tokens import Place

T = TypeVar("T")


@dataclass(frozen=True)
class Record:
    """A JSON object of a trace, with checked access to its fields."""

    fields: dict[str, Any]
    place: Place

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        value = self.fields.get(key, default)
        number = kind in (int, float) and isinstance(value, int | float)
        if not (isinstance(value, kind) or number) or (kind is int and isinstance(value, bool)):
            found = "nothing" if value is None else repr(value)[:40]
            raise self.error(f"{key!r} should be {_KINDS[kind]}, found {found}")
        return kind(value) if number else value  # type: ignore[call-arg,return-value]

    def numbers(self, key: str) -> list[int]:
        values = self.get(key, list)
        if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            raise self.error(f"{key!r} should be a list of integers")
        return values

    def records(self, key: str) -> list[Record]:
        values = self.get(key, list)
        if not all(isinstance(v, dict) for v in values):
            raise self.error(f"{key!r} should be a list of objects")
        return [Record(v, self.place) for v in values]

    def error(self, message: str) -> InputError:
        return InputError(message, source=self.place.source, line=self.place.line)

    def text(self, key: str) -> tuple[str, Place]:
        """A text field and the place for errors inside it."""
        value = self.get(key, str)
        return value, replace(self.place, source=f"{self.place.source} ({key})", text=value)


_KINDS: dict[type, str] = {
    str: "a text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def read_trace(path: Path) -> Iterator[Record]:
    """The episodes of a trace file."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            value = json_value(line)
        except NotJson as error:
            place = {"line": number, "column": error.offset + 1}
            raise InputError(f"not JSON: {error}", source=str(path), text=line, **place) from None
        if not isinstance(value, dict):
            raise InputError("expected a JSON object", source=str(path), line=number)
        yield Record(value, Place(str(path), number))


def recognise(record: Record, theories: Sequence[Theory]) -> Theory:
    """The theory of an episode, from its kind and its symbols."""
    if "equation" in record.fields:
        goal, text = Goal.EQUATION, ""
    elif "goal" in record.fields:
        goal, text = Goal.TARGET, record.get("goal", str)
    else:
        goal, text = Goal.NORMAL_FORM, ""
    for theory in theories:
        if theory.goal is goal and set(text) <= set(theory.signature.symbols):
            return theory
    raise record.error(f"no theory with the goal {goal.value!r} fits this episode")
