"""Theories: what the equations are, what an agent may do with them, and when it has won.

A `Theory` is a value, not code: a signature, named equations, the ordered list of actions, and
the goal. The proof kernel reads the equations alone; the engine reads all of it. The cursor
starts at the root; an action moves it to an argument, or rewrites the subterm under it with an
equation in one direction and puts it back at the root.

All values here are frozen, all the way down: tuples, read-only mappings, terms.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType
from typing import Any, final

from threesil.kernel.display import Displayed
from threesil.kernel.terms import Term


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


@final
@dataclass(frozen=True, slots=True)
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
        _set(self, "symbols", MappingProxyType(dict(self.symbols)))
        _set(self, "infix", MappingProxyType(dict(self.infix)))
        for symbol in (*self.infix, *(self.numerals or ())):
            if symbol not in self.symbols:
                raise ValueError(f"the symbol {symbol} has no arity")
        if "=" in self.symbols:
            raise ValueError("the symbol = stands between the sides of an equation")
        for symbol in self.infix:
            if self.symbols[symbol] != 2:
                raise ValueError(f"the infix symbol {symbol} needs arity 2")

    def __reduce__(self) -> tuple[Callable[..., Signature], tuple[object, ...]]:
        return Signature, (dict(self.symbols), dict(self.infix), self.numerals)


@final
@dataclass(frozen=True, slots=True)
class Equation:
    """A named equation, universally quantified. `kind` is `axiom`, `definition` or `known`.

    `variables` stand in the order in which the engine numbers them: a definition's parameters
    from left to right; those of every other equation as it is read from its last symbol to its
    first. The order shows in the raw names of introduced variables only.
    """

    name: str
    lhs: Term
    rhs: Term
    kind: str = "axiom"
    variables: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in ("axiom", "definition", "known"):
            raise ValueError(f"an equation is an axiom, a definition or known, not {self.kind!r}")
        names: dict[str, None] = {}
        if self.kind == "definition":
            names = dict.fromkeys((*self.lhs.variables(), *self.rhs.variables()))
        else:
            stack, seen = [self.lhs, self.rhs], set[int]()
            while stack:
                term = stack.pop()
                if id(term) in seen:
                    continue
                seen.add(id(term))
                if term.is_variable:
                    names[term.head] = None
                stack.extend(term.args)
        _set(self, "variables", tuple(names))

    def __reduce__(self) -> tuple[Callable[..., Equation], tuple[object, ...]]:
        return Equation, (self.name, self.lhs, self.rhs, self.kind)

    def sides(self, direction: Direction) -> tuple[Term, Term]:
        """(the side to be replaced, the side that replaces it)."""
        if direction is LEFT_TO_RIGHT:
            return self.lhs, self.rhs
        return self.rhs, self.lhs


@dataclass(frozen=True, slots=True)
class Move:
    """Move the cursor to an argument (from 0) of the subterm under it."""

    argument: int


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Rewrite the subterm under the cursor with the first (equation, direction) that applies."""

    alternatives: tuple[tuple[str, Direction], ...]

    def __post_init__(self) -> None:
        _set(self, "alternatives", tuple((name, way) for name, way in self.alternatives))


Action = Move | Rewrite


@final
@dataclass(frozen=True, slots=True)
class Problem:
    """Something to solve: `start = target`, or `start` alone if the goal is a normal form.

    Its variables stand for arbitrary elements, but for those in `exists`: a proof says which
    values these take. `columns` keeps what else the problem's `line` (from 1) in a file says.
    """

    name: str
    start: Term
    target: Term | None = None
    columns: tuple[str, ...] = ()
    line: int = 0
    exists: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _set(self, "columns", tuple(self.columns))
        _set(self, "exists", tuple(dict.fromkeys(self.exists)))
        if self.exists and not set(self.exists) <= set(self.variables):
            raise ValueError(f"problem {self.name}: an existential variable does not occur")

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables in order of first occurrence."""
        names = dict.fromkeys(self.start.variables())
        if self.target is not None:
            names |= dict.fromkeys(self.target.variables())
        return tuple(names)


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Theory(Displayed):
    """A signature, equations, the ordered actions of an agent, and the goal.

    Theories are compared as objects; two that read the same have the same `digest`: SHA-256 of
    all that a proof or a trained model depends on, symbols, equations, actions and goal.

    The number of an action is its index in `actions`, from 0. `first_action` is the number that the
    paper and the recordings of its programs give the first one. `enter_leaves`: the cursor may move
    to a leaf. `no_repeats`: a rewrite whose result the episode has seen is not offered.
    `step_limit`: steps of an episode unless the user says otherwise. `base` is the theory that this
    one is a part of; a model of the base can guide proofs here.
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
    base: Theory | None = None
    by_name: Mapping[str, Equation] = field(init=False, repr=False)
    digest: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _set(self, "equations", tuple(self.equations))
        _set(self, "actions", tuple(self.actions))
        _set(self, "constructors", frozenset(self.constructors))
        _set(self, "by_name", MappingProxyType({e.name: e for e in self.equations}))
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
            if self.goal is not Goal.EQUATION and _introduces(self.by_name[equation], direction):
                raise ValueError(
                    f"theory {self.name}: {equation} {direction.value} introduces a variable, "
                    f"which only the goal {Goal.EQUATION.value} allows"
                )
        _set(self, "digest", _digest(self))

    def __repr__(self) -> str:
        return f"<theory {self.name}: {len(self.equations)} equations, {self.goal.value}>"

    def __deepcopy__(self, memo: dict[int, object]) -> Theory:
        return self

    def __reduce__(self) -> tuple[Callable[..., Theory], tuple[object, ...]]:
        return Theory, tuple(getattr(self, f.name) for f in fields(self) if f.init)

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
        kept: list[Action] = []
        for action in self.actions:
            if isinstance(action, Rewrite):
                action = Rewrite(
                    tuple(pair for pair in action.alternatives if pair[0] not in names)
                )
            if action != Rewrite(()):
                kept.append(action)
        equations = tuple(equation for equation in self.equations if equation.name not in names)
        base = self.base or self
        return self._changed(name=name, equations=equations, actions=tuple(kept), base=base)

    def extended(
        self,
        equations: Iterable[Equation],
        name: str | None = None,
        symbols: Mapping[str, int] | None = None,
    ) -> Theory:
        """This theory with further equations, which get actions of their own, and symbols."""
        added = tuple(equations)
        known = self.signature.symbols
        for symbol, arity in (symbols or {}).items():
            if known.get(symbol, arity) != arity:
                raise ValueError(f"the symbol {symbol} has arity {known[symbol]}, not {arity}")
        signature = Signature(
            {**known, **(symbols or {})}, self.signature.infix, self.signature.numerals
        )
        moves = {action.argument for action in self.actions if isinstance(action, Move)}
        arguments = range(max(signature.symbols.values(), default=0))
        actions = (
            *self.actions,
            *(Move(k) for k in arguments if k not in moves),
            *rewrites_of(added, self.goal),
        )
        return self._changed(
            name=name or f"{self.name}+{len(added)}",
            signature=signature,
            equations=self.equations + added,
            actions=actions,
            base=None,  # it has what the base lacks
        )

    def _changed(self, **changes: Any) -> Theory:
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return Theory(**(kept | changes))

    def rewrites(self) -> Iterator[tuple[str, Direction]]:
        """All (equation, direction) pairs that some action uses, in the order of the actions."""
        for action in self.actions:
            if isinstance(action, Rewrite):
                yield from action.alternatives

    def number(self, equation: str, direction: Direction) -> int | None:
        """The number of the action that rewrites so, if there is one."""
        for index, action in enumerate(self.actions):
            if isinstance(action, Rewrite) and (equation, direction) in action.alternatives:
                return index
        return None

    def action_name(self, index: int) -> str:
        """What an action does: `to argument 1`, or an equation's name with its direction."""
        action = self.actions[index]
        if isinstance(action, Move):
            return f"to argument {action.argument + 1}"
        return " or ".join(f"{name} {way.value}" for name, way in action.alternatives)


def moves_of(signature: Signature) -> Iterator[Action]:
    """A move to each argument that a symbol can have, and to two at least."""
    return (Move(k) for k in range(max((2, *signature.symbols.values()))))


def rewrites_of(
    equations: Iterable[Equation], goal: Goal, one_way: Collection[str] = ()
) -> Iterator[Action]:
    """An action for each equation and direction, left to right only for those in `one_way`.

    Only an equation to prove can take in new variables.
    """
    for equation in equations:
        for direction in (LEFT_TO_RIGHT, RIGHT_TO_LEFT):
            if direction is RIGHT_TO_LEFT and equation.name in one_way:
                continue
            if goal is Goal.EQUATION or not _introduces(equation, direction):
                yield Rewrite(((equation.name, direction),))


def _introduces(equation: Equation, direction: Direction) -> bool:
    """Whether the side that comes in has a variable that the other one lacks."""
    source, result = equation.sides(direction)
    return bool(set(result.variables()) - set(source.variables()))


def _digest(theory: Theory) -> str:
    def nodes(term: Term) -> list[tuple[str, int]]:
        return [(t.head, -1 if t.is_variable else len(t.args)) for t in term.subterms()]

    def action(of: Action) -> object:
        if isinstance(of, Move):
            return of.argument
        return [(name, direction.value) for name, direction in of.alternatives]

    facts = (
        sorted(theory.signature.symbols.items()),
        [(e.name, e.kind, nodes(e.lhs), nodes(e.rhs)) for e in theory.equations],
        [action(of) for of in theory.actions],
        (theory.goal.value, sorted(theory.constructors), theory.enter_leaves, theory.no_repeats),
    )
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


_set: Callable[[object, str, object], None] = object.__setattr__
