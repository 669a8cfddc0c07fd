"""JSON as files have it, read with suspicion.

What one reader could take one way and another reader another way is refused: a key that occurs
twice, `NaN`, half a pair of surrogates, numbers that are too large to be kept. So is nesting that
would exhaust the stack of whoever walks through the value.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn, TypeGuard

from threesil.errors import InputError
from threesil.files import limits, read_lines, read_text

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_LARGE = re.compile(r"[0-9]{19}|[0-9.][eE]\+?[0-9]{3}")  # what only a number out of bounds has
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_NESTED = (list, dict)


class NotJson(ValueError):
    """Why a text is no value of JSON, and after how many of its characters that shows."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class JsonText:
    """A text with values of JSON, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        numbers: dict[str, Any] = {}
        if _LARGE.search(text):  # else nothing is gained by looking at each number
            numbers = {"parse_int": _integer, "parse_float": _float}
        self._decoder = json.JSONDecoder(
            object_pairs_hook=_object, parse_constant=_constant, **numbers
        )
        self._may_be_half = _HALF.search(text) is not None
        self._may_be_deep = text.count("[") + text.count("{") > limits.NESTING

    def value(self, at: int) -> tuple[Any, int]:
        """The value that begins here, and where it ends; `NotJson` if there is none."""
        try:
            value, end = self._decoder.raw_decode(self.text, at)
            if self._may_be_deep:
                _check_depth(value)
            if self._may_be_half:
                json.dumps(value, ensure_ascii=False).encode()
        except json.JSONDecodeError as error:
            raise NotJson(error.msg, error.pos) from None
        except UnicodeEncodeError:
            raise NotJson("half a pair of surrogates in a text", at) from None
        except RecursionError:
            raise NotJson(_DEEP, at) from None
        except ValueError as error:
            raise NotJson(str(error), at) from None
        return value, end

    def skip(self, at: int) -> int:
        """Where the blanks that stand here end."""
        blanks = _BLANK.match(self.text, at)
        assert blanks is not None
        return blanks.end()


def json_value(text: str) -> Any:
    """The only value of a text; `NotJson` if it is none."""
    read = JsonText(text)
    value, end = read.value(read.skip(0))
    if (end := read.skip(end)) < len(text):
        raise NotJson("expected nothing behind the value", end)
    return value


def json_object(text: str) -> dict[str, Any]:
    """The same for an object; `NotJson` if it is another value."""
    value = json_value(text)
    if not isinstance(value, dict):
        raise NotJson("expected an object in braces", 0)
    return value


def read_json(path: Path, most: int = limits.TEXT) -> Any:
    """The value of a file; `InputError` if there is none."""
    text = read_text(path, most)
    try:
        return json_value(text)
    except NotJson as error:
        line = text.count("\n", 0, error.offset) + 1
        raise InputError(f"not JSON: {error}", source=str(path), line=line) from None


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) for each line of a file that is not blank."""
    for number, line in read_lines(path):
        if line.strip():
            try:
                yield number, json_object(line)
            except NotJson as error:
                message = f"not a JSON object: {error}"
                raise InputError(message, source=str(path), line=number) from None


def is_count(value: object, most: int = limits.INTEGER) -> TypeGuard[int]:
    """Whether a value is a whole number from 0 to `most`; true and false are none."""
    return type(value) is int and 0 <= value <= most


_DEEP: Final = f"brackets nested too deep: at most {limits.NESTING}"


def _check_depth(value: object) -> None:
    level, depth = [value] if type(value) in _NESTED else [], 0
    while level:
        depth += 1
        if depth > limits.NESTING:
            raise NotJson(_DEEP, 0)
        level = [
            item
            for of in level
            for item in (of.values() if type(of) is dict else of)  # type: ignore[attr-defined]
            if type(item) in _NESTED
        ]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:40]!r} occurs twice")
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -limits.INTEGER <= int(digits) <= limits.INTEGER:
        raise ValueError("a number is too large")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value
