"""Names of small structures: what a table of a binary operation is, up to isomorphism.

A table is the n × n values of x * y, row by row. Groups are distinguished by the orders of their
elements, which is enough for all abelian ones and for all others with at most fifteen elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import gcd, prod

Rows = Sequence[Sequence[int]]

_LARGEST = 32  # elements of a table that is looked at
# Groups that don't commute: (elements, how many of them are their own inverses) -> name.
_GROUPS = {
    (6, 4): "the symmetric group S_3",
    (8, 6): "the dihedral group D_4",
    (8, 2): "the quaternion group Q_8",
    (10, 6): "the dihedral group D_5",
    (12, 4): "the alternating group A_4",
    (12, 8): "the dihedral group D_6",
    (12, 2): "the dicyclic group Dic_3",
    (14, 8): "the dihedral group D_7",
}


def name_of(table: Sequence[int], n: int) -> str:
    """What the structure is called, with its article; empty if nothing is known about it."""
    if not 2 <= n <= _LARGEST or len(table) != n * n:
        return ""
    rows = [list(table[k * n : (k + 1) * n]) for k in range(n)]
    for kind in (_simple, _group, _associative, _cancelling, _distributive):
        name = kind(_Laws(rows))
        if name:
            return name
    return ""


class _Laws:
    """What holds in a table; each law is looked at when it is asked for."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.n = rows, len(rows)
        self.elements = range(self.n)

    def all(self, variables: int, law: Callable[..., bool]) -> bool:
        return all(law(*values) for values in product(self.elements, repeat=variables))

    def of(self, x: int, y: int) -> int:
        return self.rows[x][y]

    @property
    def commutative(self) -> bool:
        return self.all(2, lambda x, y: self.of(x, y) == self.of(y, x))

    @property
    def idempotent(self) -> bool:
        return self.all(1, lambda x: self.of(x, x) == x)

    @property
    def associative(self) -> bool:
        of = self.of
        return self.all(3, lambda x, y, z: of(of(x, y), z) == of(x, of(y, z)))

    @property
    def columns(self) -> Rows:
        return [[row[k] for row in self.rows] for k in self.elements]

    @property
    def rows_are_permutations(self) -> bool:
        return all(len(set(row)) == self.n for row in self.rows)

    @property
    def columns_are_permutations(self) -> bool:
        return all(len(set(column)) == self.n for column in self.columns)

    @property
    def latin(self) -> bool:
        return self.rows_are_permutations and self.columns_are_permutations

    @property
    def unit(self) -> int | None:
        every = list(self.elements)
        columns = self.columns
        units = (e for e in every if list(self.rows[e]) == every == list(columns[e]))
        return next(units, None)


def _simple(laws: _Laws) -> str:
    if len({value for row in laws.rows for value in row}) == 1:
        return "a null semigroup"
    if laws.all(2, lambda x, y: laws.of(x, y) == x):
        return "a left zero band"
    if laws.all(2, lambda x, y: laws.of(x, y) == y):
        return "a right zero band"
    return ""


def _group(laws: _Laws) -> str:
    if laws.unit is None or not laws.latin or not laws.associative:
        return ""
    orders = Counter(_orders(laws))
    if laws.commutative:
        return _abelian(laws.n, orders)
    known = _GROUPS.get((laws.n, orders[1] + orders[2]))
    return known or f"a group of order {laws.n} that does not commute"


def _orders(laws: _Laws) -> Iterator[int]:
    for x in laws.elements:
        power, order = x, 1
        while power != laws.unit:
            power, order = laws.of(power, x), order + 1
        yield order


def _abelian(n: int, orders: Counter[int]) -> str:
    """The group as a product of cyclic ones, each order a divisor of the next."""
    factors = next(one for one in _products(n, n) if _has_orders(one, orders))
    if factors == (2, 2):
        return "the Klein four-group"
    name = " × ".join(f"Z_{order}" for order in reversed(factors))
    return f"the {'cyclic ' if len(factors) == 1 else ''}group {name}"


def _products(n: int, largest: int) -> Iterator[tuple[int, ...]]:
    """All n = a b c … with b a divisor of a, c one of b, …, and a one of `largest`."""
    if n == 1:
        yield ()
    for order in range(n, 1, -1):
        if n % order == 0 and largest % order == 0:
            yield from ((order, *rest) for rest in _products(n // order, order))


def _has_orders(factors: Sequence[int], orders: Counter[int]) -> bool:
    """Whether as many elements x have x^m = 1, for all m, as in the product of these groups."""
    return all(
        sum(count for order, count in orders.items() if m % order == 0)
        == prod(gcd(m, factor) for factor in factors)
        for m in range(1, factors[0] + 1)
    )


def _associative(laws: _Laws) -> str:
    if not laws.associative:
        return ""
    if laws.idempotent:
        if laws.commutative:
            chain = laws.all(2, lambda x, y: laws.of(x, y) in (x, y))
            return "a chain, as a semilattice" if chain else "a semilattice"
        rectangular = laws.all(2, lambda x, y: laws.of(laws.of(x, y), x) == x)
        return "a rectangular band" if rectangular else "a band"
    kind = "semigroup" if laws.unit is None else "monoid"
    return f"a commutative {kind}" if laws.commutative else f"a {kind}"


def _cancelling(laws: _Laws) -> str:
    if not laws.latin:
        return ""
    if _left_distributive(laws) or _right_distributive(laws):
        return "a latin quandle" if laws.idempotent else "a quasigroup"
    of = laws.of
    words = ["commutative"] if laws.commutative else []
    if laws.unit is not None:
        law = laws.all(3, lambda x, y, z: of(of(x, y), of(z, x)) == of(of(x, of(y, z)), x))
        words += ["Moufang"] if law else []
        return f"a {' '.join([*words, 'loop'])}"
    words += ["idempotent"] if laws.idempotent else []
    return f"a{'n' if words[:1] == ['idempotent'] else ''} {' '.join([*words, 'quasigroup'])}"


def _left_distributive(laws: _Laws) -> bool:
    of = laws.of
    return laws.all(3, lambda x, y, z: of(x, of(y, z)) == of(of(x, y), of(x, z)))


def _right_distributive(laws: _Laws) -> bool:
    of = laws.of
    return laws.all(3, lambda x, y, z: of(of(x, y), z) == of(of(x, z), of(y, z)))


def _distributive(laws: _Laws) -> str:
    left = laws.rows_are_permutations and _left_distributive(laws)
    right = laws.columns_are_permutations and _right_distributive(laws)
    if left or right:
        return "a quandle" if laws.idempotent else "a rack"
    return ""
