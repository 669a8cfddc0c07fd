"""Equations evaluated in finite interpretations, in the core: many equations in many tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from threesil import _native
from threesil.engine.arrays import np
from threesil.engine.control import Stop
from threesil.kernel.countermodel import LARGEST
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term
from threesil.kernel.theory import Signature

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ALL: Final = 2**63
Bits: TypeAlias = "NDArray[np.uint8]"


class Laws:
    """Equations of one signature, and interpretations in which they are evaluated.

    Equations and interpretations are known by their numbers, from 0, as they were added. What
    would take more values than the kernel looks at is left open. One thread at a time.
    """

    def __init__(self, signature: Signature, equations: Sequence[tuple[Term, Term]]) -> None:
        self.signature = signature
        self.count = len(equations)
        self._number = {symbol: index for index, symbol in enumerate(signature.symbols)}
        self._variables = [_variables(*sides) for sides in equations]
        coded = [
            (self._codes(lhs, names), self._codes(rhs, names))
            for (lhs, rhs), names in zip(equations, self._variables, strict=True)
        ]
        self._native = _native.Laws(list(signature.symbols.values()), LARGEST, coded)

    def __len__(self) -> int:
        """How many interpretations there are."""
        return self._native.models

    def add(self, tables: Tables) -> int:
        """Adds an interpretation and gives its number."""
        cells = [np.array(tables.of[symbol], np.uint8) for symbol in self.signature.symbols]
        self._native.add(tables.size, np.concatenate(cells))
        return len(self) - 1

    def refuting(
        self,
        law: int,
        other: int,
        first: int = 0,
        last: int = _ALL,
        *,
        seconds: float = math.inf,
        stop: Stop | None = None,
    ) -> int | None:
        """The first interpretation of these in which one equation holds and the other fails."""
        last = min(last, len(self))
        found = self._native.refuting(law, other, first, last, seconds, stop)
        return None if found >= last else found

    def failing(self, law: int, model: int, stop: Stop | None = None) -> dict[str, int]:
        """Values for which an equation fails in an interpretation where it does."""
        values = self._native.failing(law, model, stop)
        return dict(zip(self._variables[law], values, strict=True))

    def rows(self, first: int, count: int, stop: Stop | None = None) -> tuple[Bits, Bits]:
        """Which equations hold, and which fail: packed bits, (count, ⌈equations / 8⌉) each."""
        hold = np.zeros((count, -(-self.count // 8)), np.uint8)
        fail = np.zeros_like(hold)
        self._native.rows(first, hold, fail, stop)
        return hold, fail

    def _codes(self, term: Term, names: Sequence[str]) -> list[int]:
        number = {name: ~index for index, name in enumerate(names)}
        return [number[t.head] if t.is_variable else self._number[t.head] for t in term.subterms()]


def _variables(lhs: Term, rhs: Term) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*lhs.variables(), *rhs.variables())))
