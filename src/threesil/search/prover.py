"""Proving equations one after the other with a solver that stays warm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from threesil.engine import Budget, Stop
from threesil.kernel.outcome import Outcome, Turn
from threesil.kernel.theory import Problem, Theory
from threesil.problems.files import parse_problem
from threesil.search.solvers import default_solver, make_solver
from threesil.search.weights import Given
from threesil.theories import get_theory


class Prover:
    """Keeps the engine and the weights warm and proves one equation after the other.

    `solver` names a solver; without it, that for the theory's kind of goals is taken. `weights`
    name a run's directory or a file, or are what was read from one; without them, the bundled
    weights of the theory are used if there are any. Budgets in expansions and `seed` make the
    outcome repeatable.
    """

    def __init__(
        self,
        theory: str | Path | Theory = "aim",
        *,
        solver: str | None = None,
        weights: Given = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.theory = get_theory(theory)
        name = solver or default_solver(self.theory)
        self.solver = make_solver(name, self.theory, weights=weights, seed=seed, **options)

    def prove(
        self,
        problem: str | Problem,
        *,
        seconds: float = 60.0,
        expansions: int | None = None,
        stop: Stop | None = None,
        progress: Callable[[Turn], None] | None = None,
    ) -> Outcome:
        """Looks for a proof for so many CPU seconds, or expansions of the search.

        `progress` is called when a turn of a schedule begins, and when it has ended.
        """
        if isinstance(problem, str):
            problem = parse_problem(problem, self.theory)
        return self.solver.solve(problem, Budget(expansions, seconds, stop=stop, progress=progress))

    def prove_all(
        self,
        problems: Iterable[str | Problem],
        *,
        seconds: float = 60.0,
        expansions: int | None = None,
    ) -> Iterator[Outcome]:
        """The outcomes of many problems, in their order, as they come."""
        for problem in problems:
            yield self.prove(problem, seconds=seconds, expansions=expansions)


def prove(equation: str, *, theory: str | Path | Theory = "aim", seconds: float = 60.0) -> Outcome:
    """Proves one equation: `.status`, `.proof`, `.seconds`. A `Prover` is faster for many."""
    return Prover(theory).prove(equation, seconds=seconds)
