"""The result of trying a problem: an SZS status, what it cost, and the certificate if there is one.

SZS is the vocabulary in which provers of the TPTP world say how they ended (Sutcliffe: The SZS
ontologies for automated reasoning software, 2008). A status that decides a problem is a *claim*
until a certificate comes with it: a `Proof`; a `Countermodel`; or a `Convergent` system of rules
under which the two sides have different normal forms. Only the kernels make these.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from threesil.kernel.certificate import Certificate, shows
from threesil.kernel.confluence import Convergent
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.display import Printed
from threesil.kernel.lemmas import length
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Problem, Theory


class SZS(StrEnum):
    """The words of the ontology that are used here."""

    THEOREM = "Theorem"
    COUNTER_SATISFIABLE = "CounterSatisfiable"
    SATISFIABLE = "Satisfiable"
    GAVE_UP = "GaveUp"
    TIMEOUT = "Timeout"
    RESOURCE_OUT = "ResourceOut"
    USER = "User"
    INPUT_ERROR = "InputError"
    ERROR = "Error"
    UNKNOWN = "Unknown"

    @property
    def decides(self) -> bool:
        """Whether nothing is left to find out."""
        return self in (SZS.THEOREM, SZS.COUNTER_SATISFIABLE, SZS.SATISFIABLE)


OUT_OF_MEMORY: Final = "out of memory"
RUNNING: Final = "running"  # the status of a turn that has begun


@dataclass(frozen=True)
class Turn:
    """What a search did in one of its turns in a schedule.

    `seconds` of CPU time and `expansions` are those of this turn. `status` says in a word how it
    ended: proved, refuted, exhausted, expansions, seconds, memory, stopped; or that it is running.
    `figures` are what the search counts besides, by name: terms, rules, critical pairs, ...
    """

    solver: str
    seconds: float
    expansions: int
    status: str
    figures: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "figures", MappingProxyType(dict(self.figures)))


@dataclass(frozen=True, repr=False)
class Outcome(Printed):
    """What a solver made of a problem.

    `by` names who found it. `seconds` passed by the wall clock; `cpu_seconds` and `expansions`
    are what the search spent. `proof`, or `model` or `system` for what is refuted, shows that the
    status is right. Another prover's `words` are its own proof, as it printed it; `reason` is a
    line for people where something went wrong. `steps` counts the actions of the episode that
    solved it, if one did; `attempts` the episodes and searches that were tried. `parts` are the
    outcomes of those that a portfolio ran, `turns` what the searches of a schedule did in their
    turns; `given` counts the lemmas of ours that other provers had.
    """

    problem: Problem
    status: SZS
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    expansions: int = 0
    by: str = ""
    proof: Proof | None = None
    words: str | None = None
    reason: str = ""
    steps: int | None = None
    attempts: int = 1
    parts: tuple[Outcome, ...] = ()
    turns: tuple[Turn, ...] = ()
    system: Convergent | None = None
    model: Countermodel | None = None
    given: int = 0

    def __post_init__(self) -> None:
        if self.proof is not None and self.status is not SZS.THEOREM:
            raise ValueError(f"a proof makes a Theorem, not {self.status}")
        if self.system is not None and self.status is not SZS.COUNTER_SATISFIABLE:
            raise ValueError(f"normal forms refute, they do not make {self.status}")
        if self.model is not None and self.status is not status_of(self.model):
            raise ValueError(f"a model makes a {status_of(self.model)}, not {self.status}")
        for one in self._certificates:
            if not shows(one, one.theory, self._asked):
                raise ValueError(f"what is shown is not {self.problem.name!r}: {one!r}")

    def __bool__(self) -> bool:
        return self.proved

    def __repr__(self) -> str:
        spent = f"after {self.cpu_seconds:.3g} s of CPU time"
        shown = self.proof or self.model or self.system or self.reason or spent
        return f"<{self.status} {self.problem.name!r}: {shown!r}>"

    @property
    def proved(self) -> bool:
        """Proved, and certified by the kernel."""
        return self.proof is not None

    @property
    def refuted(self) -> bool:
        """Refuted, and checked by a kernel."""
        return self.system is not None or self.model is not None

    @property
    def models(self) -> tuple[Countermodel, ...]:
        """The model, once for each goal that fails in it: several are denied together."""
        goals = {p.problem: p.model for p in (self, *self.parts) if p.model is not None}
        return tuple(goals.values()) if self.model is not None else ()

    @property
    def certified(self) -> bool:
        """Proved or refuted, and checked by a kernel."""
        return self.proved or self.refuted

    def shows(self, theory: Theory, problem: Problem) -> bool:
        """Whether all its certificates are about exactly this problem in exactly this theory.

        Where there is no goal, the problem only stands for one: a model of the theory is enough.
        """
        asked = self._asked and problem
        return all(shows(one, theory, asked) for one in self._certificates)

    @property
    def _certificates(self) -> tuple[Certificate, ...]:
        return tuple(one for one in (self.proof, self.model, self.system) if one is not None)

    @property
    def _asked(self) -> Problem | None:
        return None if self.status is SZS.SATISFIABLE else self.problem

    @property
    def claimed(self) -> bool:
        """Decided by another prover's word alone."""
        return self.status.decides and not self.certified

    @property
    def rewrites(self) -> int | None:
        """The length of the proof, that of its lemmas included."""
        return length(self.proof) if self.proof else None


def status_of(model: Countermodel) -> SZS:
    """What a model shows: that the problem fails; without a problem, that there is one."""
    return SZS.SATISFIABLE if model.problem is None else SZS.COUNTER_SATISFIABLE


def failure(problem: Problem, error: Exception, by: str = "", seconds: float = 0.0) -> Outcome:
    """What an exception makes of a problem, after so many CPU seconds.

    A lack of memory is an outcome like others. Whatever else nobody expected is an error, which
    the reason names, with the place that it comes from.
    """
    status, reason = SZS.RESOURCE_OUT, OUT_OF_MEMORY
    if not isinstance(error, MemoryError):
        status, reason = SZS.ERROR, described(error)
    return Outcome(problem, status, seconds, seconds, by=by, reason=reason)


def described(error: Exception) -> str:
    """An exception in a line: its name, what it says, where it was raised."""
    said = " ".join(str(error).split())
    name = type(error).__name__ + (f": {said}" if said else "")
    frames = traceback.extract_tb(error.__traceback__)
    return (
        f"{name} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else name
    )
