"""The proof kernel: a `Derivation` becomes a `Proof` only through `certify`.

A *derivation* is a chain of rewrites. It starts with a term; each step names a position, an
equation of the theory, a direction, the complete substitution for the equation's variables, and
the resulting term. The step from s to t is right if, with l -> r the equation read in that
direction and p the position, s at p is l under the substitution and t is s with r under the
substitution at p. The chain proves `start = last term`, so a two-sided proof is the chain from
the left side to the right side of the equation.

The kernel is all that has to be trusted. It knows terms and theories, and nothing of search or of
the engine. Variables of the problem are never instantiated: they stand for arbitrary elements.
Any other variable in a derivation is a leftover of unification; such a derivation is open, and is
refused until `close` has given all of them values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, replace
from types import MappingProxyType

from threesil.errors import ThreesilError
from threesil.terms import Position, Term
from threesil.theory import Direction, Goal, Problem, Theory


class NotAProof(ThreesilError):
    """A derivation that the kernel refuses, and why."""


@dataclass(frozen=True)
class Step:
    """One rewrite: where, with which equation, how, and the whole term that it gives."""

    position: Position
    equation: str
    direction: Direction
    substitution: Mapping[str, Term]
    result: Term

    def __post_init__(self) -> None:
        fixed = MappingProxyType(dict(self.substitution))
        object.__setattr__(self, "substitution", fixed)

    def backwards(self, result: Term) -> Step:
        """The step that undoes this one, whose result is this step's start."""
        return Step(self.position, self.equation, self.direction.reverse, self.substitution, result)


@dataclass(frozen=True)
class Derivation:
    """An unchecked chain of rewrites."""

    start: Term
    steps: tuple[Step, ...] = ()

    @property
    def end(self) -> Term:
        return self.steps[-1].result if self.steps else self.start

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms of the chain, one more than there are steps."""
        return (self.start, *(step.result for step in self.steps))

    def backwards(self) -> Derivation:
        """The same chain read from its end to its start."""
        terms = self.terms
        turned = [step.backwards(before) for step, before in zip(self.steps, terms, strict=False)]
        return Derivation(self.end, tuple(reversed(turned)))

    def then(self, other: Derivation) -> Derivation:
        """This chain followed by one that starts where this one ends."""
        return Derivation(self.start, self.steps + other.steps)


_CERTIFIED = object()


@dataclass(frozen=True)
class Proof:
    """A derivation that `certify` has checked; nothing else makes one."""

    theory: Theory
    problem: Problem
    derivation: Derivation
    seal: InitVar[object] = None

    def __post_init__(self, seal: object) -> None:
        if seal is not _CERTIFIED:
            raise NotAProof("a Proof is made by certify() alone")


def certify(theory: Theory, problem: Problem, derivation: Derivation) -> Proof:
    """Checks every step and both ends of the chain; returns the proof or raises `NotAProof`."""
    language = _Language(theory, problem)
    if problem.target is not None:
        language.check(problem.target, "the target")
    if derivation.start != problem.start:
        raise NotAProof("the derivation does not start with the problem's term")
    language.check(derivation.start, "the start")
    term = derivation.start
    for number, step in enumerate(derivation.steps, 1):
        _check_step(theory, term, step, language, f"step {number}")
        term = step.result
    if problem.target is not None:
        if term != problem.target:
            raise NotAProof("the derivation does not end with the problem's target")
    elif theory.goal is not Goal.NORMAL_FORM:
        raise NotAProof(f"a problem of {theory.name} needs a target")
    elif not all(t.head in theory.constructors and not t.is_variable for t in term.subterms()):
        raise NotAProof("the derivation does not end with a normal form")
    return Proof(theory, problem, derivation, _CERTIFIED)


def _check_step(theory: Theory, before: Term, step: Step, language: _Language, where: str) -> None:
    equation = theory.by_name.get(step.equation)
    if equation is None:
        raise NotAProof(f"{where}: {theory.name} has no equation {step.equation}")
    if set(step.substitution) != set(equation.variables):
        raise NotAProof(f"{where}: the substitution must give {', '.join(equation.variables)}")
    for name, value in step.substitution.items():
        language.check(value, f"{where}, the value of {name}")
    source, result = equation.sides(step.direction)
    try:
        subterm = before.at(step.position)
    except IndexError as error:
        raise NotAProof(f"{where}: {error}") from None
    if subterm != source.substitute(step.substitution):
        raise NotAProof(f"{where}: {step.equation} {step.direction.value} does not match there")
    if step.result != before.replace(step.position, result.substitute(step.substitution)):
        raise NotAProof(f"{where}: the rewrite gives another term")


class _Language:
    """The terms of a proof: symbols are the theory's, with their arity, variables the problem's.

    An object that has been checked, and that the derivation or the problem keeps alive, is not
    checked again.
    """

    def __init__(self, theory: Theory, problem: Problem) -> None:
        self.symbols = theory.signature.symbols
        self.free = set(problem.start.variables())
        if problem.target is not None:
            self.free.update(problem.target.variables())
        self.checked: set[int] = set()

    def check(self, term: Term, where: str) -> None:
        stack = [term]
        while stack:
            t = stack.pop()
            if id(t) in self.checked:
                continue
            self.checked.add(id(t))
            if t.is_variable:
                if t.head not in self.free:
                    message = f"the variable {t.head} is open; close() gives it a value"
                    raise NotAProof(f"{where}: {message}")
            elif self.symbols.get(t.head) != len(t.args):
                raise NotAProof(f"{where}: {t.head} with {len(t.args)} arguments is not a symbol")
            stack.extend(t.args)


# Below this line nothing has to be trusted: its results go through certify().


def close(derivation: Derivation, values: Mapping[str, Term]) -> Derivation:
    """The derivation with every variable that `values` names replaced by its value."""

    def closed(step: Step) -> Step:
        substitution = {v: term.substitute(values) for v, term in step.substitution.items()}
        return replace(step, substitution=substitution, result=step.result.substitute(values))

    start = derivation.start.substitute(values)
    return Derivation(start, tuple(closed(step) for step in derivation.steps))
