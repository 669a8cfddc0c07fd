"""Hints: equations that are likely to be steps of a proof, as completion takes them (Veroff)."""

from __future__ import annotations

from collections.abc import Iterable

from threesil import _native
from threesil.engine.completion_task import CompletionTask
from threesil.kernel.theory import Equation

_MOST = 8  # tables that are kept


class Hints:
    """Equations of which critical pairs are taken early; they prove nothing.

    What the core looks pairs up in is made once for each goal, and shared by all its searches.
    """

    def __init__(self, equations: Iterable[Equation]) -> None:
        self.equations = tuple(equations)
        self._tables: dict[object, _native.Hints] = {}

    def __len__(self) -> int:
        return len(self.equations)

    def table(self, task: CompletionTask) -> _native.Hints:
        """The hints in the symbols of a task."""
        key = tuple(task.symbols.items()), tuple(task.constants), tuple(task.parts.items())
        if key not in self._tables:
            if len(self._tables) == _MOST:
                self._tables.clear()
            self._tables[key] = _native.Hints(task.arity, list(task.hints(self.equations)))
        return self._tables[key]
