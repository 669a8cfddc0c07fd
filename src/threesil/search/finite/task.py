"""What is looked for: tables for some symbols, such that equations hold and a goal fails.

A symbol with a definition, f(x, y) = t, that nothing else speaks of needs no search: its table is
computed from the others. Known equations follow from the others, so they are left out of a search
as long as what it finds satisfies them. The goal's variables become constants, the same ones for
all goals, but for those that a value is to exist for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import product

from threesil.kernel.countermodel import LARGEST, Countermodel, NotAModel, check, table_of
from threesil.kernel.naming import fresh_name
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term, app
from threesil.kernel.theory import Equation, Problem, Theory

Sides = tuple[Term, Term]


@dataclass(frozen=True)
class ModelTask:
    """A theory and the problems to refute; None stands for any model at all.

    `together`: one model is to refute all of them. `known`: the known equations are to hold from
    the beginning. `symbols` are those whose tables
    are looked for, `constants` stand for the goals' variables, `derived` are definitions of the
    other symbols, each after those that it needs.
    """

    theory: Theory
    problems: tuple[Problem | None, ...]
    together: bool = False
    known: bool = False
    symbols: Mapping[str, int] = field(init=False)
    equations: tuple[Sides, ...] = field(init=False)
    derived: tuple[Sides, ...] = field(init=False)
    constants: tuple[str, ...] = field(init=False)
    goals: tuple[Sides | None, ...] = field(init=False)

    def __post_init__(self) -> None:
        theory, put = self.theory, object.__setattr__
        wanted = [e for e in theory.equations if self.known or e.kind != "known"]
        in_goals = {s for p in self.problems if p for s in _symbols(*_sides(p))}
        kept, derived = _without_definitions(wanted, in_goals)
        gone = {lhs.head for lhs, _ in derived}
        symbols = {s: a for s, a in theory.signature.symbols.items() if s not in gone}
        most = max((len(_universal(p)) for p in self.problems if p), default=0)
        constants: list[str] = []
        for number in range(most):
            constants.append(fresh_name(f"c{number}", {*theory.signature.symbols, *constants}))
        put(self, "symbols", symbols)
        put(self, "equations", tuple(kept))
        put(self, "derived", tuple(derived))
        put(self, "constants", tuple(constants))
        put(self, "goals", tuple(p and self._goal(p) for p in self.problems))

    def _goal(self, problem: Problem) -> Sides:
        names = dict(zip(_universal(problem), self.constants, strict=False))
        values = {name: app(constant) for name, constant in names.items()}
        lhs, rhs = _sides(problem)
        return lhs.substitute(values), rhs.substitute(values)

    def fits(self, n: int) -> bool:
        """Whether what is found with n elements can be checked."""
        arities = self.theory.signature.symbols.values()
        variables = (len(e.variables) for e in self.theory.equations)
        return all(n**count <= LARGEST for count in (*arities, *variables))

    def complete(self, n: int, found: Mapping[str, Sequence[int]]) -> Tables:
        """The tables of all symbols, from those that were looked for."""
        of = {symbol: tuple(found[symbol]) for symbol in self.symbols}
        for lhs, rhs in self.derived:
            names = [arg.head for arg in lhs.args]
            tables = Tables(n, of)
            of[lhs.head] = tuple(table_of(rhs, self.theory, tables, names, {}))
        return Tables(n, {symbol: of[symbol] for symbol in self.theory.signature.symbols})

    def refuted(self, tables: Tables, among: Iterable[int]) -> dict[int, Countermodel]:
        """Which of the problems fail in a model, by their places; `NotAModel` if it is none."""
        refuted: dict[int, Countermodel] = {}
        for place in among:
            problem = self.problems[place]
            values = {} if problem is None else failing(self.theory, problem, tables)
            if values is not None:
                refuted[place] = check(self.theory, problem, tables, values)
            elif self.together:
                return {}
        return refuted


def failing(theory: Theory, problem: Problem, tables: Tables) -> dict[str, int] | None:
    """Values for which a problem fails, whatever those that are to exist; None if there are none.

    `NotAModel` if there are too many values to look at.
    """
    names = _universal(problem)
    every = (*names, *problem.exists)
    left, right = (table_of(side, theory, tables, every, {}) for side in _sides(problem))
    width = tables.size ** len(problem.exists)
    for row, values in enumerate(product(range(tables.size), repeat=len(names))):
        some = range(row * width, (row + 1) * width)
        if all(left[k] != right[k] for k in some):
            return dict(zip(names, values, strict=True))
    return None


def _universal(problem: Problem) -> tuple[str, ...]:
    return tuple(name for name in problem.variables if name not in problem.exists)


def _sides(problem: Problem) -> Sides:
    if problem.target is None:
        raise NotAModel("a problem without a target can't be refuted")
    return problem.start, problem.target


def _symbols(*terms: Term) -> set[str]:
    return {t.head for term in terms for t in term.distinct() if not t.is_variable}


def _without_definitions(
    equations: Sequence[Equation], needed: set[str]
) -> tuple[list[Sides], list[Sides]]:
    """(the equations that a search needs, definitions of symbols that it can do without)."""
    kept = {at: (e.lhs, e.rhs) for at, e in enumerate(equations)}
    speaking: dict[str, set[int]] = {}  # the equations that speak of a symbol
    for at, sides in kept.items():
        for symbol in _symbols(*sides):
            speaking.setdefault(symbol, set()).add(at)
    derived: list[Sides] = []
    waiting = list(kept)  # a heap: the first equation that can go is the next to go
    while waiting:
        at = heappop(waiting)
        if at not in kept:
            continue
        for one, other in (kept[at], kept[at][::-1]):
            alone = one.head not in needed and speaking.get(one.head) == {at}
            if alone and _defines(one, other):
                derived.insert(0, (one, other))
                for symbol in _symbols(*kept.pop(at)):
                    speaking[symbol].discard(at)
                    if len(speaking[symbol]) == 1:
                        heappush(waiting, *speaking[symbol])
                break
    return list(kept.values()), derived


def _defines(lhs: Term, rhs: Term) -> bool:
    """Whether f(x, y) = t says what f is."""
    names = [arg.head for arg in lhs.args if arg.is_variable]
    apart = not lhs.is_variable and len(set(names)) == len(lhs.args)
    return apart and set(rhs.variables()) <= set(names) and lhs.head not in _symbols(rhs)
