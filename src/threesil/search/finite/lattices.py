"""Small lattices, all of them, as tables of their meets.

A lattice is made of a smaller one by adding an atom a. The elements above it are an up-set U in
which the meet of two elements is in U again, or is the least element; then it becomes the atom
(Heitzig and Reinhold: Counting finite lattices, 2002). Two lattices count as the same if their
elements agree in their neighbours, their neighbours' neighbours and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.int8]
LARGEST = 8
_Rows = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=16)
def lattices(n: int) -> tuple[Table, ...]:
    """The meets of all lattices with n elements; 0 is the least, 1 the greatest element."""
    return tuple(np.array(rows, np.int8) for rows in _rows(n))


@lru_cache(maxsize=16)
def _rows(n: int) -> tuple[_Rows, ...]:
    if n <= 2:
        return (((0,),),) if n == 1 else (((0, 0), (0, 1)),)
    found: dict[object, _Rows] = {}
    for smaller in _rows(n - 1):
        for larger in _with_an_atom(smaller):
            found.setdefault(_kind(larger), larger)
    return tuple(found.values())


def _with_an_atom(rows: _Rows) -> Iterator[_Rows]:
    n = len(rows)
    for chosen in product((False, True), repeat=n - 2):
        above = [False, True, *chosen]
        members = [x for x in range(n) if above[x]]
        upward = all(above[y] for x in members for y in range(n) if rows[x][y] == x)
        if upward and all(above[z] or z == 0 for x in members for z in _meets(rows[x], members)):
            last = [n if above[x] else 0 for x in range(n)]
            old = (
                (*(rows[x][y] or min(last[x], last[y]) for y in range(n)), last[x])
                for x in range(n)
            )
            yield (*old, (*last, n))


def _meets(row: tuple[int, ...], members: list[int]) -> Iterator[int]:
    return (row[y] for y in members)


def _kind(rows: _Rows) -> object:
    """The same for lattices that are isomorphic: colours of elements, refined by their meets."""
    n = len(rows)
    colours: list[object] = [sum(rows[x][y] == x for y in range(n)) for x in range(n)]
    for _ in range(3):
        named = {colour: k for k, colour in enumerate(sorted(set(colours), key=repr))}
        numbers = [named[colour] for colour in colours]
        colours = [
            (numbers[x], tuple(sorted((numbers[y], numbers[rows[x][y]]) for y in range(n))))
            for x in range(n)
        ]
    return tuple(sorted(map(repr, colours)))
