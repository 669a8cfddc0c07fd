"""A term as the nodes of a picture: labels in preorder, with the number of arguments of each.

A subterm is a stretch of this list, so a place in the term is marked by where the stretch begins
and ends. A numeral is one node with its value, unless a mark stands inside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Signature
from threesil.notations.infix import numeral_values

LARGEST: Final = 400  # nodes of a term that is drawn
Stretch = tuple[int, int]


@dataclass(frozen=True)
class Drawing:
    """The nodes of a term; `marks` are the stretches of the places that were asked for."""

    labels: tuple[str, ...]
    arities: tuple[int, ...]
    variables: tuple[bool, ...]
    positions: tuple[Position, ...]
    marks: tuple[Stretch, ...]


def draw(
    term: Term, signature: Signature, marks: Sequence[Position] = (), largest: int = LARGEST
) -> Drawing | None:
    """The picture of a term, None if it has too many nodes."""
    values = numeral_values(term, signature)
    above = {place[:depth] for place in marks for depth in range(len(place))}
    labels: list[str] = []
    arities: list[int] = []
    variables: list[bool] = []
    places: dict[Position, int] = {}
    stack: list[tuple[Position, Term]] = [((), term)]
    while stack:
        if len(labels) == largest:
            return None
        place, t = stack.pop()
        number = None if place in above else values.get(id(t))
        places[place] = len(labels)
        labels.append(t.head if number is None else str(number))
        arities.append(len(t.args) if number is None else 0)
        variables.append(t.is_variable)
        if number is None:
            stack.extend(((*place, k), t.args[k]) for k in range(len(t.args) - 1, -1, -1))
    found = tuple((places[place], _end(arities, places[place])) for place in marks)
    return Drawing(tuple(labels), tuple(arities), tuple(variables), tuple(places), found)


def _end(arities: Sequence[int], start: int) -> int:
    """Where the subterm ends that begins at `start`."""
    open_, at = 1, start
    while open_:
        open_ += arities[at] - 1
        at += 1
    return at
