"""What is true in small models: an evaluator of its own, which knows nothing of the kernels.

Tables are dictionaries from arguments to values. A statement that follows from equations holds in
every model of these, so one in which it fails shows that it does not follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, product
from random import Random

from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Problem

_ALL = 700  # interpretations of a size that are all looked at
_SOME = 250  # else
_VALUES = 300  # assignments of a statement that are looked at
_MODELS = 30  # of an axiom set

Function = Mapping[tuple[int, ...], int]


@dataclass(frozen=True)
class Interpretation:
    """Elements 0 … size - 1, and a function for each symbol."""

    size: int
    of: Mapping[str, Function]

    def value(self, term: Term, given: Mapping[str, int]) -> int:
        if term.is_variable:
            return given[term.head]
        return self.of[term.head][tuple([self.value(arg, given) for arg in term.args])]


def assignments(names: Iterable[str], size: int) -> Iterator[dict[str, int]]:
    """All values of some variables, or many of them where these are too many."""
    listed = tuple(names)
    if size ** len(listed) <= _VALUES:
        for values in product(range(size), repeat=len(listed)):
            yield dict(zip(listed, values, strict=True))
        return
    random = Random(f"{listed} {size}")
    for _ in range(_VALUES):
        yield {name: random.randrange(size) for name in listed}


def every(names: Iterable[str], size: int) -> Iterator[dict[str, int]]:
    """All values of some variables, however many."""
    listed = tuple(names)
    for values in product(range(size), repeat=len(listed)):
        yield dict(zip(listed, values, strict=True))


def holds(
    lhs: Term,
    rhs: Term,
    within: Interpretation,
    exists: Iterable[str] = (),
    values: Callable[[Iterable[str], int], Iterator[dict[str, int]]] = assignments,
) -> bool:
    """Whether two terms are equal for all values, but for those that are to exist."""
    there = tuple(dict.fromkeys(exists))
    names = dict.fromkeys((*lhs.variables(), *rhs.variables()))
    arbitrary = [name for name in names if name not in there]
    return all(
        any(
            within.value(lhs, given | found) == within.value(rhs, given | found)
            for found in every(there, within.size)
        )
        for given in values(arbitrary, within.size)
    )


def interpretations(symbols: tuple[tuple[str, int], ...]) -> Iterator[Interpretation]:
    """All of one and two elements, if these are not too many, some of three, and known ones."""
    yield from _known(symbols)
    random = Random(str(symbols))
    for size in (1, 2, 3):
        cells = sum(size**arity for _, arity in symbols)
        if size**cells <= _ALL:
            found = product(range(size), repeat=cells)
        else:
            found = (tuple(random.randrange(size) for _ in range(cells)) for _ in range(_SOME))
        for values in found:
            left = iter(values)
            yield Interpretation(
                size,
                {
                    symbol: {args: next(left) for args in product(range(size), repeat=arity)}
                    for symbol, arity in symbols
                },
            )


def _known(symbols: tuple[tuple[str, int], ...]) -> Iterator[Interpretation]:
    """Arithmetic modulo n, permutations, projections, semilattices: whatever fits the arities."""
    permutations = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2), (0, 2, 1), (2, 1, 0)]
    place = {p: k for k, p in enumerate(permutations)}
    inverse = [place[tuple(p.index(k) for k in range(3))] for p in permutations]
    s3: dict[int, Callable[..., int]] = {
        0: lambda: 0,
        1: lambda a: inverse[a],
        2: lambda a, b: place[tuple(permutations[a][permutations[b][k]] for k in range(3))],
    }
    yield from _made(symbols, 6, s3)
    for n in (2, 3, 4, 5):
        group = {0: lambda: 0, 1: lambda a: -a, 2: lambda a, b: a + b}
        yield from _made(symbols, n, group)
        successor = {0: lambda: 0, 1: lambda a: a + 1, 2: lambda a, b: a + b}
        yield from _made(symbols, n, successor)
        left: dict[int, Callable[..., int]] = {0: lambda: 0, 1: lambda a: a, 2: lambda a, b: a}
        yield from _made(symbols, n, left)
        yield from _made(symbols, n, left | {2: lambda a, b: b})
        yield from _made(symbols, n, left | {2: max})
        yield from _made(symbols, n, left | {2: min})


def _made(
    symbols: tuple[tuple[str, int], ...], n: int, by_arity: Mapping[int, Callable[..., int]]
) -> Iterator[Interpretation]:
    if all(arity in by_arity for _, arity in symbols):
        yield Interpretation(
            n,
            {
                symbol: {
                    args: by_arity[arity](*args) % n for args in product(range(n), repeat=arity)
                }
                for symbol, arity in symbols
            },
        )


@cache
def _interpretations(symbols: tuple[tuple[str, int], ...]) -> tuple[Interpretation, ...]:
    return tuple(interpretations(symbols))


@lru_cache(maxsize=512)
def models(
    symbols: tuple[tuple[str, int], ...], equations: frozenset[tuple[Term, Term]]
) -> tuple[Interpretation, ...]:
    """Some models of equations, the known ones first; none if these have other symbols."""
    arities = dict(symbols)
    inner = (t for sides in equations for side in sides for t in side.subterms())
    if any(not t.is_variable and arities.get(t.head) != len(t.args) for t in inner):
        return ()
    found = (
        one
        for one in _interpretations(symbols)
        if all(holds(lhs, rhs, one, values=every) for lhs, rhs in equations)
    )
    return tuple(islice(found, _MODELS))


def counterexample(
    symbols: Mapping[str, int],
    equations: Iterable[Equation],
    lhs: Term,
    rhs: Term,
    exists: Iterable[str] = (),
) -> Interpretation | None:
    """A model of the equations in which a statement fails, if one is known."""
    sides = frozenset((equation.lhs, equation.rhs) for equation in equations)
    return _counterexample(tuple(symbols.items()), sides, lhs, rhs, tuple(exists))


@lru_cache(maxsize=4096)
def _counterexample(
    symbols: tuple[tuple[str, int], ...],
    equations: frozenset[tuple[Term, Term]],
    lhs: Term,
    rhs: Term,
    exists: tuple[str, ...],
) -> Interpretation | None:
    for one in models(symbols, equations):
        if not holds(lhs, rhs, one, exists):
            return one
    return None


def refutes(
    within: Interpretation,
    equations: Iterable[Equation],
    problem: Problem | None,
    given: Mapping[str, int],
) -> bool:
    """Whether all equations hold in an interpretation, and the problem fails for these values."""
    if not all(holds(e.lhs, e.rhs, within, values=every) for e in equations):
        return False
    if problem is None:
        return True
    assert problem.target is not None
    return not any(
        within.value(problem.start, {**given, **found})
        == within.value(problem.target, {**given, **found})
        for found in every(problem.exists, within.size)
    )
