"""What is known of all pairs: two bit matrices, kept closed under what follows.

Row i of `proved` has bit j if equation i implies equation j; it is reflexive and transitive. Row i
of `refuted` has bit j if some model satisfies i and not j; a model refutes at once all pairs of an
equation that holds in it and one that fails. What is refuted by models is closed under what is
proved, by itself: what i implies holds wherever i does. A pair in neither is open. The complement
of `refuted` is a preorder too: what the models allow.

Rows are packed, eight equations a byte, the first in the highest bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from threesil.engine.laws import Bits
from threesil.errors import ThreesilError

_COUNTS: Final = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


class Contradiction(ThreesilError):
    """A pair has a proof and a counter-model: one of the certificates is wrong."""


class Relation:
    """The relation between n equations; nothing is known at first but that each implies itself."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.proved: Bits = np.packbits(np.eye(n, dtype=np.uint8), axis=1)
        self.refuted: Bits = np.zeros_like(self.proved)
        self._all = np.packbits(np.ones(n, np.uint8))

    @property
    def pairs(self) -> int:
        """How many pairs of two equations there are."""
        return self.n * (self.n - 1)

    @property
    def counts(self) -> tuple[int, int]:
        """(proved, refuted) pairs of two equations."""
        return count(self.proved) - self.n, count(self.refuted)

    def refute(self, hold: Bits, fail: Bits) -> tuple[NDArray[np.intp], Bits]:
        """Takes in a model by its rows; the equations with new refutations, and which these are."""
        holding = numbers(hold, self.n)
        new = fail & ~self.refuted[holding]
        some = new.any(axis=1)
        holding, new = holding[some], new[some]
        self.refuted[holding] |= new
        self._check(holding)
        return holding, new

    def refute_all(self, i: int, goals: Iterable[int]) -> tuple[NDArray[np.intp], Bits]:
        """Takes in that i implies none of these, and what follows: see `refute`.

        In the free algebra of i all that i implies holds, and what implies a goal fails.
        """
        fail = np.zeros(self.n, np.uint8)
        for j in goals:
            fail |= (self.proved[:, j // 8] & _bit(j)) != 0
        return self.refute(self.proved[i], np.packbits(fail))

    def prove(self, i: int, j: int) -> None:
        """Takes in that i implies j, and all that follows."""
        if self.is_proved(i, j):
            return
        above = np.flatnonzero(self.proved[:, i // 8] & _bit(i))
        self.proved[above] |= self.proved[j]
        self._check(above)

    def is_proved(self, i: int, j: int) -> bool:
        return bool(self.proved[i, j // 8] & _bit(j))

    def is_refuted(self, i: int, j: int) -> bool:
        return bool(self.refuted[i, j // 8] & _bit(j))

    def is_open(self, i: int, j: int) -> bool:
        return not (self.is_proved(i, j) or self.is_refuted(i, j))

    def open(self, i: int) -> Bits:
        """The equations that it is not known of whether i implies them, packed."""
        row: Bits = ~(self.proved[i] | self.refuted[i]) & self._all
        return row

    def allowed(self, i: int) -> Bits:
        """The equations that i implies as far as models tell, packed."""
        row: Bits = ~self.refuted[i] & self._all
        return row

    def strengths(self) -> NDArray[np.int64]:
        """How many equations each implies, as far as models tell."""
        refuted: NDArray[np.int64] = _COUNTS[self.refuted].sum(axis=1, dtype=np.int64)
        return self.n - refuted

    def _check(self, rows: NDArray[np.intp]) -> None:
        both = self.proved[rows] & self.refuted[rows]
        if both.any():
            row = int(np.flatnonzero(both.any(axis=1))[0])
            pair = int(rows[row]), int(numbers(both[row], self.n)[0])
            raise Contradiction(f"equations {pair[0] + 1} and {pair[1] + 1}: proved and refuted")


def count(bits: Bits) -> int:
    """How many bits are set."""
    return int(_COUNTS[bits].sum(dtype=np.int64))


def numbers(row: Bits, n: int) -> NDArray[np.intp]:
    """Which bits of a packed row of n are set."""
    return np.flatnonzero(np.unpackbits(row, count=n))


def set_bit(bits: Bits, i: int, j: int) -> None:
    """Sets bit j of row i."""
    bits[i, j // 8] |= _bit(j)


def _bit(j: int) -> np.uint8:
    return np.uint8(128 >> (j % 8))
