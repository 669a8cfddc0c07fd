"""What may be said about counts of solved problems.

A *Wilson interval* bounds the share of all problems of a kind that a system solves, seen a sample
of them. *McNemar's exact test* asks of two systems on the same problems whether those that only
one of them solved could as well be tosses of a fair coin. *Holm's correction* keeps the chance of
a single false alarm among several such tests below the level of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import comb, sqrt
from typing import Final

Z95: Final = 1.959963984540054  # the normal distribution has 95 % between -Z95 and Z95


def wilson(solved: int, problems: int, z: float = Z95) -> tuple[float, float]:
    """The interval for a share of which `solved` of `problems` were seen."""
    if not 0 <= solved <= problems:
        raise ValueError(f"{solved} of {problems} can't be solved")
    if problems == 0:
        return 0.0, 1.0
    share = solved / problems
    scale = 1 + z * z / problems
    middle = (share + z * z / (2 * problems)) / scale
    reach = z / scale * sqrt(share * (1 - share) / problems + z * z / (4 * problems * problems))
    low = 0.0 if solved == 0 else max(0.0, middle - reach)
    high = 1.0 if solved == problems else min(1.0, middle + reach)
    return low, high


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of the exact test, from the problems that only one of two solved."""
    tosses = only_first + only_second
    fewer = min(only_first, only_second)
    if fewer < 0:
        raise ValueError("counts can't be negative")
    tail = sum(comb(tosses, k) for k in range(fewer + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**tosses)))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number, in the same order."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = largest
    return corrected


def regions(sets: Mapping[str, Collection[str]]) -> dict[tuple[str, ...], int]:
    """How many elements lie in exactly these sets; regions without any are left out."""
    members: dict[str, list[str]] = {}
    for name, elements in sets.items():
        for element in set(elements):
            members.setdefault(element, []).append(name)
    return dict(Counter(tuple(names) for names in members.values()))


def union(sets: Mapping[str, Collection[str]]) -> set[str]:
    """What at least one of the sets holds."""
    return {element for elements in sets.values() for element in elements}


def unique(sets: Mapping[str, Collection[str]]) -> dict[str, set[str]]:
    """What each of the sets alone holds."""
    holders = Counter(element for elements in sets.values() for element in set(elements))
    return {name: {e for e in elements if holders[e] == 1} for name, elements in sets.items()}
