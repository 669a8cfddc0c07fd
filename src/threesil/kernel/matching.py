"""Theories that are the same but for names, and theories that contain such a copy of another one.

A *correspondence* from one theory to another is an injective map of symbols, each to one with as
many arguments. Under it an equation has a *counterpart* in the other theory if that has an
equation which says the same up to the names of variables and the order of the sides. How an
equation is called does not matter, nor whether it is an axiom, a definition or known.

The *shape* of an equation, read from one side to the other, is its preorder with the symbols and
the variables numbered by first occurrence. Two equations can be counterparts only if their shapes
are equal; then they are if the map takes the first symbol of the one to the first symbol of the
other, and so on. So a theory is a set of tuples of symbols for each shape, and a correspondence
an embedding of one such structure in another: it is found by backtracking, after symbols have
been compared by how often they occur where. Symbols that no equation mentions stay out of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, final

from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Theory

_EFFORT = 300_000  # comparisons of tuples; a fraction of a second

Shape = tuple[int, ...]
Symbols = tuple[str, ...]
Structure = Mapping[Shape, Mapping[Symbols, None]]
Profiles = Mapping[str, Counter[tuple[Shape, int]]]


@final
@dataclass(frozen=True, slots=True)
class Counterpart:
    """An equation that says the same: its name, whether its sides are swapped, its variables.

    `renaming` maps the variables of the one to those of the other.
    """

    name: str
    swapped: bool
    renaming: Mapping[str, str]

    def __post_init__(self) -> None:
        _set(self, "renaming", MappingProxyType(dict(self.renaming)))

    def __reduce__(self) -> tuple[Callable[..., Counterpart], tuple[object, ...]]:
        return Counterpart, (self.name, self.swapped, dict(self.renaming))


@final
@dataclass(frozen=True, slots=True)
class Correspondence:
    """A map of symbols of `part` to symbols of `whole`, and what follows from it.

    `equations` gives the counterparts of those equations of `part` that have one.
    """

    part: Theory
    whole: Theory
    symbols: Mapping[str, str]
    equations: Mapping[str, Counterpart] = field(init=False)

    def __post_init__(self) -> None:
        theirs = self.whole.signature.symbols
        for symbol, image in self.symbols.items():
            if theirs.get(image, -1) != self.part.signature.symbols.get(symbol):
                raise ValueError(f"the symbol {symbol} can't correspond to {image}")
        if len(set(self.symbols.values())) < len(self.symbols):
            raise ValueError("two symbols can't correspond to the same one")
        _set(self, "symbols", MappingProxyType(dict(self.symbols)))
        _set(self, "equations", MappingProxyType(_counterparts(self)))

    def __reduce__(self) -> tuple[Callable[..., Correspondence], tuple[object, ...]]:
        return Correspondence, (self.part, self.whole, dict(self.symbols))

    @property
    def inverse(self) -> Correspondence:
        """The same, read the other way round."""
        symbols = {image: symbol for symbol, image in self.symbols.items()}
        return Correspondence(self.whole, self.part, symbols)

    @property
    def total(self) -> bool:
        """Whether `whole` has all equations of `part`."""
        return len(self.equations) == len(self.part.equations)

    @property
    def exact(self) -> bool:
        """Whether both theories have the same equations."""
        return self.total and self.inverse.total


def find_correspondence(part: Theory, whole: Theory) -> Correspondence | None:
    """A correspondence under which `whole` has all equations of `part`; None if none is found.

    It gives up after some effort, which only theories with many interchangeable symbols take.
    """
    symbols = _Embedding(_structure(part), _structure(whole)).find()
    return None if symbols is None else Correspondence(part, whole, symbols)


class _Reading(NamedTuple):
    """An equation read from one side to the other; symbols and variables by first occurrence."""

    shape: Shape
    symbols: Symbols
    variables: tuple[str, ...]


def _read(lhs: Term, rhs: Term) -> _Reading:
    """Two numbers a node make the shape: its arity, or -1 for a variable, and which one it is."""
    shape: list[int] = []
    symbols: dict[str, int] = {}
    variables: dict[str, int] = {}
    for side in (lhs, rhs):
        for term in side.subterms():
            if term.is_variable:
                shape += -1, variables.setdefault(term.head, len(variables))
            else:
                shape += len(term.args), symbols.setdefault(term.head, len(symbols))
    return _Reading(tuple(shape), tuple(symbols), tuple(variables))


def _readings(equation: Equation) -> tuple[_Reading, _Reading]:
    return _read(equation.lhs, equation.rhs), _read(equation.rhs, equation.lhs)


def _counterparts(of: Correspondence) -> dict[str, Counterpart]:
    read = [(equation.name, _readings(equation)) for equation in of.whole.equations]
    table: dict[tuple[Shape, Symbols], tuple[str, bool, tuple[str, ...]]] = {}
    for swapped in (False, True):
        for name, readings in read:
            shape, symbols, variables = readings[swapped]
            table.setdefault((shape, symbols), (name, swapped, variables))
    found = {}
    for equation in of.part.equations:
        shape, symbols, variables = _read(equation.lhs, equation.rhs)
        images = tuple(of.symbols[symbol] for symbol in symbols if symbol in of.symbols)
        if (shape, images) in table:
            name, swapped, theirs = table[shape, images]
            renaming = dict(zip(variables, theirs, strict=True))
            found[equation.name] = Counterpart(name, swapped, renaming)
    return found


@lru_cache(maxsize=32)  # a theory is compared with many others
def _structure(theory: Theory) -> tuple[Structure, Profiles]:
    """The theory as a structure: its equations, each read both ways, without their names."""
    tuples: dict[Shape, dict[Symbols, None]] = {}
    for equation in theory.equations:
        for shape, symbols, _ in _readings(equation):
            tuples.setdefault(shape, {})[symbols] = None
    return tuples, _profiles(tuples)


class _GaveUp(Exception):
    pass


_Open = list[tuple[Symbols, list[Symbols]]]  # tuples of the part, with those they may be taken to


class _Embedding:
    """The search for an injective map that takes the tuples of one structure to another's."""

    def __init__(self, part: tuple[Structure, Profiles], whole: tuple[Structure, Profiles]) -> None:
        self._part, self._mine = part
        self._whole, self._theirs = whole
        self._alike: dict[tuple[str, str], bool] = {}
        self._effort = 0

    def find(self) -> dict[str, str] | None:
        try:
            return self._search()
        except _GaveUp:
            return None

    def _search(self) -> dict[str, str] | None:
        """Depth first; the tuple that has the fewest places to go is the next one."""
        begin: _Open = []
        for shape, tuples in self._part.items():
            theirs = list(self._whole.get(shape, ()))
            if len(tuples) > len(theirs):
                return None
            begin += [(symbols, theirs) for symbols in tuples]
        stack: list[tuple[dict[str, str], _Open]] = [({}, begin)]
        while stack:
            symbols, waiting = stack.pop()
            still = self._narrowed(waiting, symbols)
            if still is None:
                continue
            if not still:
                return symbols
            next_, images = min(still, key=lambda item: len(item[1]))
            for image in reversed(images):
                stack.append(({**symbols, **dict(zip(next_, image, strict=True))}, still))
        return None

    def _narrowed(self, waiting: _Open, symbols: dict[str, str]) -> _Open | None:
        """What is left to map, and where it may go; None if something can go nowhere."""
        taken = set(symbols.values())
        still: _Open = []
        for mine, images in waiting:
            self._effort += len(images)
            if self._effort > _EFFORT:
                raise _GaveUp
            left = [image for image in images if self._fits(mine, image, symbols, taken)]
            if not left:
                return None
            if any(symbol not in symbols for symbol in mine):
                still.append((mine, left))
        return still

    def _fits(
        self, mine: Symbols, image: Symbols, symbols: Mapping[str, str], taken: set[str]
    ) -> bool:
        for symbol, other in zip(mine, image, strict=True):
            known = symbols.get(symbol)
            if known != other and (
                known is not None or other in taken or not self._like(symbol, other)
            ):
                return False
        return True

    def _like(self, symbol: str, other: str) -> bool:
        """Whether the other one occurs in each place at least as often."""
        if (symbol, other) not in self._alike:
            theirs = self._theirs[other]
            mine = self._mine[symbol].items()
            self._effort += len(mine)
            self._alike[symbol, other] = all(theirs[place] >= times for place, times in mine)
        return self._alike[symbol, other]


def _profiles(structure: Structure) -> Profiles:
    """For each symbol, how many tuples of a shape have it at an index."""
    profiles: dict[str, Counter[tuple[Shape, int]]] = {}
    for shape, tuples in structure.items():
        for symbols in tuples:
            for index, symbol in enumerate(symbols):
                profiles.setdefault(symbol, Counter())[shape, index] += 1
    return profiles


_set: Callable[[object, str, object], None] = object.__setattr__
