"""Interpretations that nobody has checked: what finders, readers and `countermodel.check` take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Tables:
    """An unchecked interpretation: the number of its elements, and a table for each symbol."""

    size: int
    of: Mapping[str, tuple[int, ...]]

    def __post_init__(self) -> None:
        frozen = {symbol: tuple(table) for symbol, table in dict(self.of).items()}
        object.__setattr__(self, "of", MappingProxyType(frozen))

    def __reduce__(self) -> tuple[Callable[..., Tables], tuple[object, ...]]:
        return Tables, (self.size, dict(self.of))
