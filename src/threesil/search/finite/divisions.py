"""Symbols that are divisions by others: their tables are the others' tables, read another way.

In a finite structure each of x * (x \\ y) = y and x \\ (x * y) = y says that the rows of both
tables are inverse permutations of one another: x \\ y = z if and only if x * z = y. One of
(y / x) * x = y and (y * x) / x = y says the same of the columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from threesil.kernel.terms import Term

Sides = tuple[Term, Term]


@dataclass(frozen=True)
class Division:
    """Where a symbol's table stands in that of `by`: a value there is its argument `place`."""

    by: str
    place: int  # 1 for x \ y, 0 for y / x


def divisions(
    symbols: Mapping[str, int], equations: Sequence[Sides]
) -> tuple[dict[str, Division], list[Sides]]:
    """(the symbols that are divisions by others, the equations that say something else)."""
    terms = (t for sides in equations for side in sides for t in side.distinct())
    count = Counter(t.head for t in terms)
    found: dict[str, Division] = {}
    left = []
    for sides in equations:
        pair = _inverses(*sides) or _inverses(*sides[::-1])
        if pair is None:
            left.append(sides)
            continue
        one, other, place = pair
        by, symbol = sorted((one, other), key=lambda name: -count[name])
        known = found.get(symbol)
        if known is None and by not in found and all(d.by != symbol for d in found.values()):
            known = found[symbol] = Division(by, place)
        if known != Division(by, place):
            left.append(sides)
    return found, left


def _inverses(lhs: Term, rhs: Term) -> tuple[str, str, int] | None:
    """The symbols of p(x, q(x, y)) = y (1) or of p(q(y, x), x) = y (0)."""
    if not rhs.is_variable or len(lhs.args) != 2:
        return None
    for place in (1, 0):
        inner, outer = lhs.args[place], lhs.args[1 - place]
        if (
            len(inner.args) == 2
            and outer.is_variable
            and outer != rhs
            and inner.args[1 - place] == outer
            and inner.args[place] == rhs
            and inner.head != lhs.head
        ):
            return lhs.head, inner.head, place
    return None
