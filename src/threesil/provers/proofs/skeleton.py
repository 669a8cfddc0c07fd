"""Skeletons: what a prover's printed proof says, before anyone has checked it.

A *fact* is an equation, a denied equation, or the contradiction, with the facts that it comes
from. A proof is a list of facts: some are *axioms* of the input, one is the *goal*, all others
follow from facts before them. A refutation begins with the denied goal and ends with the
contradiction; a direct proof ends with a chain of rewrites between the goal's sides.

Terms are as the prover writes them: its own names for symbols and variables, its own constants
in place of the goal's variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import final

from threesil.errors import InputError
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import LEFT_TO_RIGHT, Direction


class UnreadableProof(InputError):
    """An output in which no proof can be read, and where the reading stopped."""


@final
@dataclass(frozen=True, slots=True)
class Link:
    """A rewrite of a chain: the whole term that it gives, the fact and the direction."""

    result: Term
    fact: str
    direction: Direction = LEFT_TO_RIGHT


@final
@dataclass(frozen=True, slots=True)
class Parent:
    """A fact that another one comes from, and what the output says of how it was used.

    `place` is where it was overlapped: a side (from 0) and the position below it. `way` is the
    direction in which it rewrote.
    """

    name: str
    place: Position | None = None
    way: Direction | None = None


@final
@dataclass(frozen=True, slots=True)
class Fact:
    """`lhs = rhs`, or `lhs != rhs` if it is denied; without sides, the contradiction.

    `label` is what the input calls it, `rule` what the prover calls the inference. The first
    `main` of the `parents` were overlapped or rewritten, the others simplified what came of it,
    in this order. A `chain` leads from `lhs` to `rhs`.
    """

    name: str
    sides: tuple[Term, Term] | None
    denied: bool = False
    label: str = ""
    rule: str = ""
    parents: tuple[Parent, ...] = ()
    main: int = 1
    chain: tuple[Link, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Skeleton:
    """A proof as `prover` printed it: axioms, the goal, and the facts that follow, in order.

    A direct proof has a goal that is not denied, with its chain, and the `witnesses` for its
    variables. Every other proof refutes its denied goal: the last step is the contradiction.
    """

    prover: str
    axioms: tuple[Fact, ...]
    goal: Fact
    steps: tuple[Fact, ...]
    witnesses: Mapping[str, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "witnesses", MappingProxyType(dict(self.witnesses)))

    def __reduce__(self) -> tuple[Callable[..., Skeleton], tuple[object, ...]]:
        return Skeleton, (self.prover, self.axioms, self.goal, self.steps, dict(self.witnesses))


def needed(prover: str, facts: Mapping[str, Fact], goal: Fact, last: Fact) -> Skeleton:
    """The skeleton of all that the last fact rests on; facts stand in the order of the output."""
    reached: set[str] = set()
    waiting = [last.name, goal.name]
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        if name not in facts:
            raise UnreadableProof(f"the proof rests on {name}, which it does not contain")
        reached.add(name)
        waiting.extend(parent.name for parent in facts[name].parents)
    kept = [fact for name, fact in facts.items() if name in reached and name != goal.name]
    axioms = tuple(fact for fact in kept if not fact.parents)
    for fact in axioms:
        if fact.sides is None or fact.denied:
            raise UnreadableProof(f"{fact.name} comes from nothing, and is no equation")
    return Skeleton(prover, axioms, goal, tuple(fact for fact in kept if fact.parents))
