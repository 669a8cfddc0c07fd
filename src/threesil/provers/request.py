"""A request: who may try problems, what each may cost, and what becomes of a proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from threesil.engine import Budget, Stop
from threesil.provers.registry import MEMORY
from threesil.search.solver import Progress
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
    takes as known are replaced by their own proofs.
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

    def budget(self, stop: Stop | None = None, progress: Progress | None = None) -> Budget:
        """What a problem may cost."""
        return Budget(self.expansions, self.seconds, stop=stop, progress=progress)
