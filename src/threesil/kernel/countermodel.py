"""The kernel for refutations: tables become a `Countermodel` only through `check`.

An *interpretation* of a theory has the elements 0 … n − 1 and gives each symbol of arity k a
*table*: its n^k values, row-major, so that f(a, b, c) stands at (a·n + b)·n + c. It is a *model*
if all equations of the theory hold for all values of their variables: axioms, definitions, and the
known ones too, so that nothing which has a proof can be refuted. A model refutes a problem if, for
some values of its variables, the sides differ, whatever the variables in `exists` stand for.
Without a problem, the model shows that the theory has one of that size.

This file is all that has to be trusted. It computes the table of each term, in plain Python, and
knows nothing of how the tables were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass
from functools import lru_cache
from operator import add
from types import MappingProxyType, NoneType
from typing import Final, final

from threesil.errors import ThreesilError
from threesil.kernel.display import Printed
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term
from threesil.kernel.theory import Problem, Theory

LARGEST: Final = 2**22  # values of one term that are looked at


class NotAModel(ThreesilError):
    """Tables that `check` refuses, and why."""


_CHECKED = object()


@final
@dataclass(frozen=True, slots=True, repr=False)
class Countermodel(Printed):
    """A model of the theory in which the problem fails for `values`; only `check` makes one."""

    theory: Theory
    problem: Problem | None
    tables: Tables
    values: Mapping[str, int]
    seal: InitVar[object] = None

    def __post_init__(self, seal: object) -> None:
        if seal is not _CHECKED:
            raise NotAModel("a Countermodel is made by check() alone")

    def __repr__(self) -> str:
        what = f"counter-model of {self.problem.name!r}" if self.problem else "model"
        return f"<{what} in {self.theory.name}: {self.tables.size} elements>"

    def __reduce__(self) -> tuple[Callable[..., Countermodel], tuple[object, ...]]:
        """A copy, and what comes out of a pickle, is checked again."""
        return check, (self.theory, self.problem, self.tables, dict(self.values))


def check(
    theory: Theory, problem: Problem | None, tables: Tables, values: Mapping[str, int] | None = None
) -> Countermodel:
    """Evaluates all equations and the failing instance; a counter-model, or `NotAModel`."""
    if (type(theory), type(tables)) != (Theory, Tables) or type(problem) not in (Problem, NoneType):
        raise NotAModel("expected a Theory, a Problem or None, and Tables")
    tables, given = Tables(tables.size, tables.of), MappingProxyType(dict(values or {}))
    n, symbols = tables.size, theory.signature.symbols
    if type(n) is not int or not 1 <= n <= LARGEST or tables.of.keys() != symbols.keys():
        raise NotAModel(f"expected elements and tables for: {', '.join(symbols)}")
    for symbol, arity in symbols.items():
        if len(tables.of[symbol]) != n**arity or not _elements(tables.of[symbol], n):
            raise NotAModel(f"the table of {symbol} needs {n}^{arity} elements below {n}")
    for e in theory.equations:
        sides = [table_of(side, theory, tables, e.variables, {}) for side in (e.lhs, e.rhs)]
        if sides[0] != sides[1]:
            raise NotAModel(f"the equation {e.name} does not hold")
    needed = set(problem.variables) - set(problem.exists) if problem else set()
    if given.keys() != needed or not _elements(given.values(), n):
        raise NotAModel(f"expected elements for: {', '.join(sorted(needed)) or 'no variable'}")
    if problem is not None:
        if problem.target is None:
            raise NotAModel("a problem without a target can't be refuted")
        both = (problem.start, problem.target)
        sides = [table_of(side, theory, tables, problem.exists, given) for side in both]
        if any(left == right for left, right in zip(*sides, strict=True)):
            raise NotAModel("the problem holds for these values")
    return Countermodel(theory, problem, tables, given, seal=_CHECKED)


def _elements(values: Iterable[object], n: int) -> bool:
    return all(type(value) is int and 0 <= value < n for value in values)


_Column = tuple[tuple[str, ...], Sequence[int]]  # some variables, and values for all of theirs


def table_of(
    term: Term, theory: Theory, tables: Tables, variables: Sequence[str], given: Mapping[str, int]
) -> list[int]:
    """The values of a term for all those of `variables`, the last fastest; others are `given`."""
    n, symbols = tables.size, theory.signature.symbols

    def spread(column: _Column, names: tuple[str, ...]) -> Sequence[int]:
        own, entries = column
        if own == names:
            return entries
        if n ** len(names) > LARGEST:
            raise NotAModel(f"{n}^{len(names)} values are too many: the limit is {LARGEST}")
        return list(map(entries.__getitem__, _places(tuple(name in own for name in names), n)))

    def combine(t: Term, args: tuple[_Column, ...]) -> _Column:
        if t.is_variable and t.head in given:
            return (), [given[t.head]]
        if t.is_variable and t.head in variables:
            return (t.head,), range(n)
        if t.is_variable or symbols.get(t.head) != len(args):
            raise NotAModel(f"{t.head} with {len(args)} arguments is not a symbol, nor has a value")
        names = tuple(name for name in variables if any(name in own for own, _ in args))
        places, *columns = [spread(column, names) for column in args] or [[0]]
        for column in columns:
            places = list(map(add, map(n.__mul__, places), column))
        return names, list(map(tables.of[t.head].__getitem__, places))

    return list(spread(term.fold(combine), tuple(variables)))


@lru_cache(maxsize=16)
def _places(held: tuple[bool, ...], n: int) -> Sequence[int]:
    """For all values of some variables: the place among those of the ones that are `held`."""
    places, left = [0], sum(held)
    for one in held:
        left -= one
        steps = [value * n**left if one else 0 for value in range(n)]
        places = [place + step for place in places for step in steps]
    return places
