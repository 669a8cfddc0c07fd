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
from dataclasses import InitVar, dataclass, field
from functools import lru_cache
from operator import add
from types import MappingProxyType
from typing import Final, final

from threesil.errors import ThreesilError
from threesil.shown import Told
from threesil.terms import Term
from threesil.theory import Problem, Theory

LARGEST: Final = 2**22  # values of one term that are looked at


class NotAModel(ThreesilError):
    """Tables that `check` refuses, and why."""


@final
@dataclass(frozen=True, slots=True)
class Tables:
    """An unchecked interpretation: the number of its elements, and a table for each symbol."""

    size: int
    of: Mapping[str, tuple[int, ...]]

    def __post_init__(self) -> None:
        frozen = {symbol: tuple(table) for symbol, table in dict(self.of).items()}
        _set(self, "of", MappingProxyType(frozen))

    def __reduce__(self) -> tuple[Callable[..., Tables], tuple[object, ...]]:
        return Tables, (self.size, dict(self.of))


_CHECKED = object()


@final
@dataclass(frozen=True, slots=True, repr=False)
class Countermodel(Told):
    """A model of the theory in which the problem fails for `values`; only `check` makes one."""

    theory: Theory
    problem: Problem | None
    tables: Tables
    values: Mapping[str, int] = field(default_factory=dict)
    seal: InitVar[object] = None

    def __post_init__(self, seal: object) -> None:
        if seal is not _CHECKED:
            raise NotAModel("a Countermodel is made by check() alone")

    def __repr__(self) -> str:
        what = f"counter-model of {self.problem.name!r}" if self.problem else "model"
        return f"<{what} in {self.theory.name}: {self.tables.size} elements>"

    def __reduce__(self) -> tuple[Callable[..., Countermodel], tuple[object, ...]]:
        """A copy, and what comes out of a pickle, is checked anew."""
        return check, (self.theory, self.problem, self.tables, dict(self.values))


def check(
    theory: Theory, problem: Problem | None, tables: Tables, values: Mapping[str, int] | None = None
) -> Countermodel:
    """Evaluates all equations and the failing instance; a counter-model, or `NotAModel`."""
    for value, kind in ((theory, Theory), (problem, Problem), (tables, Tables)):
        if type(value) is not kind and (value is not None or kind is not Problem):
            raise NotAModel(f"expected a {kind.__name__}, not {type(value).__name__}")
    tables, given = Tables(tables.size, tables.of), MappingProxyType(dict(values or {}))
    _check_tables(theory, tables)
    for e in theory.equations:
        sides = [table_of(side, theory, tables, e.variables) for side in (e.lhs, e.rhs)]
        if sides[0] != sides[1]:
            raise NotAModel(f"the equation {e.name} does not hold")
    needed = set(problem.variables) - set(problem.exists) if problem else set()
    if given.keys() != needed or not _elements(given.values(), tables.size):
        raise NotAModel(f"expected elements for: {', '.join(sorted(needed)) or 'no variable'}")
    if problem is not None:
        if problem.target is None:
            raise NotAModel("a problem without a target can't be refuted")
        both = (problem.start, problem.target)
        sides = [table_of(side, theory, tables, problem.exists, given) for side in both]
        if any(left == right for left, right in zip(*sides, strict=True)):
            raise NotAModel("the problem holds for these values")
    return Countermodel(theory, problem, tables, given, seal=_CHECKED)


def _check_tables(theory: Theory, tables: Tables) -> None:
    """A table for each symbol, and for nothing else, with as many elements as its arity says."""
    n, symbols = tables.size, theory.signature.symbols
    if type(n) is not int or n < 1 or tables.of.keys() != symbols.keys():
        raise NotAModel(f"expected elements and tables for: {', '.join(symbols)}")
    for symbol, arity in symbols.items():
        if len(tables.of[symbol]) != n**arity or not _elements(tables.of[symbol], n):
            raise NotAModel(f"the table of {symbol} needs {n}^{arity} elements below {n}")


def _elements(values: Iterable[object], n: int) -> bool:
    return all(type(value) is int and 0 <= value < n for value in values)


def table_of(
    term: Term,
    theory: Theory,
    tables: Tables,
    variables: Sequence[str] = (),
    given: Mapping[str, int] = MappingProxyType({}),
) -> list[int]:
    """The values of a term for all those of `variables`, the last fastest; others are `given`."""
    n, symbols = tables.size, theory.signature.symbols

    def combine(t: Term, args: tuple[_Column, ...]) -> _Column:
        if t.is_variable:
            return ((), [given[t.head]]) if t.head in given else ((t.head,), range(n))
        if symbols.get(t.head) != len(args):
            raise NotAModel(f"{t.head} with {len(args)} arguments is not a symbol")
        used = {name for own, _ in args for name in own}
        names = tuple(name for name in variables if name in used)
        _count(n, names)
        first, *others = [_spread(column, own, names, n) for own, column in args] or [[0]]
        places = first
        for spread in others:
            places = list(map(add, map(n.__mul__, places), spread))
        return names, list(map(tables.of[t.head].__getitem__, places))

    own, column = term.fold(combine)
    return list(_spread(column, own, tuple(variables), n))


_Column = tuple[tuple[str, ...], Sequence[int]]  # variables, and values for all of theirs


def _spread(
    column: Sequence[int], own: Sequence[str], names: Sequence[str], n: int
) -> Sequence[int]:
    """The values for all those of `names` of a term whose variables are `own`, some of these."""
    if own == names:
        return column
    if not set(own) <= set(names):
        raise NotAModel(f"a variable has no value: {', '.join(own)}")
    _count(n, names)
    return list(map(column.__getitem__, _rows(tuple(name in own for name in names), n)))


@lru_cache(maxsize=16)
def _rows(held: tuple[bool, ...], n: int) -> Sequence[int]:
    """For all values of some variables: the place among those of the ones that are `held`."""
    rows, left = [0], sum(held)
    for one in held:
        left -= one
        step = n**left if one else 0
        rows = [row + step * value for row in rows for value in range(n)]
    return tuple(rows)


def _count(n: int, names: Sequence[str]) -> int:
    count: int = n ** len(names)
    if count > LARGEST:
        raise NotAModel(f"{n}^{len(names)} values are too many to check; the limit is {LARGEST}")
    return count


_set: Callable[[object, str, object], None] = object.__setattr__
