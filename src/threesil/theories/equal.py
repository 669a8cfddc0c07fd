"""Theories that say the same under other names.

A *translation* of one theory into another maps the symbols that occur in its equations one to one
to those of the other, so that the equations become the same, up to the names of variables and to
which side comes first. It is found by refinement: symbols get colours by their arity, then again
and again by how they occur in equations between coloured symbols; where that can't tell two symbols
apart, one of them is given a colour of its own, and what follows is tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from threesil.naming import equation_key
from threesil.terms import Term
from threesil.theory import Equation, Theory

_MOST_TRIES = 200


def translation(theory: Theory, other: Theory) -> dict[str, str] | None:
    """The new names of the theory's symbols, or None if the theories differ."""
    mine, theirs = _symbols(theory), _symbols(other)
    if len(theory.equations) != len(other.equations) or len(mine) != len(theirs):
        return None
    same = {name: name for name in mine}
    if mine == theirs and _agree(theory, other, same):
        return same
    return _search(theory, other, dict(mine), dict(theirs))


def translated(term: Term, names: Mapping[str, str]) -> Term:
    """A term with its symbols renamed; those without a new name stay."""

    def combine(t: Term, args: tuple[Term, ...]) -> Term:
        return t if t.is_variable else Term(names.get(t.head, t.head), args)

    return term.fold(combine)


def _symbols(theory: Theory) -> dict[str, int]:
    """The symbols that occur in equations, with their arities."""
    return {
        t.head: len(t.args)
        for equation in theory.equations
        for side in (equation.lhs, equation.rhs)
        for t in side.distinct()
        if not t.is_variable
    }


def _agree(theory: Theory, other: Theory, names: Mapping[str, str]) -> bool:
    mine = Counter(
        equation_key(translated(e.lhs, names), translated(e.rhs, names)) for e in theory.equations
    )
    return mine == Counter(equation_key(e.lhs, e.rhs) for e in other.equations)


def _search(
    theory: Theory, other: Theory, mine: dict[str, int], theirs: dict[str, int]
) -> dict[str, str] | None:
    """Tries colourings of both theories' symbols, at first by their arities."""
    stack = [(mine, theirs)]
    for _ in range(_MOST_TRIES):
        if not stack:
            return None
        first, second = _refined(theory, other, *stack.pop())
        if sorted(first.values()) != sorted(second.values()):
            continue
        sizes = Counter(first.values())
        tied = next((name for name, colour in first.items() if sizes[colour] > 1), None)
        if tied is None:
            back = {colour: name for name, colour in second.items()}
            names = {name: back[colour] for name, colour in first.items()}
            if _agree(theory, other, names):
                return names
            continue
        for candidate, colour in second.items():
            if colour == first[tied]:
                stack.append((first | {tied: -1}, second | {candidate: -1}))
    return None


def _refined(
    theory: Theory, other: Theory, mine: dict[str, int], theirs: dict[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Colours that the equations tell apart, the same numbers for the same in both theories."""
    while True:
        first, second = _seen(theory, mine), _seen(other, theirs)
        ranks = {seen: n for n, seen in enumerate(sorted({*first.values(), *second.values()}))}
        finer = {name: ranks[seen] for name, seen in first.items()}
        finer_too = {name: ranks[seen] for name, seen in second.items()}
        done = len(set(finer.values())) == len(set(mine.values()))
        mine, theirs = finer, finer_too
        if done:
            return mine, theirs


def _seen(theory: Theory, colours: Mapping[str, int]) -> dict[str, tuple[int, str]]:
    """What each symbol looks like: its colour, and how it occurs in which equations."""
    occurrences: dict[str, list[str]] = {name: [] for name in colours}
    for equation in theory.equations:
        for name, seen in _occurrences(equation, colours).items():
            occurrences[name].append(seen)
    return {name: (colours[name], repr(sorted(seen))) for name, seen in occurrences.items()}


def _occurrences(equation: Equation, colours: Mapping[str, int]) -> dict[str, str]:
    """The equation as each of its symbols sees it: itself marked, the others coloured."""
    shapes = []
    for sides in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        variables: dict[str, int] = {}
        shape: list[tuple[int, int]] = []
        places: dict[str, list[int]] = {}
        for t in (t for side in sides for t in side.subterms()):
            if t.is_variable:
                shape.append((0, variables.setdefault(t.head, len(variables))))
            else:
                places.setdefault(t.head, []).append(len(shape))
                shape.append((1, colours[t.head]))
        shapes.append((shape, places))
    return {
        name: repr(sorted((shape, places[name]) for shape, places in shapes))
        for name in shapes[0][1]
    }
