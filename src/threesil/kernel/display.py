"""How values are displayed to people: as a page in a notebook, as text when printed.

Values are mathematics and know nothing of notations: `display_with` names the module that does.
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


def display_with(load: Callable[[], Pictures]) -> None:
    """From now on values are displayed by what `load` gives when the first one is displayed."""
    _load[:] = [load]


class Displayed:
    """A value with a picture of itself: HTML and LaTeX for notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _load[0]().html(self) if _load else None

    def _repr_latex_(self) -> str | None:
        return _load[0]().latex(self) if _load else None


class Printed(Displayed):
    """A value that is printed for people, not as the Python expression that makes it."""

    __slots__ = ()

    def __str__(self) -> str:
        return _load[0]().text(self) if _load else repr(self)
