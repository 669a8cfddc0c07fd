"""How values show themselves to people: in a notebook as a page, printed as a text.

The values are mathematics and know nothing of notations; `threesil.notations.writing.notebook` does, and is
loaded when a value is first shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Shown:
    """A value with a picture of itself: HTML and LaTeX for notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(_notebook().html(self))

    def _repr_latex_(self) -> str:
        return str(_notebook().latex(self))


class Told(Shown):
    """A value that is printed as people read it, not as it is made."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(_notebook().text(self))


def _notebook() -> Any:
    return import_module("threesil.notations.writing.notebook")
