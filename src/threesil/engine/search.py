"""The core's ways to search: Levin tree search over states, three searches over terms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import Any

from threesil import _native
from threesil.engine.codec import Codec
from threesil.engine.compiled import compile_theory
from threesil.engine.control import Stop, checks_itself
from threesil.engine.network import Network
from threesil.engine.readout import lemmas_of, open_derivation, proof_of, sides_of
from threesil.kernel.confluence import Convergent, Order
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.naming import fresh_name
from threesil.kernel.outcome import Turn
from threesil.kernel.proof import Derivation
from threesil.kernel.theory import Action, Direction, Move, Problem, Theory

_ANY_LENGTH = 2**32 - 1
_ANY_COUNT = 2**64 - 1


class Status(IntEnum):
    """How a search ended."""

    PROVED = 0
    EXHAUSTED = 1
    EXPANSIONS = 2
    SECONDS = 3
    MEMORY = 4
    STOPPED = 5
    LENGTH = 6
    """the two sides are equal, but the chain of rewrites is too long to be read out"""
    REFUTED = 7
    """there is a model in which they differ"""


@dataclass(frozen=True, init=False)
class Budget:
    """What a search may spend. Counts come first: they make its outcome repeatable.

    None for `expansions` or `seconds` means without limit; it is kept as infinity, so that one can
    reckon with what is left.
    """

    expansions: float
    """0: none, so that only identical sides are proved"""
    seconds: float
    """CPU time of the thread that searches"""
    terms: int
    """distinct terms in memory"""
    stop: Stop | None
    """ends the search when another thread sets it"""
    progress: Callable[[Turn], None] | None
    """is called when a turn of a schedule begins, and when it has ended"""
    whole: float
    """CPU seconds in all, where `seconds` are those of a turn: what was found in the turn may be
    read out in the others"""

    def __init__(
        self,
        expansions: float | None = 1_000_000,
        seconds: float | None = 60.0,
        terms: int = 20_000_000,
        stop: Stop | None = None,
        progress: Callable[[Turn], None] | None = None,
        whole: float | None = None,
    ) -> None:
        if expansions != expansions or seconds != seconds:  # so is no number
            raise ValueError(f"a budget of what is not a number: {expansions}, {seconds}")
        put = object.__setattr__
        put(self, "expansions", math.inf if expansions is None else expansions)
        put(self, "seconds", math.inf if seconds is None else seconds)
        put(self, "terms", terms)
        put(self, "stop", stop)
        put(self, "progress", progress)
        put(self, "whole", max(self.seconds, self.seconds if whole is None else whole))

    def counts(self) -> tuple[int, float]:
        """(expansions, seconds) as the core takes them."""
        expansions = min(max(self.expansions, 0), _ANY_COUNT)
        return int(expansions) if expansions < _ANY_COUNT else _ANY_COUNT, self.seconds


Lemmas = tuple[tuple[Problem, Derivation], ...]
"""each after those that it cites; not certified yet"""


@dataclass(frozen=True)
class Saturated:
    """Equations to which completion had nothing to add; so many of them are no rules.

    If all are, `names` says which of the `lemmas` they are. There are no lemmas if these are too
    long to be read out.
    """

    order: Order
    unoriented: int
    names: tuple[str, ...]
    lemmas: Lemmas


@dataclass(frozen=True)
class Found:
    """The outcome: `actions` of a search over states, `derivation` of one over terms."""

    status: Status
    expansions: int
    actions: list[int] = field(default_factory=list)
    derivation: Derivation | None = None
    lemmas: Lemmas = ()
    """what the derivation cites besides the theory's equations"""
    figures: Mapping[str, float] = field(default_factory=dict)
    """what the search counted besides: terms, ..."""
    turns: tuple[Turn, ...] = ()
    """of a schedule: what its searches did one after the other"""
    saturated: Saturated | None = None
    """of a completion that is exhausted: its rules, which may decide the problem"""
    model: Countermodel | None = None
    system: Convergent | None = None
    """either of these shows that it is refuted"""
    reason: str = ""
    """why the search ended, where its status does not say enough"""


class Levin:
    """Levin tree search: states by depth / probability of the policy's path, each visited once."""

    def __init__(self, network: Network) -> None:
        self._codec, rules = compile_theory(network.theory)
        self._native = _native.LevinSearch(rules, network.native, checks_itself())

    def solve(
        self, problem: Problem, budget: Budget, *, steps: int, seed: int = 0, episode: int = 0
    ) -> Found:
        """Looks for at most `steps` actions; (seed, episode) decide the random vectors."""
        start, target = self._codec.problem(problem)
        limits = *budget.counts(), budget.terms
        found = self._native.solve(start, target, *limits, steps, seed, episode, budget.stop)
        actions = [int(a) for a in found["actions"]]
        return Found(Status(found["status"]), found["expansions"], actions)


class TermSearch:
    """A search for a chain of rewrites between the two sides of an equation.

    Bidirectional best-first search over terms: cost = `depth_cost` * depth + size, terms at most
    `growth` nodes larger than the larger side, rules that need no choice of a value.
    """

    _kind: Callable[[_native.Rules, bool], Any] = _native.TermSearch

    def __init__(self, theory: Theory, *, growth: int = 20, depth_cost: int = 6) -> None:
        self._codec, rules = compile_theory(theory)
        self._native = type(self)._kind(rules, checks_itself())
        self._growth = growth
        self._depth_cost = depth_cost

    def prove(self, problem: Problem, budget: Budget, *, length: int = _ANY_LENGTH) -> Found:
        """Looks for a derivation of the equation; what it finds is not certified yet.

        `length` bounds the rewrites of the derivation; a saturation pays no heed to it.
        """
        codes, _ = self._codec.problem(problem)
        limits = *budget.counts(), self._growth, self._depth_cost, budget.terms
        found = self._native.prove(codes, *limits, length, budget.stop)
        return _read(self._codec, problem, found)


def _read(codec: Codec, problem: Problem, found: Mapping[str, Any]) -> Found:
    """What a search over terms has found."""
    status, figures = Status(found["status"]), {"terms": found["terms"]}
    if status is not Status.PROVED:
        return Found(status, found["expansions"], figures=figures)
    lemmas, derivation = proof_of(codec, problem, found["chains"])
    return Found(status, found["expansions"], derivation=derivation, lemmas=lemmas, figures=figures)


class Saturation(TermSearch):
    """The same by a congruence closure that grows by the cheapest instances of the rules.

    An instance costs `depth_cost` * generation + its growth, and `own_cost` more if the rule has
    variables of its own on the right; these take the subterms of the equation as values.
    `rule_costs` come on top, by equation and direction.
    """

    _kind = _native.Saturation

    def __init__(
        self,
        theory: Theory,
        *,
        growth: int = 20,
        depth_cost: int = 6,
        own_cost: float = 12.0,
        rule_costs: Mapping[tuple[str, Direction], float] | None = None,
    ) -> None:
        super().__init__(theory, growth=growth, depth_cost=depth_cost)
        more = rule_costs or {}
        costs = []
        for name, direction in theory.rewrites():
            source, result = theory.by_name[name].sides(direction)
            own = set(result.variables()) - set(source.variables())
            costs.append((own_cost if own else 0.0) + more.get((name, direction), 0.0))
        self._native.rule_cost = costs

    def begin(self, problem: Problem) -> SaturationRun:
        """A saturation for this goal that has done nothing yet. It lasts until the next begins."""
        return SaturationRun(self, problem)

    def _equations(self, problem: Problem, count: int, size: int, budget: Budget) -> list[Derived]:
        codec = self._codec
        derived: list[Derived] = []
        taken = set(codec.theory.by_name)
        for chains in self._native.equations(count, size, budget.seconds, budget.stop):
            name = fresh_name(f"equation {len(derived) + 1}", taken)
            taken.add(name)
            equation = Problem(name, *sides_of(codec, problem, chains[-1]))
            read = partial(lemmas_of, codec, problem, chains, taken, name)
            derived.append(Derived(equation, read))
        return derived

    def _resume(self, problem: Problem, budget: Budget) -> Found:
        found = self._native.resume(*budget.counts(), budget.terms, budget.stop)
        return _read(self._codec, problem, found)


class SaturationRun:
    """A saturation under way: it resumes where its expansions or its time ran out."""

    def __init__(self, saturation: Saturation, problem: Problem) -> None:
        self._saturation, self._problem = saturation, problem
        self._begun = False

    def run(self, budget: Budget) -> Found:
        if self._begun:
            return self._saturation._resume(self._problem, budget)
        self._begun = True
        return self._saturation.prove(self._problem, budget)

    def equations(self, count: int, size: int, budget: Budget) -> list[Derived]:
        """Short equations that it has found besides, the shortest first.

        They speak of the problem's variables, and hold for all values of these.
        """
        return self._saturation._equations(self._problem, count, size, budget)


@dataclass(frozen=True)
class Derived:
    """An equation that a search has found besides its goal."""

    equation: Problem
    lemmas: Callable[[], Lemmas]
    """reads the lemmas that prove it out; it is the last of them"""


def _same_action(theory: Theory, action: Action) -> int:
    """The index of the theory's action that moves or rewrites in the same way."""
    for index, other in enumerate(theory.actions):
        if action == other:
            return index
        if isinstance(action, Move) or isinstance(other, Move):
            continue
        if action.alternatives[0] in other.alternatives:
            return index
    raise ValueError(f"{theory.name} has no action {action}")


class Guided:
    """A bidirectional search over terms whose costs a network has learned.

    The theory may have fewer actions than the network's. `noise` is the share of a uniform policy
    that is mixed in, `size_cost` what a node costs that a term grows by; terms have at most
    `variables` introduced variables and `growth` nodes more than the larger side.
    """

    def __init__(
        self,
        theory: Theory,
        network: Network,
        *,
        noise: float = 0.05,
        size_cost: float = 0.1,
        variables: int = 4,
        growth: int = 20,
    ) -> None:
        self._codec, rules = compile_theory(theory)
        known = list(network.theory.signature.symbols.items())
        if known != list(theory.signature.symbols.items()):
            raise ValueError(
                f"the network belongs to another theory than {theory.name}: {network.theory.name}"
            )
        outputs = [_same_action(network.theory, action) for action in theory.actions]
        self._native = _native.GuidedSearch(rules, network.native, outputs, checks_itself())
        self._native.set_options(noise, size_cost, variables, growth)

    def prove(self, problem: Problem, budget: Budget, *, seed: int = 0, episode: int = 0) -> Found:
        """Looks for a derivation; (seed, episode) decide the random vectors of variables."""
        codes, _ = self._codec.problem(problem)
        limits = *budget.counts(), budget.terms
        found = self._native.solve(codes, *limits, seed, episode, budget.stop)
        return _read(self._codec, problem, found)

    def explore(
        self, problem: Problem, budget: Budget, *, count: int, seed: int = 0
    ) -> list[tuple[Derivation, float]]:
        """Derivations from one side of the equation to some other term, with log probabilities.

        The `count` best terms that the search comes to, both short and probable. They may have
        variables besides the problem's own: for these too, the equality holds in general.
        `Stopped` if the budget's `stop` ends it.
        """
        codes, _ = self._codec.problem(problem)
        constants = self._codec.constants(problem)
        limits = *budget.counts(), budget.terms
        first_free = len(self._codec.symbols) + len(constants)
        chains = self._native.explore(codes, *limits, seed, count, first_free, budget.stop)
        found = []
        for chain, log_probability in chains:
            found.append((open_derivation(self._codec, problem, chain), log_probability))
        return found
