"""Identifiers: names that another language takes, for things whose names it may not take.

A name that is legal and free stays as it is; an operator gets a word; of any other name the
letters and digits are kept. No two things get the same identifier, and the same thing always gets
the same one. What is not wanted, such as a word of the language, is given as `reserved`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORDS = {
    "*": "mul",
    "\\": "ld",
    "/": "rd",
    "+": "add",
    "-": "sub",
    "^": "pow",
    "'": "inv",
    "~": "neg",
    "|": "join",
    "&": "meet",
}
_LONGEST = 60


class Identifiers:
    """The identifiers of one file, or of one part of it that has its own names."""

    def __init__(self, legal: str, reserved: Iterable[str] = ()) -> None:
        self._legal = re.compile(legal, re.ASCII)
        self._taken = set(reserved)
        self._given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}

    def of(self, kind: str, name: str) -> str:
        """The identifier of a thing; `kind` is a word, with which identifiers can begin."""
        if (kind, name) not in self._given:
            self._given[kind, name] = self._new(kind, name)
        return self._given[kind, name]

    def _new(self, kind: str, name: str) -> str:
        plain = re.sub("[^A-Za-z0-9]+", "_", _WORDS.get(name, name))[:_LONGEST].strip("_")
        last = f"{kind}_{plain}" if plain else kind
        for new in (name, self._cased(plain), last):
            if len(new) <= _LONGEST + len(kind) + 1 and self._take(new):
                return new
        while True:
            number = self._last[last] = self._last.get(last, 1) + 1
            if self._take(f"{last}_{number}"):
                return f"{last}_{number}"

    def _cased(self, name: str) -> str:
        """The name, its first letter large or small if it has to be."""
        return name if self._legal.fullmatch(name) else name[:1].swapcase() + name[1:]

    def _take(self, name: str) -> bool:
        if self._legal.fullmatch(name) is None or name in self._taken:
            return False
        self._taken.add(name)
        return True
