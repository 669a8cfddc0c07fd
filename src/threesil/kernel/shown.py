"""How values show themselves to people: in a notebook as a page, printed as a text.

The values are mathematics and know nothing of notations. Whoever does says so once, by `show_with`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Pictures(Protocol):
    """What makes pictures and texts of values."""

    @property
    def html(self) -> Callable[[object], str]: ...

    @property
    def latex(self) -> Callable[[object], str]: ...

    @property
    def text(self) -> Callable[[object], str]: ...


_load: list[Callable[[], Pictures]] = []


def show_with(load: Callable[[], Pictures]) -> None:
    """From now on values are shown by what `load` gives when the first one is shown."""
    _load[:] = [load]


class Shown:
    """A value with a picture of itself: HTML and LaTeX for notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _load[0]().html(self) if _load else None

    def _repr_latex_(self) -> str | None:
        return _load[0]().latex(self) if _load else None


class Printed(Shown):
    """A value that is printed as people read it, not as it is made."""

    __slots__ = ()

    def __str__(self) -> str:
        return _load[0]().text(self) if _load else repr(self)
