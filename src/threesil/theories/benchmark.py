"""What comes with a theory besides its mathematics: its environment and its benchmark.

The kernel and the engine never see this record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from threesil.kernel.terms import Term
from threesil.kernel.theory import Problem


class Row(NamedTuple):
    """A line (from 1) of the problem file `source`, split into its columns at the tabs."""

    source: str
    line: int
    columns: Sequence[str]


Split = Callable[[Sequence[Row]], Sequence[Row]]


@dataclass(frozen=True)
class Benchmark:
    """How a theory's environment is called, and how its recorded problem sets are laid out.

    `env_id` is the name under which Gymnasium knows the environment. `sets` maps a set's name to
    its files below the data directory; `goals` are bundled theorems, `open` bundled questions that
    nobody has settled. `splits` picks the
    rows of a set from all that its files hold, of which those that are solved at the start are
    left out. `difficulty` orders a curriculum. `stratum` names the part of the report that a
    problem is counted in, `steps` the step limit of a stratum where it is not the theory's.
    `target` is what a term is to become by default. `sample` draws a random problem; without
    it, random walks make them. A problem in a file whose target writes a number above
    `largest_number` is left out.
    """

    env_id: str | None = None
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    goals: tuple[Problem, ...] = ()
    open: tuple[Problem, ...] = ()
    splits: Mapping[str, Split] = field(default_factory=dict)
    difficulty: Callable[[Problem], float] | None = None
    stratum: Callable[[Problem], str] = lambda problem: "all"
    steps: Mapping[str, int] = field(default_factory=dict)
    target: Callable[[Term], Term] | None = None
    sample: Callable[[Random], Problem] | None = None
    largest_number: int | None = None

    @property
    def bundled(self) -> Mapping[str, tuple[Problem, ...]]:
        """The sets that are bundled, by name."""
        sets = {"goals": self.goals, "open": self.open}
        return {name: problems for name, problems in sets.items() if problems}

    def __post_init__(self) -> None:
        for name in ("sets", "splits", "steps"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
