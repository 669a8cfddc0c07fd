"""The least number of steps in Robinson arithmetic, against shortest solutions of small terms."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from pathlib import Path

import pytest

from samples import ROBINSON
from threesil.kernel.terms import Term, app
from threesil.problems.sets import load_set
from threesil.theories import benchmark_of
from threesil.theories.robinson_steps import least_forward_steps, least_steps, value

ZERO = app("0")


def numeral(number: int) -> Term:
    term = ZERO
    for _ in range(number):
        term = app("S", term)
    return term


def terms(size: int) -> Iterator[Term]:
    """All terms without variables of that many symbols."""
    if size == 1:
        yield ZERO
        return
    yield from (app("S", one) for one in terms(size - 1))
    for left in range(1, size - 1):
        for x in terms(left):
            for y in terms(size - 1 - left):
                yield from (app(head, x, y) for head in "+*")


def rewritten(term: Term, backwards: bool) -> Iterator[tuple[int, Term]]:
    """(steps, the term afterwards) of each rewrite, with the rules as the paper has them."""
    yield from ((1, other) for other in at_root(term, backwards))
    for place, child in enumerate(term.args):
        for steps, other in rewritten(child, backwards):
            args = [*term.args[:place], other, *term.args[place + 1 :]]
            yield steps + 1, app(term.head, *args)


def at_root(term: Term, backwards: bool) -> Iterator[Term]:
    if term.head in "+*":
        x, y = term.args
        if y == ZERO:
            yield x if term.head == "+" else ZERO
        elif y.head == "S":
            inner = app(term.head, x, y.args[0])
            yield app("S", inner) if term.head == "+" else app("+", inner, x)
    if backwards:
        yield app("+", term, ZERO)
        if term.head == "S" and term.args[0].head == "+":
            x, y = term.args[0].args
            yield app("+", x, app("S", y))
        if term.head == "+" and term.args[0].head == "*" and term.args[0].args[0] == term.args[1]:
            x, y = term.args[0].args
            yield app("*", x, app("S", y))


def shortest(term: Term, backwards: bool, most: int = 60) -> int:
    """The length of the shortest solution, which is no longer than `most`."""
    goal, known, waiting, count = numeral(value(term)), {term: 0}, [(0, 0, term)], 0
    while True:
        steps, _, now = heappop(waiting)
        if now == goal:
            return steps
        for more, other in rewritten(now, backwards) if steps == known[now] else ():
            total = steps + more
            if total < known.get(other, most + 1):
                known[other], count = total, count + 1
                heappush(waiting, (total, count, other))


@pytest.mark.parametrize("size", range(1, 7))
def test_no_small_term_takes_fewer_steps(size: int) -> None:
    exact = 0
    for term in terms(size):
        forward = shortest(term, backwards=False)
        assert least_forward_steps(term) <= forward
        exact += least_forward_steps(term) == forward
        if forward <= 12:
            assert least_steps(term) <= shortest(term, backwards=True, most=forward)
    assert exact


def test_rewriting_back_may_be_shorter() -> None:
    """S((0 + 2) + 1) takes 17 steps, but only 16 if it becomes (0 + 2) + 2 first."""
    inner = app("+", ZERO, numeral(2))
    term, pushed = app("S", app("+", inner, numeral(1))), app("+", inner, numeral(2))
    assert shortest(term, backwards=False) == least_forward_steps(term) == 17
    assert (1, pushed) in rewritten(term, backwards=True)
    assert least_steps(term) <= 1 + shortest(pushed, backwards=False) == 16


def test_sums_and_products_of_numerals() -> None:
    for b in range(30):
        term = app("+", numeral(5), numeral(b))
        assert least_forward_steps(term) == (b + 1) * (b + 2) // 2
        assert value(app("*", numeral(5), numeral(b))) == 5 * b


@pytest.mark.data
def test_the_dev_set(data: Path) -> None:
    """How many problems 250 steps may be enough for, high and beyond."""
    parts: dict[str, list[Term]] = {"high": [], "beyond": []}
    for problem in load_set(ROBINSON, "dev"):
        parts.get(benchmark_of(ROBINSON).stratum(problem), []).append(problem.start)
    assert [len(part) for part in parts.values()] == [2209, 3727]
    for least, found in ((least_steps, [2205, 2331]), (least_forward_steps, [1815, 124])):
        assert [sum(least(term) <= 250 for term in part) for part in parts.values()] == found
