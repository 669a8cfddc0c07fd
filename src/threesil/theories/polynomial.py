"""Polynomial arithmetic: expand an expression (paper, section 2.2, appendix 2).

The action numbers are those of the appendix. `x`, `y`, `z` are the indeterminates of the
polynomials, hence constants; the rules' variables are called `a`, `b`, `c`. A problem carries its
target: the expanded polynomial, monomials in decreasing lexicographic order of their exponents,
the coefficient first, sums and products nested to the left.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from random import Random

from threesil.errors import InputError
from threesil.kernel.terms import Term, app
from threesil.kernel.theory import Goal, Problem, Signature
from threesil.theories.benchmark import Benchmark, Row, Split
from threesil.theories.table import theory_from_table

_INDETERMINATES = ("x", "y", "z")
_LARGEST = 10_000  # value of what is expanded, at x = y = z = 2
Monomial = tuple[int, int, int]


def expand(term: Term) -> Term:
    """The target that belongs to `term`; exponents must be numbers."""

    polynomial = term.fold(_combine)
    monomials = [_monomial(polynomial[m], m) for m in sorted(polynomial, reverse=True)]
    return _nest("+", monomials) if monomials else app("0")


def _combine(t: Term, args: tuple[Counter[Monomial], ...]) -> Counter[Monomial]:
    match t.head:
        case "0":
            return Counter()
        case "S":
            return _sum(args[0], _constant(1))
        case "+":
            return _sum(*args)
        case "*":
            return _product(*args)
        case "^":
            exponent = args[1][0, 0, 0]
            if args[1] != _constant(exponent):
                raise ValueError("an exponent is not a number")
            return reduce(_product, [args[0]] * exponent, _constant(1))
    if t.is_variable or t.head not in _INDETERMINATES:
        raise ValueError(f"{t.head} is no part of a polynomial in x, y, z")
    x, y, z = (int(t.head == v) for v in _INDETERMINATES)
    return Counter({(x, y, z): 1})


def _constant(value: int) -> Counter[Monomial]:
    return Counter({(0, 0, 0): value} if value else {})


def _sum(p: Counter[Monomial], q: Counter[Monomial]) -> Counter[Monomial]:
    return p + q


def _product(p: Counter[Monomial], q: Counter[Monomial]) -> Counter[Monomial]:
    result: Counter[Monomial] = Counter()
    for (a, b, c), m in p.items():
        for (d, e, f), n in q.items():
            result[a + d, b + e, c + f] += m * n
    return result


def _number(value: int) -> Term:
    return reduce(lambda term, _: app("S", term), range(value), app("0"))


def _monomial(coefficient: int, exponents: Monomial) -> Term:
    factors = [
        app(v) if k == 1 else app("^", app(v), _number(k))
        for v, k in zip(_INDETERMINATES, exponents, strict=True)
        if k
    ]
    if coefficient > 1 or not factors:
        factors.insert(0, _number(coefficient))
    return _nest("*", factors)


def _nest(operator: str, terms: Iterable[Term]) -> Term:
    return reduce(lambda left, right: app(operator, left, right), terms)


def _sample(random: Random) -> Problem:
    """A random sum or product of indeterminates and small numbers, now and then squared."""
    term = app(random.choice(_INDETERMINATES))
    for _ in range(random.randint(1, 3)):
        leaves = [app(random.choice(_INDETERMINATES)), _number(random.randrange(3))]
        pair = [term, random.choice(leaves)]
        random.shuffle(pair)
        term = app(random.choice("+*"), *pair)
        if random.random() < 0.1:
            term = app("^", term, _number(2))
    return Problem("sample", term, expand(term))


def _target(term: Term) -> Term:
    """The expanded form of a term that someone typed, unless it is very large."""

    def value(t: Term, args: tuple[int, ...]) -> int:
        """At x = y = z = 2, and no more than the limit; a factor 0 hides nothing."""
        match t.head:
            case "0":
                found = 0
            case "S":
                found = args[0] + 1
            case "+":
                found = args[0] + args[1]
            case "*":
                found = max(args[0], 1) * max(args[1], 1)
            case "^":
                found = args[0] ** min(args[1], _LARGEST.bit_length())
            case _:
                found = 2
        return min(found, _LARGEST)

    if term.fold(value) >= _LARGEST:
        raise InputError(f"too large to be expanded: at x = y = z = 2 it is {_LARGEST:,} or more")
    try:
        return expand(term)
    except ValueError as error:
        raise InputError(str(error)) from None


def difficulty(problem: Problem) -> float:
    """Work of expanding the start: products of monomials, and units added to coefficients."""
    work = 0

    def combine(t: Term, args: tuple[Counter[Monomial], ...]) -> Counter[Monomial]:
        nonlocal work
        if t.head == "S":
            work += 1
        elif t.head in "+":
            work += 1 + sum(min(args[0][m], args[1][m]) for m in args[1])
        elif t.head == "*":
            work += sum(m * n for m in args[0].values() for n in args[1].values())
        elif t.head == "^":
            exponent = args[1][0, 0, 0]
            work += exponent * (1 + sum(args[0].values()) ** max(exponent, 1))
        return _combine(t, args)

    problem.start.fold(combine)
    return float(work)


_FILES = tuple(f"polynomial/poly{k}.tsv.gz" for k in range(1, 7))


def _lines(first: int, last: float = math.inf) -> Split:
    """The problems of some lines of each file."""

    def split(rows: Sequence[Row]) -> Sequence[Row]:
        return [row for row in rows if first <= row.line <= last]

    return split


POLYNOMIAL = theory_from_table(
    "polynomial",
    Signature(
        {"0": 0, "S": 1, "+": 2, "*": 2, "^": 2, "x": 0, "y": 0, "z": 0},
        infix={"+": 1, "*": 2, "^": 3},
        numerals=("0", "S"),
    ),
    [
        ("add-zero", "a + 0 = a", 1, 2),
        ("add-succ", "a + S(b) = S(a + b)", 3, 4),
        ("mul-zero", "a * 0 = 0", 5, None),
        ("mul-succ", "a * S(b) = (a * b) + a", 6, 7),
        ("add-comm", "a + b = b + a", 10, None),
        ("mul-comm", "a * b = b * a", 10, None),
        ("pow-zero", "a ^ 0 = 1", 11, None),
        ("pow-succ", "a ^ S(b) = (a ^ b) * a", 12, 13),
        ("add-assoc", "(a + b) + c = a + (b + c)", 14, 15),
        ("mul-assoc", "(a * b) * c = a * (b * c)", 14, 15),
        ("distrib", "a * (b + c) = (a * b) + (a * c)", 16, 17),
        ("mul-one", "a * 1 = a", 18, 19),
        ("one-pow", "1 ^ a = 1", 20, None),
        ("pow-one", "a ^ 1 = a", 21, 22),
        ("pow-add", "a ^ (b + c) = (a ^ b) * (a ^ c)", 23, 24),
        ("mul-pow", "(a * b) ^ c = (a ^ c) * (b ^ c)", 25, 26),
        ("pow-pow", "(a ^ b) ^ c = a ^ (b * c)", 27, 28),
    ],
    moves={8: 0, 9: 1},
    title="Polynomial arithmetic: expand an expression in x, y, z",
    goal=Goal.TARGET,
    step_limit=100,
)

BENCHMARK = Benchmark(
    env_id="Polynomial-v0",
    sets={"train": _FILES, "dev": _FILES, "test": _FILES},
    splits={"train": _lines(1, 1000), "dev": _lines(1001, 2000), "test": _lines(2001)},
    difficulty=difficulty,
    stratum=lambda problem: problem.name.split(".")[0],
    target=_target,
    sample=_sample,
    largest_number=99,
)
