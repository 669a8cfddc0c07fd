"""Theories: what the equations are, what an agent may do with them, and when it has won.

A `Theory` is a value, not code: a signature, named equations, the ordered list of actions, and
the goal. The proof kernel reads the equations alone; the engine reads all of it. The cursor
starts at the root; an action moves it to an argument, or rewrites the subterm under it with an
equation in one direction and puts it back at the root.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from random import Random

from threesil.terms import Term


class Direction(Enum):
    """Which side of an equation is replaced by the other."""

    LEFT_TO_RIGHT = "->"
    RIGHT_TO_LEFT = "<-"

    @property
    def reverse(self) -> Direction:
        return Direction.RIGHT_TO_LEFT if self is Direction.LEFT_TO_RIGHT else LEFT_TO_RIGHT


LEFT_TO_RIGHT = Direction.LEFT_TO_RIGHT
RIGHT_TO_LEFT = Direction.RIGHT_TO_LEFT


class Goal(Enum):
    """When an episode is won."""

    EQUATION = "equation"
    """The problem is `start = target`; both sides are rewritten until they unify."""
    NORMAL_FORM = "normal form"
    """`start` is rewritten until only the theory's constructors are left."""
    TARGET = "target"
    """`start` is rewritten until it is identical to `target`."""


@dataclass(frozen=True)
class Signature:
    """The symbols of a theory with their arities, and how they are written.

    `infix` gives the binary symbols that stand between their arguments a priority; a higher one
    binds tighter, equal ones associate to the left. With `numerals = (zero, successor)` a decimal
    number stands for a chain of successors. Every other name is a variable.
    """

    symbols: Mapping[str, int]
    infix: Mapping[str, int] = field(default_factory=dict)
    numerals: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        for symbol in (*self.infix, *(self.numerals or ())):
            if symbol not in self.symbols:
                raise ValueError(f"the symbol {symbol} has no arity")
        if "=" in self.symbols:
            raise ValueError("the symbol = stands between the sides of an equation")
        for symbol in self.infix:
            if self.symbols[symbol] != 2:
                raise ValueError(f"the infix symbol {symbol} needs arity 2")


@dataclass(frozen=True)
class Equation:
    """A named equation, universally quantified. `kind` is `axiom`, `definition` or `known`."""

    name: str
    lhs: Term
    rhs: Term
    kind: str = "axiom"

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The variables in the order in which the engine numbers them.

        A definition's parameters count from left to right; every other equation is read from its
        last symbol to its first. The order shows in the raw names of introduced variables only.
        """
        if self.kind == "definition":
            return tuple(dict.fromkeys((*self.lhs.variables(), *self.rhs.variables())))
        names: dict[str, None] = {}
        stack = [self.lhs, self.rhs]
        while stack:
            term = stack.pop()
            if term.is_variable:
                names[term.head] = None
            stack.extend(term.args)
        return tuple(names)

    def sides(self, direction: Direction) -> tuple[Term, Term]:
        """(the side to be replaced, the side that replaces it)."""
        if direction is LEFT_TO_RIGHT:
            return self.lhs, self.rhs
        return self.rhs, self.lhs


@dataclass(frozen=True)
class Move:
    """Move the cursor to an argument (from 0) of the subterm under it."""

    argument: int


@dataclass(frozen=True)
class Rewrite:
    """Rewrite the subterm under the cursor with the first (equation, direction) that applies."""

    alternatives: tuple[tuple[str, Direction], ...]


Action = Move | Rewrite


@dataclass(frozen=True)
class Problem:
    """Something to solve: `start = target`, or `start` alone if the goal is a normal form.

    `columns` keeps what else the problem's `line` (from 1) in a file says, as text.
    """

    name: str
    start: Term
    target: Term | None = None
    columns: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True)
class Benchmark:
    """How the recorded problem sets of a theory are laid out.

    `sets` maps a set's name to its files below the data directory; `splits` picks the problems
    of a set from all that its files hold. `difficulty` orders a curriculum. `stratum` names the
    part of the report that a problem is counted in, `steps` the step limit of a stratum where it
    is not the theory's.
    """

    sets: Mapping[str, tuple[str, ...]]
    splits: Mapping[str, Callable[[Sequence[Problem]], Sequence[Problem]]]
    difficulty: Callable[[Problem], float] | None = None
    stratum: Callable[[Problem], str] = lambda problem: "all"
    steps: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Theory:
    """A signature, equations, the ordered actions of an agent, and the goal.

    Theories are compared as objects; two that read the same have the same `digest`.

    `first_action` is the number of the first action where people read it (the index in `actions`
    always counts from 0). `enter_leaves`: the cursor may move to a leaf. `no_repeats`: a rewrite
    whose result the episode has seen is not offered. `step_limit`: steps of an episode unless
    the user says otherwise. `sample` draws a random problem; without it, random walks make them.
    `largest_number`: a problem in a file whose target writes a larger number is left out.
    `env_id` is the name under which Gymnasium knows the theory's environment. `benchmark` says
    where its recorded problem sets are. `base` is the theory that this one is a part of; a model
    of the base can guide proofs here.
    """

    name: str
    title: str
    signature: Signature
    equations: tuple[Equation, ...]
    actions: tuple[Action, ...]
    goal: Goal
    constructors: frozenset[str] = frozenset()
    first_action: int = 0
    enter_leaves: bool = True
    no_repeats: bool = False
    step_limit: int = 100
    sample: Callable[[Random], Problem] | None = None
    largest_number: int | None = None
    env_id: str | None = None
    benchmark: Benchmark | None = None
    base: Theory | None = None

    def __post_init__(self) -> None:
        if len(self.by_name) != len(self.equations):
            raise ValueError(f"theory {self.name}: two equations have the same name")
        if (self.goal is Goal.NORMAL_FORM) != bool(self.constructors):
            raise ValueError(f"theory {self.name}: only normal forms have constructors")
        if not self.actions:
            raise ValueError(f"theory {self.name}: there is no action")
        for action in self.actions:
            if isinstance(action, Move) and action.argument < 0:
                raise ValueError(f"theory {self.name}: arguments count from 0")
        for equation, direction in self.rewrites():
            if equation not in self.by_name:
                raise ValueError(f"theory {self.name}: there is no equation {equation}")
            source, result = self.by_name[equation].sides(direction)
            if self.goal is not Goal.EQUATION and set(result.variables()) - set(source.variables()):
                raise ValueError(
                    f"theory {self.name}: {equation} {direction.value} introduces a variable, "
                    f"which only the goal {Goal.EQUATION.value} allows"
                )

    @cached_property
    def by_name(self) -> dict[str, Equation]:
        """The equations by their names."""
        return {equation.name: equation for equation in self.equations}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that a trained model depends on: symbols, equations, actions, goal."""
        facts = (
            sorted(self.signature.symbols.items()),
            [(e.name, repr(e.lhs), repr(e.rhs)) for e in self.equations],
            [repr(action) for action in self.actions],
            (self.goal.value, sorted(self.constructors), self.enter_leaves, self.no_repeats),
        )
        return hashlib.sha256(repr(facts).encode()).hexdigest()

    @property
    def lemmas(self) -> tuple[Equation, ...]:
        """The known equations: consequences of the others, each proved after the one before."""
        return tuple(equation for equation in self.equations if equation.kind == "known")

    def before(self, lemma: str) -> Theory:
        """The theory `NAME:LEMMA`: without that lemma and those after it."""
        later = [equation.name for equation in self.lemmas]
        if lemma not in later:
            raise ValueError(f"theory {self.name}: there is no lemma {lemma}")
        return self.without(later[later.index(lemma) :], f"{self.name}:{lemma}")

    def without(self, names: Collection[str], name: str) -> Theory:
        """A theory called `name`, without some equations and the actions that need them."""
        kept = []
        for action in self.actions:
            if isinstance(action, Rewrite):
                action = Rewrite(
                    tuple(pair for pair in action.alternatives if pair[0] not in names)
                )
            if action != Rewrite(()):
                kept.append(action)
        equations = tuple(equation for equation in self.equations if equation.name not in names)
        base = self.base or self
        actions = tuple(kept)
        return replace(
            self, name=name, equations=equations, actions=actions, env_id=None, base=base
        )

    def rewrites(self) -> Iterator[tuple[str, Direction]]:
        """All (equation, direction) pairs that some action uses, in the order of the actions."""
        for action in self.actions:
            if isinstance(action, Rewrite):
                yield from action.alternatives

    def number(self, equation: str, direction: Direction) -> int | None:
        """The number of the action that rewrites so, if there is one."""
        for index, action in enumerate(self.actions):
            if isinstance(action, Rewrite) and (equation, direction) in action.alternatives:
                return index + self.first_action
        return None
