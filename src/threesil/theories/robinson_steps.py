"""How few steps a problem of Robinson arithmetic can take: lower bounds on all solutions.

A step is a rewrite or a move of the cursor, which starts at the root after each rewrite, so that a
rewrite at depth d costs d + 1 steps. What has to happen, whatever the order:

- x + y, with y of value b: b times a successor crosses the sum, by add-succ; then add-zero removes
  the sum. No other rule does, and it needs 0 on the right.
- x * y, with values a and b: if b = 0, mul-zero. Else b times mul-succ, each leaving a sum with a
  on its right, and mul-zero; and x is computed in one of its copies at least.

`least_steps` holds for every solution. A crossing at the root leaves a successor there. No second
one follows at the root, unless that one is rewritten back, which makes another crossing necessary.
So all crossings but one cost two steps or more, everything else one. Rewriting (x * y) + x back to
x * S(y) may save computing x twice, so only the crossings are counted on the right of a sum with a
product on its left.

`least_forward_steps` holds for solutions that rewrite from left to right only. Then a symbol above
another one stays there, if only as a successor: the i-th crossing of a sum that begins at depth d
is at depth d + i - 1. The exception is a product with the value 0 on its left: successors
of its right side vanish.
"""

from __future__ import annotations

from threesil.kernel.terms import Term


def least_steps(term: Term) -> int:
    """Steps that every solution takes."""
    crossings, others = _rewrites(term)
    return max(0, 2 * crossings - 1) + others


def least_forward_steps(term: Term) -> int:
    """Steps that every solution takes which rewrites from left to right only."""
    return _forward(term, 0)


def value(term: Term) -> int:
    """The number that a term without variables stands for."""
    successors = 0
    while term.head == "S":
        term, successors = term.args[0], successors + 1
    if term.head == "0":
        return successors
    a, b = map(value, term.args)
    return successors + (a + b if term.head == "+" else a * b)


def _rewrites(term: Term) -> tuple[int, int]:
    """Rewrites that can't be avoided: crossings, others."""
    while term.head == "S":
        term = term.args[0]
    if term.head == "0":
        return 0, 0
    x, y = term.args
    a, b = value(x), value(y)
    if term.head == "+":
        counted = (x,) if _has_product(x) else (x, y)
        own = b, 1
    elif b == 0:
        counted, own = (y,), (0, 1)
    else:
        counted, own = (x, y), (a * b, 2 * b + 1)
    parts = [own, *map(_rewrites, counted)]
    return sum(c for c, _ in parts), sum(o for _, o in parts)


def _has_product(term: Term) -> bool:
    while term.head == "S":
        term = term.args[0]
    return term.head == "*" or any(map(_has_product, term.args))


def _forward(term: Term, depth: int | None) -> int:
    """Steps for a term that begins at a depth; None where depth does not grow."""
    while term.head == "S":
        term = term.args[0]
        depth = None if depth is None else depth + 1
    if term.head == "0":
        return 0
    x, y = term.args
    a, b = value(x), value(y)
    below = None if depth is None else depth + 1
    if term.head == "+":
        left = depth if b == 0 else below
        return _each_deeper(b + 1, depth) + _forward(x, left) + _forward(y, below)
    if b == 0:
        return _each_deeper(1, depth) + _forward(y, below if a else None)
    if a == 0:
        return 2 * b + 1 + _forward(x, None) + _forward(y, None)
    sums = (_each_deeper(a + 1, None if depth is None else depth + i) for i in range(b))
    return _each_deeper(b + 1, depth) + sum(sums) + _forward(x, below) + _forward(y, below)


def _each_deeper(rewrites: int, depth: int | None) -> int:
    """Steps of so many rewrites, the first at this depth, each one deeper than the one before."""
    if depth is None:
        return rewrites
    return rewrites * depth + rewrites * (rewrites + 1) // 2
