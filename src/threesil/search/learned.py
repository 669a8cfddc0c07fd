"""What a training has learned of a theory, for all solvers.

Whatever is not there, is not used. The most useful lemmas come first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from threesil.errors import InputError
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Theory
from threesil.nets.judge import Judge
from threesil.nets.policy import Policy
from threesil.runs.findings import Costs, with_lemmas
from threesil.runs.run import Run

__all__ = ["Costs", "Learned", "read_learned", "with_lemmas"]


@dataclass(frozen=True)
class Learned:
    """What is known of a theory besides its equations."""

    theory: Theory
    lemmas: tuple[Proof, ...] = ()
    policy: Policy | None = None
    pairs: Judge | None = None
    costs: Costs = field(default_factory=dict)
    leads: bool = True
    """whether the policy helps where saturation has the lemmas too"""
    helps: bool = True
    """whether anything of it helps `best`"""
    amounts: Mapping[str, int] = field(default_factory=dict)
    """how many of the lemmas a search of `best` takes, by its name; all, if it is not there"""
    opening: tuple[tuple[str, float], ...] = ()
    """which searches `best` begins with, and for how many seconds each"""
    by: Mapping[str, str] | None = None
    """symbols that the policy knows under other names: how they are called here"""
    note: str = ""
    """what is surprising about it, for people"""

    @cached_property
    def extended(self) -> Theory:
        """The theory with the lemmas as known equations."""
        return with_lemmas(self.theory, self.lemmas)

    def for_search(self, name: str) -> Theory:
        """The theory with as many of the lemmas as help a search."""
        return with_lemmas(self.theory, self.lemmas[: self.amounts.get(name, len(self.lemmas))])

    @cached_property
    def by_name(self) -> dict[str, Proof]:
        return {lemma.problem.name: lemma for lemma in self.lemmas}

    @property
    def digest(self) -> str:
        parts: list[object] = [self.extended.digest, self.policy and self.policy.digest]
        costs = sorted((name, way.value, cost) for (name, way), cost in self.costs.items())
        parts += [self.pairs and self.pairs.digest, json.dumps(costs), self.leads, self.helps]
        parts += [sorted(self.amounts.items()), self.opening]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def read_learned(directory: Path, theory: Theory) -> Learned | None:
    """What a run has learned of the theory; None if it has nothing but weights."""
    run = Run(directory)
    if not run.has_lemmas:
        return None
    facts = run.facts
    if facts.digest != theory.digest:
        message = f"weights of {facts.theory[:80]}, made for other equations or actions than"
        raise InputError(f"{message} {theory.name}'s", source=str(directory))
    lemmas = run.lemmas(theory) or ()
    policy = run.policy(with_lemmas(theory, lemmas)) if run.has_weights else None
    found = run.judgement()
    return Learned(
        theory,
        lemmas,
        policy,
        run.pairs(),
        run.costs(),
        leads=found.policy,
        helps=found.helps,
        amounts=found.lemmas,
        opening=found.opening,
    )
