"""Clauses whose solutions are the models of equations with n elements.

A *cell* f(a, b) of a table has a boolean variable for each value; exactly one of them is true. An
equation is *flattened* over the values of its variables: a subterm whose arguments are variables
is a cell, any other one gets booleans of its own for its values, forced by those of its arguments.
Equal subterms, up to the names of variables, share them, whatever equation they come from.

Renaming the elements makes n! models of one. So they are numbered in the order in which constants
and then cells mention them: a value comes only after the one below it, and the first constant is 0.
(The *least number* heuristic of Zhang and Zhang's SEM 1995; as clauses in Claessen and Sörensson's
Paradox 2003.)

Clauses are made as arrays, a row each: shape (clauses, literals), variables counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from threesil.kernel.naming import fresh_name
from threesil.kernel.terms import Term, app, var
from threesil.search.finite.divisions import Division

Ints = npt.NDArray[np.int32]

_LARGE = 100  # nodes of a term that is taken a piece at a time


class TooLarge(Exception):
    """More clauses than one wants to have in memory."""


@dataclass(frozen=True)
class _Values:
    """The booleans of a term: shape (n, …, n, n), an axis for each variable, the last its value."""

    variables: tuple[str, ...]
    of: Ints


class Encoding:
    """The clauses for a signature, `symbols` with their arities, and n elements.

    `take` gives the clauses that have been made since it was called last.
    """

    def __init__(
        self, symbols: Mapping[str, int], n: int, most: int, divisions: Mapping[str, Division]
    ) -> None:
        """`divisions` have no clauses of their own, but that they are functions."""
        self.n, self.most = n, most
        self.count = 0  # booleans
        self.clauses = 0
        self.cells: dict[str, Ints] = {}
        self._made: list[Ints] = []
        self._known: dict[Term, Ints] = {}
        self._diagonal: Ints | None = None
        self._first = ""  # the constant that is 0
        for symbol, arity in symbols.items():
            if symbol not in divisions:
                self._afford(n ** (arity + 1) * n)
                self.cells[symbol] = self._exactly_one((n,) * arity)
        for symbol, division in divisions.items():
            self._afford(n**4)
            self.cells[symbol] = self.cells[division.by].swapaxes(division.place, 2)
            self._one_of(self.cells[symbol].reshape(n * n, n))

    def take(self) -> list[Ints]:
        made, self._made = self._made, []
        return made

    def new(self) -> int:
        """A boolean of no meaning yet."""
        self.count += 1
        return self.count

    def clause(self, literals: Sequence[int]) -> None:
        self._add(np.array([literals], np.int32))

    def prepare(self, *sides: Term) -> Iterator[None]:
        """Booleans for what is inside of large terms, a piece at a time: all at once takes long."""
        for side in sides:
            if side.size > _LARGE:
                for part in sorted(side.distinct(), key=lambda part: part.size)[:-1]:
                    self._define(part)
                    yield

    def hold(self, lhs: Term, rhs: Term) -> None:
        """The sides are equal for all values."""
        if _flat(lhs) and not _flat(rhs):
            lhs, rhs = rhs, lhs
        if lhs.is_variable:
            lhs, rhs = rhs, lhs
        if lhs.is_variable:
            if lhs != rhs:
                self._add(np.zeros((1, 0), np.int32))  # one element is all there is
            return
        names = tuple(dict.fromkeys((*lhs.variables(), *rhs.variables())))
        if rhs.is_variable:
            self._force(lhs, names, None, rhs.head)
            return
        right = self._values(rhs)
        if _flat(lhs):
            left = self._values(lhs)
            self._imply([left, right], names)
            self._imply([right, left], names)
        else:
            self._force(lhs, names, right, "")

    def differ(self, lhs: Term, rhs: Term, when: int) -> None:
        """If the boolean `when` is true, the sides differ for all values."""
        names = tuple(dict.fromkeys((*lhs.variables(), *rhs.variables())))
        sides = [self._values(side) for side in (lhs, rhs)]
        shape = (self.n,) * (len(names) + 1)
        self._afford(self.n ** len(shape))
        rows = [np.broadcast_to(np.int32(-when), shape)]
        rows += [-self._spread(side, names) for side in sides]
        self._add(np.stack(np.broadcast_arrays(*rows), -1).reshape(-1, 3))

    def number_in_order(self, symbols: Mapping[str, int]) -> None:
        """Only models whose elements are numbered as they are mentioned by these symbols."""
        n = self.n
        before: list[Ints] = []  # cells that come earlier

        def mention(cell: Ints, free: int) -> None:
            """A value above `free` needs one below it in an earlier cell."""
            for value in range(free + 1, n):
                earlier = [int(other[value - 1]) for other in before]
                self.clause([-int(cell[value]), *earlier])
            before.append(cell)

        for symbol, arity in symbols.items():
            if arity == 0:
                self._first = self._first or symbol
                mention(self.cells[symbol], 0)
        functions = [(symbol, arity) for symbol, arity in symbols.items() if 1 <= arity <= 2]
        functions.sort(key=lambda pair: pair[1])
        for stage in range(n - 1):
            for symbol, arity in functions:
                for place in product(range(stage + 1), repeat=arity):
                    if max(place) == stage:
                        mention(self.cells[symbol][place], stage + 1)

    # Terms

    def _values(self, term: Term) -> _Values:
        """The booleans of a term, with what forces them."""
        names = term.variables()
        if term.is_variable:
            return _Values(names, self._constants())
        if _flat(term):
            axes = self._axes(len(names) + 1)
            at = [axes[names.index(arg.head)] for arg in term.args]
            return _Values(names, self.cells[term.head][(*at, axes[-1])])
        known = self._known.get(_key(term, names))
        if known is None:
            term.fold(self._define)  # what is inside first, so that nothing recurs deeply
            known = self._known[_key(term, names)]
        return _Values(names, known)

    def _define(self, term: Term, _: object = ()) -> None:
        """Booleans for a term whose arguments have theirs."""
        names = term.variables()
        key = _key(term, names)
        if not _flat(term) and key not in self._known:
            self._afford(self.n ** (len(names) + 2))
            known = self._exactly_one((self.n,) * len(names))
            self._force(term, names, _Values(names, known), "")
            self._known[key] = known

    def _constants(self) -> Ints:
        """The booleans of a variable: true where its value is the value."""
        if self._diagonal is None:
            yes = self.new()
            self.clause([yes])
            self._diagonal = np.full((self.n, self.n), -yes, np.int32)
            np.fill_diagonal(self._diagonal, yes)
        return self._diagonal

    def _force(
        self, term: Term, names: tuple[str, ...], into: _Values | None, variable: str
    ) -> None:
        """The value of f(…) goes into these booleans; without them it is that of a variable.

        The axes of the clauses: `names`, a value for each argument that is no variable and not the
        constant 0, the value.
        """
        zero = app(self._first)
        inner = [k for k, arg in enumerate(term.args) if not arg.is_variable and arg != zero]
        parts = {k: self._values(term.args[k]) for k in inner}
        if len(inner) == len(term.args) == 2:
            few, many = sorted(inner, key=lambda k: len(parts[k].variables))
            if len(parts[few].variables) < len(names):
                self._force_by_steps(term, many, parts[many], names, into, variable)
                return
        count = len(names) + len(inner) + (into is not None)
        self._afford(self.n**count)
        axes = self._axes(count)
        at, rows = [], []
        for k, arg in enumerate(term.args):
            if k not in parts:
                at.append(axes[names.index(arg.head)] if arg.is_variable else np.int32(0))
                continue
            value = axes[len(names) + inner.index(k)]
            own = [axes[names.index(name)] for name in parts[k].variables]
            rows.append(-parts[k].of[(*own, value)])
            at.append(value)
        cells = self.cells[term.head]
        if into is None:
            rows.append(cells[(*at, axes[names.index(variable)])])
        else:
            own = [axes[names.index(name)] for name in into.variables]
            rows += [-cells[(*at, axes[-1])], into.of[(*own, axes[-1])]]
        rows = [np.broadcast_to(row, (self.n,) * count) for row in rows]
        self._add(np.stack(rows, -1).reshape(-1, len(rows)))

    def _force_by_steps(
        self,
        term: Term,
        place: int,
        part: _Values,
        names: tuple[str, ...],
        into: _Values | None,
        variable: str,
    ) -> None:
        """The same for f(s, t), by booleans for f(s, v): that takes fewer clauses.

        The axes: `names`, the value v of the argument at `place`, the value of the term.
        """
        free = fresh_name("v", names)
        args = [var(free) if k == place else arg for k, arg in enumerate(term.args)]
        step = self._values(app(term.head, *args))
        count = len(names) + 1 + (into is not None)
        self._afford(self.n**count)
        axes = dict(zip((*names, free), self._axes(count), strict=False))
        last = axes[variable] if into is None else self._axes(count)[-1]
        given = part.of[(*(axes[name] for name in part.variables), axes[free])]
        value = step.of[(*(axes[name] for name in step.variables), last)]
        rows = [-given, value]
        if into is not None:
            rows = [-given, -value, into.of[(*(axes[name] for name in into.variables), last)]]
        rows = [np.broadcast_to(row, (self.n,) * count) for row in rows]
        self._add(np.stack(rows, -1).reshape(-1, len(rows)))

    def _imply(self, sides: Sequence[_Values], names: tuple[str, ...]) -> None:
        """If one term has a value, the other has it too."""
        left, right = (self._spread(side, names) for side in sides)
        shape = (self.n,) * (len(names) + 1)
        self._afford(self.n ** len(shape))
        rows = [np.broadcast_to(row, shape) for row in (-left, right)]
        self._add(np.stack(rows, -1).reshape(-1, 2))

    def _spread(self, values: _Values, names: tuple[str, ...]) -> Ints:
        axes = self._axes(len(names) + 1)
        own = [axes[names.index(name)] for name in values.variables]
        spread: Ints = values.of[(*own, axes[-1])]
        return spread

    # Arrays

    def _axes(self, count: int) -> list[Ints]:
        """The numbers 0 … n − 1 along each of so many axes."""
        steps = np.arange(self.n, dtype=np.int32)
        return [steps.reshape((-1,) + (1,) * (count - 1 - k)) for k in range(count)]

    def _exactly_one(self, shape: tuple[int, ...]) -> Ints:
        """Booleans for the values of so many terms, one of them true for each."""
        n = self.n
        size = n ** len(shape)
        first = self.count + 1
        self.count += size * n
        values = np.arange(first, self.count + 1, dtype=np.int32).reshape(size, n)
        self._one_of(values)
        return values.reshape((*shape, n))

    def _one_of(self, values: Ints) -> None:
        """One boolean of each row is true."""
        self._add(values)
        left, right = np.triu_indices(self.n, 1)
        self._add(np.stack([-values[:, left], -values[:, right]], -1).reshape(-1, 2))

    def _afford(self, clauses: int) -> None:
        if self.clauses + clauses > self.most:
            raise TooLarge

    def _add(self, rows: Ints) -> None:
        self.clauses += len(rows)
        self._made.append(rows)


def _key(term: Term, names: Sequence[str]) -> Term:
    """The term but for the names of its variables."""
    return term.substitute({name: var(str(i)) for i, name in enumerate(names)})


def _flat(term: Term) -> bool:
    """Whether a term is a variable or a cell of a table."""
    return term.is_variable or all(arg.is_variable for arg in term.args)


def lists(made: Sequence[Ints]) -> Iterator[list[list[int]]]:
    """The clauses as a solver takes them, a few at a time."""
    for rows in made:
        for start in range(0, len(rows), 5000):
            yield rows[start : start + 5000].tolist()
