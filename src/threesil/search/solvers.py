"""Our solvers by their names, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from threesil.errors import InputError
from threesil.kernel.theory import Goal, Theory
from threesil.search.best import Best, Unguided
from threesil.search.guided import GuidedTerms
from threesil.search.ladder import Greedy, Ladder, Sample, Tree
from threesil.search.refute import Refute
from threesil.search.searcher import Searcher
from threesil.search.single import Complete, Plain, Saturate, Select
from threesil.search.weights import Given, Uses, weights_for

SOLVERS: Final[Mapping[str, type[Searcher]]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            *(Best, Unguided, GuidedTerms, Complete, Select, Saturate, Plain),
            *(Tree, Sample, Greedy, Ladder, Refute),
        )
    }
)


def default_solver(theory: Theory) -> str:
    """The solver that is tried by default."""
    return Best.name if theory.goal is Goal.EQUATION else Ladder.name


def solver_named(name: str) -> type[Searcher]:
    if name not in SOLVERS:
        raise InputError(f"unknown solver {name!r}; expected {', '.join(SOLVERS)}")
    return SOLVERS[name]


def make_solver(
    name: str, theory: Theory, *, weights: Given = None, seed: int = 0, **options: Any
) -> Searcher:
    """The solver of that name for a theory; options that are None are left out.

    `weights` are as `weights_for` takes them. Without any, a solver that uses weights gets the
    bundled ones of the theory, or those of a theory with the same equations under other names, or
    with many of them; its `note` says which.
    """
    kind = solver_named(name)
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in kind.options:
            raise InputError(f"solver {name} has no option {key}")
    found = weights_for(kind, theory, weights)
    solver = kind.make(theory, found, seed, **given)
    solver.weights = found
    solver.untrained = Uses.POLICY in kind.uses and not found and not solver.note
    if found.learned is not None:
        solver.note = found.learned.note
    return solver
