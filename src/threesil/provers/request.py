"""A request: who may try problems, what each may cost, and what becomes of a proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from threesil.engine import Budget, Stop
from threesil.errors import InputError
from threesil.kernel.theory import Equation
from threesil.provers.registry import MEMORY
from threesil.search.refute import Refute
from threesil.search.solver import Progress
from threesil.search.solvers import solver_named
from threesil.search.weights import Given


@dataclass(frozen=True)
class Request:
    """Who may try problems, and what each of them may cost.

    `solver` names who tries (None: ours for the kind of goals), `helpers` are other provers, which
    continue with equations where it ends. `seconds` are of CPU time, for our search; `Portfolio`
    says what the helpers get after it. `memory` is in megabytes, for the programs of others.

    `polish` are those of the seconds that a proof is shortened for at least: a chain while it is
    found, one with lemmas afterwards, unless expansions are counted; `shorten` those that are
    spent on it afterwards in any case, beyond the others. `from_axioms`: equations that a proof
    takes as known are replaced by their own proofs. `hints` guide the completions of our search, as
    those of a target do; those with other symbols than a target's mean nothing to it.
    """

    solver: str | None = None
    seconds: float = 60.0
    expansions: int | None = None
    weights: Given = None
    seed: int = 0
    helpers: tuple[str, ...] = ()
    memory: int = MEMORY
    polish: float = 0.0
    from_axioms: bool = False
    shorten: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)
    hints: tuple[Equation, ...] = ()

    def budget(self, stop: Stop | None = None, progress: Progress | None = None) -> Budget:
        """What a problem may cost."""
        return Budget(self.expansions, self.seconds, stop=stop, progress=progress)


def refuting(
    solver: str | None, refute: bool | None, size: int | None
) -> tuple[str | None, dict[str, Any]]:
    """The solver and its options where only a counter-model is wanted, or none, or one of at most
    so many elements."""
    if refute is None and size is None:
        return solver, {}
    solver = solver or "best"
    if refute and solver not in ("best", Refute.name):
        raise InputError(f"--refute looks for no proof; leave --solver {solver} out")
    if refute is False and (solver == Refute.name or size is not None):
        raise InputError("--no-refute leaves nothing for --size or --solver refute to do")
    options: dict[str, Any] = {} if size is None else {"size": size}
    if refute is False and "refute" in solver_named(solver).options:
        options["refute"] = False
    return Refute.name if refute else solver, options
