"""Dataclasses from objects of JSON, by the annotations of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from threesil.files.json_text import is_count

D = TypeVar("D")
_WORDS = {
    str: "a text",
    int: "a whole number from 0",
    float: "a number from 0",
    bool: "true or false",
    NoneType: "null",
    Mapping: "an object",
    tuple: "a list",
}


def json_record(kind: type[D], value: object) -> D:
    """The dataclass with the fields of an object; `ValueError` says what is wrong with it.

    Fields may be texts, numbers from 0, truths, enumerations of texts, mappings by texts, tuples,
    or one of several of these. A field that has a default may be missing.
    """
    if not isinstance(value, dict):
        raise ValueError("expected an object")
    kinds, needed = _fields(kind)  # type: ignore[arg-type]
    if unknown := sorted(value.keys() - kinds.keys()):
        raise ValueError(f"unknown key {unknown[0][:40]!r}")
    if lacking := [name for name in needed if name not in value]:
        raise ValueError(f"{lacking[0]} is missing")
    found = {}
    for name, given in value.items():
        try:
            found[name] = _fitting(kinds[name], given)
        except ValueError:
            message = f"{name} should be {_words(kinds[name])}, not {str(given)[:40]!r}"
            raise ValueError(message) from None
    return kind(**found)


@cache
def _fields(kind: type[Any]) -> tuple[dict[str, Any], list[str]]:
    """The types of all fields, and the names of those without a default."""
    hints = get_type_hints(kind)
    needed = [f.name for f in fields(kind) if f.default is f.default_factory is MISSING]
    return {f.name: hints[f.name] for f in fields(kind)}, needed


def _fitting(kind: Any, value: Any) -> Any:
    """The value as one of a kind; `ValueError` if it is none."""
    if kind is float:
        if type(value) in (int, float) and value >= 0:
            return value
    elif kind is int:
        if is_count(value):
            return value
    elif kind is Any or type(value) is kind:
        return value
    elif isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    elif isinstance(kind, UnionType):
        for part in get_args(kind):
            with suppress(ValueError):
                return _fitting(part, value)
    elif get_origin(kind) is Mapping and isinstance(value, dict):
        of = get_args(kind)[1]
        return {key: _fitting(of, inner) for key, inner in value.items()}
    elif get_origin(kind) is tuple and isinstance(value, list):
        parts = get_args(kind)
        kinds = [parts[0]] * len(value) if parts[-1] is ... else parts
        return tuple(_fitting(*pair) for pair in zip(kinds, value, strict=True))
    raise ValueError


def _words(kind: Any) -> str:
    if isinstance(kind, UnionType):
        return " or ".join(map(_words, get_args(kind)))
    return _WORDS.get(get_origin(kind) or kind, f"one of {getattr(kind, '__name__', kind)}")
