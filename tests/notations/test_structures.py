"""Names of structures: the same whatever the elements are called."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from random import Random

import pytest

from threesil.notations.writing.structures import name_of

Op = Callable[[int, int], int]


def table(n: int, of: Op) -> list[int]:
    return [of(x, y) for x, y in product(range(n), repeat=2)]


def renamed(values: list[int], n: int, random: Random) -> list[int]:
    """The same structure with its elements called otherwise."""
    names = random.sample(range(n), n)
    back = [names.index(k) for k in range(n)]
    return [names[values[back[x] * n + back[y]]] for x, y in product(range(n), repeat=2)]


def cyclic(*orders: int) -> list[int]:
    elements = list(product(*(range(order) for order in orders)))
    sums = [
        tuple((a + b) % m for a, b, m in zip(x, y, orders, strict=True))
        for x, y in product(elements, repeat=2)
    ]
    return [elements.index(s) for s in sums]


def symmetric() -> list[int]:
    elements = list(permutations(range(3)))
    return [elements.index(tuple(p[k] for k in q)) for p, q in product(elements, repeat=2)]


def dihedral(n: int) -> list[int]:
    def of(x: int, y: int) -> int:
        (i, a), (j, b) = divmod(x, n), divmod(y, n)
        return (i ^ j) * n + (a + (-b if i else b)) % n

    return table(2 * n, of)


def quaternions() -> list[int]:
    units = ["1", "i", "j", "k"]
    signs = {"ij": "k", "jk": "i", "ki": "j"}

    def of(x: int, y: int) -> int:
        (s, a), (t, b) = divmod(x, 4), divmod(y, 4)
        u, v = units[a], units[b]
        if u == "1" or v == "1":
            sign, w = 0, v if u == "1" else u
        elif u == v:
            sign, w = 1, "1"
        elif u + v in signs:
            sign, w = 0, signs[u + v]
        else:
            sign, w = 1, signs[v + u]
        return (s ^ t ^ sign) * 4 + units.index(w)

    return table(8, of)


STRUCTURES = [
    ("the cyclic group Z_5", 5, cyclic(5)),
    ("the cyclic group Z_6", 6, cyclic(2, 3)),
    ("the Klein four-group", 4, cyclic(2, 2)),
    ("the group Z_2 × Z_4", 8, cyclic(4, 2)),
    ("the group Z_2 × Z_2 × Z_2", 8, cyclic(2, 2, 2)),
    ("the group Z_2 × Z_6", 12, cyclic(2, 6)),
    ("the group Z_3 × Z_3", 9, cyclic(3, 3)),
    ("the symmetric group S_3", 6, symmetric()),
    ("the symmetric group S_3", 6, dihedral(3)),
    ("the dihedral group D_4", 8, dihedral(4)),
    ("the quaternion group Q_8", 8, quaternions()),
    ("the dihedral group D_5", 10, dihedral(5)),
    ("a left zero band", 3, table(3, lambda x, y: x)),
    ("a right zero band", 3, table(3, lambda x, y: y)),
    ("a null semigroup", 3, table(3, lambda x, y: 1)),
    ("a chain, as a semilattice", 3, table(3, min)),
    ("a semilattice", 4, table(4, lambda x, y: x & y)),
    ("a rectangular band", 4, table(4, lambda x, y: (x & 2) | (y & 1))),
    ("a commutative monoid", 4, table(4, lambda x, y: x * y % 4)),
    ("a semigroup", 3, table(3, lambda x, y: x if x < 2 else 0)),
    ("a latin quandle", 3, table(3, lambda x, y: (2 * x - y) % 3)),
    ("a quandle", 4, table(4, lambda x, y: (2 * x - y) % 4)),
    ("a rack", 3, table(3, lambda x, y: (y + 1) % 3)),
    ("a quasigroup", 5, table(5, lambda x, y: (2 * x + 3 * y + 1) % 5)),
    ("a commutative quasigroup", 4, table(4, lambda x, y: (-x - y) % 4)),
    ("", 3, table(3, lambda x, y: (x * x + y) % 3)),
]


@pytest.mark.parametrize(("name", "n", "values"), STRUCTURES)
def test_named_up_to_isomorphism(name: str, n: int, values: list[int]) -> None:
    random = Random(1)
    assert {name_of(renamed(values, n, random), n) for _ in range(4)} == {name}


def test_a_loop() -> None:
    def of(x: int, y: int) -> int:
        (a, i), (b, j) = divmod(x, 2), divmod(y, 2)
        return (a + b) % 3 * 2 + (i + j + ((a, b) == (1, 2))) % 2

    assert name_of(table(6, of), 6) == "a loop"


def test_what_is_no_table_has_no_name() -> None:
    assert name_of([0, 1, 1], 2) == ""
    assert name_of([0], 1) == ""
