"""Names that do not matter: terms and equations up to renaming, and names that are still free.

A *renaming* maps variables one to one to variables. Two terms that are renamings of each other have
the same *canonical* term, whose variables are numbered in the order in which they first occur. An
equation says the same under any renaming, and the same with its sides swapped. It is an *instance*
of a more general one if a substitution makes the general one into it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import chain, count

from threesil.kernel.terms import Term, app, match, var

Sides = tuple[Term, Term]


def canonical(term: Term) -> Term:
    """The same term for all renamings of it: with the variables `x1`, `x2`, …"""
    names = enumerate(term.variables(), start=1)
    return term.substitute({name: var(f"x{number}") for number, name in names})


def equation_key(lhs: Term, rhs: Term) -> frozenset[Term]:
    """The same for all equations that are equal up to renaming and to swapping the sides."""
    return frozenset((canonical(_pair(lhs, rhs)), canonical(_pair(rhs, lhs))))


def is_instance(special: Sides, general: Sides) -> bool:
    """Whether the first equation, read either way round, is an instance of the second."""
    pattern = _pair(*general)
    return any(match(pattern, _pair(*sides)) is not None for sides in (special, special[::-1]))


def fresh_name(name: str, taken: Container[str]) -> str:
    """The name itself if it is free, else the first free one of `name_2`, `name_3`, …"""
    if name not in taken:
        return name
    return next(new for number in count(2) if (new := f"{name}_{number}") not in taken)


def variable_names(taken: Container[str]) -> Iterator[str]:
    """Names for variables, the usual ones first, without those that are taken."""
    names = chain("xyzwuv", (f"x{number}" for number in count(1)))
    return (name for name in names if name not in taken)


def _pair(lhs: Term, rhs: Term) -> Term:
    return app("=", lhs, rhs)
