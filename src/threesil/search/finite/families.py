"""Tables that are worth a try: structures that mathematics is full of, by their size.

Each is the table of one binary operation, n × n values; what the other symbols of a theory mean
has to be found for it. Most equations that fail somewhere fail in one of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from random import Random

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.int8]
Values = npt.NDArray[np.int_]
LARGEST = 16
_ALL = 9  # elements up to which all families are of use: above, nearly all fail

# Fields that are no Z_p, by their size: (p, coefficients of x^k in lower powers).
_FIELDS = {4: (2, (1, 1)), 8: (2, (1, 1, 0)), 9: (3, (2, 0))}
_MANY = 600  # tables of one family


@lru_cache(maxsize=64)
def families(n: int, alone: bool = True) -> tuple[Table, ...]:
    """The tables with n elements, the simplest first, each once.

    `alone`: the operation is the only one, so that what depends on one argument is of interest.
    """
    x, y = np.mgrid[0:n, 0:n]
    found: dict[bytes, Table] = {}
    kinds = [_simple, _groups, _linear, _over_field, _extensions, *([_of_one] if alone else [])]
    kinds = [*kinds, _doubles] if n <= _ALL else [_groups, _doubles]
    for family in kinds:
        for values in family(n, x, y):
            table = np.ascontiguousarray(values, np.int8)
            found.setdefault(table.tobytes(), table)
    return tuple(found.values())


def _simple(n: int, x: Values, y: Values) -> Iterator[Values]:
    """Projections, a constant, chains, rectangular bands."""
    yield from (x, y, 0 * x, np.minimum(x, y), np.maximum(x, y))
    yield from (x // d * d + y % d for d in range(2, n) if n % d == 0)


def _groups(n: int, x: Values, y: Values) -> Iterator[Values]:
    """Products of two cyclic groups, and dihedral groups."""
    for d in range(1, n):
        if n % d == 0:
            yield (x // d + y // d) % (n // d) * d + (x % d + y % d) % d
    if n % 2 == 0:
        half = n // 2
        turned = np.where(x < half, y, -y)
        yield (x // half ^ y // half) * half + (x + turned) % half


def _linear(n: int, x: Values, y: Values) -> Iterator[Values]:
    """a x + b y + c modulo n."""
    for a, b, c in product(range(n), range(n), (0, 1)):
        yield (a * x + b * y + c) % n


def _over_field(n: int, x: Values, y: Values) -> Iterator[Values]:
    """a x + b y in a field that has no prime number of elements: polynomials modulo another."""
    if n not in _FIELDS:
        return
    p, lower = _FIELDS[n]
    degree = len(lower)
    digits = np.array([[k // p**i % p for i in range(degree)] for k in range(n)])
    weights = p ** np.arange(degree)
    powers = [digits]  # of the variable, times each element
    for _ in range(degree - 1):
        last = powers[-1]
        shifted = np.concatenate([np.zeros((n, 1), int), last[:, :-1]], axis=1)
        powers.append((shifted + last[:, -1:] * np.array(lower)) % p)
    times = np.einsum("ai,ibd->abd", digits, np.array(powers)) % p
    for a, b in product(range(n), repeat=2):
        yield (times[a][x] + times[b][y]) % p @ weights


def _extensions(n: int, x: Values, y: Values) -> Iterator[Values]:
    """Central extensions: (a, i)(b, j) = (a + b, i + j + f(a, b)), with f(0, b) = f(a, 0) = 0.

    All are loops, nilpotent of class two at most.
    """
    random = Random(n)
    for k in (k for k in range(2, n) if n % k == 0):
        m = n // k
        places = (m - 1) ** 2
        count = k**places
        some = range(count) if count <= _MANY else random.sample(range(count), _MANY)
        digits = [[number // k**place % k for place in range(places)] for number in some]
        f = np.zeros((len(some), m, m), int)
        f[:, 1:, 1:] = np.array(digits).reshape(-1, m - 1, m - 1)
        for add in _additions(m):
            yield from add[x // k, y // k] * k + (x + y + f[:, x // k, y // k]) % k


def _additions(m: int) -> Iterator[Values]:
    x, y = np.mgrid[0:m, 0:m]
    yield (x + y) % m
    if m == 4:
        yield x ^ y


def _doubles(n: int, x: Values, y: Values) -> Iterator[Values]:
    """Loops on two copies of a group: (a, g)(b, h) = (a + b, w(g, h)), with a word for each a, b.

    The words are products of g or its inverse and h or its inverse, in either order; that of the
    second copy by itself also times an element. So the smallest Moufang loop is made from S_3.
    """
    m = n // 2
    if n % 2 or m < 3:
        return
    g, h = np.mgrid[0:m, 0:m]
    for times in (*_groups(m, g, h), *([g ^ h] if m & (m - 1) == 0 else [])):
        inverse = (times == 0).argmax(axis=1)
        sides = list(product((g, inverse[g]), (h, inverse[h])))
        words = [times[p, q] for p, q in sides] + [times[q, p] for p, q in sides]
        first = [w for w in words if (w[0] == g[:, 0]).all()]  # the unit is neutral
        second = [w for w in words if (w[:, 0] == g[:, 0]).all()]
        for one, two, three in product(first, second, words):
            for element in range(m):
                if (times[element] == times[:, element]).all():  # it is central
                    yield np.block([[times, one + m], [two + m, times[element][three]]])


def _of_one(n: int, x: Values, y: Values) -> Iterator[Values]:
    """g(x) and g(y), for all maps g of a few elements."""
    if n <= 4:
        for values in product(range(n), repeat=n):
            g = np.array(values)
            yield from (g[x], g[y])
