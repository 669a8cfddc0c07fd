"""Jobs for the tests of places; processes import them from here."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from threesil.engine import Stop
from threesil.errors import InputError

Give = Callable[[object], None]


class Square:
    """Gives squares. Odd words go wrong in their ways."""

    def __init__(self, first: int = 0) -> None:
        self._first = first
        self._done = 0

    def __call__(self, item: int | str, give: Give, stop: Stop) -> None:
        self._done += 1
        if isinstance(item, int):
            give(self._first + item * item)
        elif item == "how often":
            give(self._done)
        elif item == "who":
            give(os.getpid())
        elif item == "mistake":
            raise InputError("a mistake", source="here", line=3)
        elif item == "die":
            os.abort()
        elif item == "memory":
            give(len(bytearray(2**32)))
        elif item == "grow":
            self._kept = b"x" * (60 * 2**20)
            give(len(self._kept))
        elif item == "print":
            print("no answer")
            give("printed")
        elif item == "two":
            give(1)
            give(2)
        elif item == "spin":
            while True:
                pass
        else:
            give("begun")
            while not stop.is_set():
                time.sleep(0.01)


def broken() -> Square:
    raise InputError("this can't be made")
