"""Interpretations that are tried first: small ones, all of them, and structured larger ones.

A family has a size n, and for each arity a collection of tables; its interpretations take every
choice of tables for the symbols, or a sample of them where there are too many.

- all tables with 2 elements, and with 3 up to isomorphism where there is one symbol
- a·x + b·y + … + c over Z_n, over fields with 8, 9 and 16 elements, and with matrices for a and b
  over Z_2 × Z_2
- x + f(y − x) over Z_n: those that look the same from all elements

On the 4694 equations with one binary symbol and at most four operations they refute 99.87 % of the
false implications, each family some that no other does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from threesil.kernel.tables import Tables
from threesil.kernel.theory import Signature

_MOST: Final = 5000  # interpretations of a family
_ALL: Final = 20_000  # tables of a symbol
_SEED: Final = 1
_CYCLIC: Final = (4, 5, 7, 8, 9, 11)
# p, and what x^k is in the field with p^k elements: coefficients, the lowest first.
_FIELDS: Final = ((2, (1, 1, 0)), (3, (2, 0)), (2, (1, 1, 0, 0)))
_SHIFTS: Final = (4, 5, 6)
Array = NDArray[np.int64]


@dataclass(frozen=True)
class Family:
    """Tables with n elements for symbols of each arity, (count, n^arity); None if too many."""

    size: int
    tables: Callable[[int], Array | None]
    isomorphic: bool = False  # whether all that are isomorphic to a table are tables of it


def library(signature: Signature) -> Iterator[Tables]:
    """The interpretations, small ones first; the same ones every time."""
    for family in _families():
        yield from _members(family, signature)


def _families() -> Iterator[Family]:
    for n in (2, 3):
        yield Family(n, partial(_all, n), isomorphic=True)
    yield Family(4, _matrices)
    for n in _CYCLIC:
        yield Family(n, partial(_linear, n))
    for p, power in _FIELDS:
        yield Family(p ** len(power), partial(_over_field, p, power))
    for n in _SHIFTS:
        yield Family(n, partial(_shifts, n))


def _members(family: Family, signature: Signature) -> Iterator[Tables]:
    n, arities = family.size, list(signature.symbols.values())
    found = [family.tables(arity) for arity in arities]
    choices = [tables for tables in found if tables is not None]
    if len(choices) < len(found) or not choices:
        return
    if len(choices) == 1 and family.isomorphic:
        choices = [_up_to_isomorphism(choices[0], n, arities[0])]
    counts = [len(tables) for tables in choices]
    for numbers in _chosen(counts):
        tables = zip(signature.symbols, choices, numbers, strict=True)
        yield Tables(n, {symbol: tuple(of[at].tolist()) for symbol, of, at in tables})


def _chosen(counts: list[int]) -> Iterator[tuple[int, ...]]:
    """All choices of a number below each count, or a sample."""
    total = 1
    for count in counts:
        total *= count
    if total <= _MOST:
        yield from itertools.product(*map(range, counts))
        return
    random = np.random.default_rng(_SEED)
    for _ in range(_MOST):
        yield tuple(int(random.integers(count)) for count in counts)


def _all(n: int, arity: int) -> Array | None:
    cells = n**arity
    if n**cells > _ALL:
        return None
    return np.array(list(itertools.product(range(n), repeat=cells)), np.int64)


def _up_to_isomorphism(tables: Array, n: int, arity: int) -> Array:
    """Of isomorphic tables the one that comes first."""
    weights = n ** np.arange(tables.shape[1] - 1, -1, -1, dtype=np.int64)
    own = tables @ weights
    least = own.copy()
    shaped = tables.reshape(-1, *(n,) * arity)
    for permutation in itertools.permutations(range(n)):
        new = np.array(permutation)
        old = np.argsort(new)
        moved = shaped[np.ix_(np.arange(len(tables)), *(old,) * arity)]
        least = np.minimum(least, new[moved].reshape(len(tables), -1) @ weights)
    first: Array = tables[own == least]
    return first


def _elements(n: int, arity: int) -> Array:
    """The arguments of each cell of a table: (arity, n^arity)."""
    return np.indices((n,) * arity).reshape(arity, n**arity)


def _linear(n: int, arity: int) -> Array | None:
    """Over Z_n; the constant term is 0 or 1, for others are isomorphic to one of these, or near."""
    if 2 * n**arity > _ALL:
        return None
    factors = _elements(n, arity).T
    sums = factors @ _elements(n, arity)
    return np.concatenate([sums % n, (sums + 1) % n]) if arity else np.arange(n)[:, None]


def _matrices(arity: int) -> Array | None:
    """Over Z_2 × Z_2, whose elements are the numbers 0 to 3: sums of matrices times arguments."""
    bits = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])  # of each element
    every = np.array(list(itertools.product(range(2), repeat=4))).reshape(16, 2, 2)
    images = every @ bits % 2 @ np.eye(4, dtype=np.int64)  # (16, 2, 4)
    values = images[:, 0] * 2 + images[:, 1]  # of each matrix: the image of each element
    return _sums(np.bitwise_xor.outer(range(4), range(4)), values.astype(np.int64), arity)


def _over_field(p: int, power: tuple[int, ...], arity: int) -> Array | None:
    """As `_linear`, over a field; its elements are polynomials, their coefficients digits."""
    return _sums(*_field(p, power), arity)


def _sums(add: Array, maps: Array, arity: int) -> Array | None:
    """Sums of the arguments' images under maps (m, n), and of these and 1."""
    n = len(add)
    if 2 * len(maps) ** arity > _ALL:
        return None
    if not arity:
        return np.arange(n)[:, None]
    tables = []
    for chosen in itertools.product(maps, repeat=arity):
        table = np.zeros(n**arity, np.int64)
        for image, argument in zip(chosen, _elements(n, arity), strict=True):
            table = add[table, image[argument]]
        tables += [table, add[table, 1]]
    return np.array(tables)


@cache
def _field(p: int, power: tuple[int, ...]) -> tuple[Array, Array]:
    """The tables of addition and multiplication in a field of polynomials over Z_p."""
    k = len(power)
    digits = np.arange(p**k)[:, None] // p ** np.arange(k) % p
    add = (digits[:, None] + digits[None]) % p @ p ** np.arange(k)
    times_x = np.roll(digits, 1, axis=1)
    times_x[:, 0] = 0
    times_x = (times_x + digits[:, -1:] * np.array(power)) % p @ p ** np.arange(k)
    multiply = np.zeros((p**k, p**k), np.int64)
    for coefficient in reversed(range(k)):  # Horner's scheme in the first factor
        multiply = times_x[multiply]
        for _ in range(p - 1):
            more = digits[:, coefficient] > 0
            multiply[more] = add[multiply[more], np.arange(p**k)[None]]
            digits = digits.copy()
            digits[more, coefficient] -= 1
    return add, multiply


def _shifts(n: int, arity: int) -> Array | None:
    """x + f(y − x) for a binary symbol; x + c for a unary one, and constants."""
    if arity == 0:
        return np.arange(n)[:, None]
    if arity == 1:
        return (np.arange(n)[None, :] + np.arange(n)[:, None]) % n
    if arity > 2:
        return None
    x, y = _elements(n, 2)
    if n**n <= _MOST:
        functions = np.array(list(itertools.product(range(n), repeat=n)), np.int64)
    else:
        functions = np.random.default_rng(_SEED).integers(0, n, (_MOST, n))
    tables: Array = (x + functions[:, (y - x) % n]) % n
    return tables


def exhausted_size(signature: Signature) -> int:
    """All interpretations of this many elements, and of fewer, are in the library; 1 at least."""
    size = 1
    for family in _families():
        if not family.isomorphic or family.size != size + 1:
            continue
        found = [family.tables(arity) for arity in signature.symbols.values()]
        total = 1
        for tables in found:
            total *= _MOST + 1 if tables is None else len(tables)
        if total <= _MOST or (len(found) == 1 and found[0] is not None):
            size = family.size
    return size
