"""Names for large terms that a chain repeats, so that its lines can be read: `let t = …`.

A chain whose terms are small has none. Where a step is inside a named term, that term is written
out in this place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from threesil.kernel.lemmas import Chain
from threesil.kernel.terms import Position, Term, app

_WIDE = 40  # nodes of a term that is still read as it is
_LARGE = 8  # nodes of a term that is worth a name
_MOST = 8  # names in a chain
_WORK = 500_000  # nodes that are looked at
_DEEP = 500  # levels of a term that is looked at


@dataclass(frozen=True)
class Lets:
    """The names of a chain: each replaces a term that may hold the names before it."""

    named: tuple[tuple[str, Term], ...] = ()

    def of(self, term: Term, *positions: Position) -> Term:
        """The term with names in it, but for what holds the subterms at these positions."""
        for name, value in self.named:
            term = _replaced(term, value, app(name), positions)
        return term

    @property
    def definitions(self) -> list[tuple[str, Term]]:
        """The names with their values, each after those that it mentions."""
        found: dict[str, Term] = {}
        for number, (name, value) in enumerate(self.named):
            found[name] = Lets(self.named[number + 1 :]).of(value)
        ordered: list[tuple[str, Term]] = []
        while found:
            ready = [n for n, value in found.items() if not found.keys() & _heads(value)]
            ordered += [(name, found.pop(name)) for name in ready]
        return ordered


def lets(chain: Chain) -> Lets:
    """Names for what makes the terms of a chain too large."""
    signature, derivation = chain.proof.theory.signature, chain.proof.derivation
    terms = [*derivation.terms, *derivation.witnesses.values()]
    sizes = [term.size for term in terms]
    small = max(sizes) <= _WIDE or signature.numerals is not None
    if small or sum(sizes) > _WORK or any(term.depth > _DEEP for term in terms):
        return Lets()
    taken = {*signature.symbols, *(h for term in terms for h in _heads(term))}
    names = (n for k in count() if (n := f"t{k or ''}") not in taken)
    named: list[tuple[str, Term]] = []
    while len(named) < _MOST and max(term.size for term in terms) > _WIDE:
        times = Counter(part for term in terms for part in term.subterms() if part.size >= _LARGE)
        worth = {part: (n - 1) * part.size for part, n in times.items() if n > 2}
        if not worth:
            break
        best = max(worth, key=lambda part: worth[part])
        named.append((next(names), best))
        # The value stands in a line of its own from now on.
        terms = [_replaced(term, best, app(named[-1][0])) for term in terms] + [best]
    return Lets(tuple(named))


def _replaced(term: Term, old: Term, new: Term, kept: Iterable[Position] = ()) -> Term:
    """The term with `new` for `old`, but for what holds the subterms at some positions."""

    def combine(t: Term, args: tuple[Term, ...]) -> Term:
        return new if t == old else t if t.is_variable else Term(t.head, args)

    spine = {position[:depth] for position in kept for depth in range(len(position))}
    result = term.fold(combine)
    for place in sorted(spine, key=len):
        above = term.at(place)
        result = result.replace(place, Term(above.head, [a.fold(combine) for a in above.args]))
    return result


def _heads(term: Term) -> set[str]:
    return {part.head for part in term.distinct()}
