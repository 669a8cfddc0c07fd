"""The proof kernel: a `Derivation` becomes a `Proof` only through `certify`.

A *derivation* is a chain of rewrites. It starts with a term; each step names a position, an
equation, a direction, the complete substitution for the equation's variables, and the resulting
term. Let l -> r be the equation read in that direction, and p the position. The step from s to t is
right if s has l under the substitution at p, and t is s with r under the substitution at p. The
chain proves `start = last term`, so a two-sided proof is the chain from the left side to the right
side of the equation.

The equation of a step is one of the theory, or a *lemma*: a `Proof` that is given with the
derivation and cited by the name of its problem. A proof says which equations of the theory it
rests on, its lemmas' included.

The kernel is all that has to be trusted. It knows terms and theories, and nothing of search or of
the engine. Variables of the problem are never instantiated, for they stand for arbitrary elements,
unless the problem says that values *exist*: then the derivation names them, its *witnesses*. Any
other variable in a derivation is a leftover of unification; such a derivation is open, and is
refused until `close` has given all of them values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass, field, replace
from types import MappingProxyType
from typing import final

from threesil.errors import ThreesilError
from threesil.kernel.display import Printed
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Direction, Equation, Goal, Problem, Theory


class NotAProof(ThreesilError):
    """A derivation that the kernel refuses, and why."""


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One rewrite: where, with which equation, how, and the whole term that it gives."""

    position: Position
    equation: str
    direction: Direction
    substitution: Mapping[str, Term]
    result: Term

    def __post_init__(self) -> None:
        _set(self, "position", tuple(self.position))
        _set(self, "substitution", MappingProxyType(dict(self.substitution)))

    def __reduce__(self) -> tuple[Callable[..., Step], tuple[object, ...]]:
        values = dict(self.substitution)
        return Step, (self.position, self.equation, self.direction, values, self.result)

    def backwards(self, result: Term) -> Step:
        """The step that undoes this one, whose result is this step's start."""
        return Step(self.position, self.equation, self.direction.reverse, self.substitution, result)


@final
@dataclass(frozen=True, slots=True)
class Derivation:
    """An unchecked chain of rewrites; `witnesses` are the values that a problem says exist."""

    start: Term
    steps: tuple[Step, ...] = ()
    witnesses: Mapping[str, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _set(self, "steps", tuple(self.steps))
        _set(self, "witnesses", MappingProxyType(dict(self.witnesses)))

    def __reduce__(self) -> tuple[Callable[..., Derivation], tuple[object, ...]]:
        return Derivation, (self.start, self.steps, dict(self.witnesses))

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
        return Derivation(self.end, tuple(reversed(turned)), self.witnesses)

    def then(self, other: Derivation) -> Derivation:
        """This chain followed by one that starts where this one ends."""
        return Derivation(self.start, self.steps + other.steps, self.witnesses)


_CERTIFIED = object()


@final
@dataclass(frozen=True, slots=True, repr=False)
class Proof(Printed):
    """A derivation that `certify` has checked; nothing else makes one.

    `lemmas` are the proofs that it cites, in order; `axioms` the equations of the theory that it
    rests on, directly or through them, in the theory's order.
    """

    theory: Theory
    problem: Problem
    derivation: Derivation
    lemmas: tuple[Proof, ...] = ()
    axioms: tuple[Equation, ...] = ()
    seal: InitVar[object] = None

    def __post_init__(self, seal: object) -> None:
        if seal is not _CERTIFIED:
            raise NotAProof("a Proof is made by certify() alone")

    def __repr__(self) -> str:
        counts = (len(self.derivation.steps), "rewrite"), (len(self.lemmas), "lemma")
        what = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)
        return f"<proof of {self.problem.name!r} in {self.theory.name}: {what}>"

    def __reduce__(self) -> tuple[Callable[..., Proof], tuple[object, ...]]:
        """A copy, and what comes out of a pickle, is certified again."""
        return certify, (self.theory, self.problem, self.derivation, self.lemmas)

    @property
    def known(self) -> tuple[Equation, ...]:
        """The equations that it takes on trust: those that the theory knows to follow."""
        return tuple(equation for equation in self.axioms if equation.kind == "known")

    def equation(self, kind: str = "known") -> Equation:
        """What it shows, as an equation that others may use; `NotAProof` if it is none.

        Nothing else makes equations of proofs: what holds for some values is not taken for more.
        """
        name, target = self.problem.name, self.problem.target
        if target is None or self.problem.exists:
            raise NotAProof(f"{name} is no equation that holds for all values")
        return Equation(name, self.problem.start, target, kind)


def certify(
    theory: Theory, problem: Problem, derivation: Derivation, lemmas: Iterable[Proof] = ()
) -> Proof:
    """Checks every step and both ends of the chain; returns the proof or raises `NotAProof`."""
    for value, kind in ((theory, Theory), (problem, Problem), (derivation, Derivation)):
        if type(value) is not kind:
            raise NotAProof(f"expected a {kind.__name__}, not {type(value).__name__}")
    known = _admitted(theory, tuple(lemmas))
    start, target, terms = _statement(theory, problem, derivation)
    cited: dict[str, Proof] = {}
    used: set[str] = set()
    term = terms.take(derivation.start, "the start")
    if term is not start:
        raise NotAProof("the derivation does not start with the problem's term")
    for number, step in enumerate(derivation.steps, 1):
        where = f"step {number}"
        if type(step) is not Step:
            raise NotAProof(f"{where}: expected a Step, not {type(step).__name__}")
        equation = theory.by_name.get(step.equation)
        if equation is not None:
            used.add(equation.name)
        elif step.equation in known:
            cited[step.equation], equation = known[step.equation]
        else:
            raise NotAProof(f"{where}: {theory.name} has no equation or lemma {step.equation}")
        term = _rewritten(term, step, equation, terms, where)
    if target is not None:
        if term is not target:
            raise NotAProof("the derivation does not end with the problem's target")
    elif not all(t.head in theory.constructors and not t.is_variable for t in term.distinct()):
        raise NotAProof("the derivation does not end with a normal form")
    for lemma in cited.values():
        used.update(equation.name for equation in lemma.axioms)
    axioms = tuple(equation for equation in theory.equations if equation.name in used)
    return Proof(theory, problem, derivation, tuple(cited.values()), axioms, _CERTIFIED)


def _admitted(theory: Theory, lemmas: tuple[Proof, ...]) -> dict[str, tuple[Proof, Equation]]:
    """The lemmas by name, each of them a theorem of this theory that holds for all values."""
    known: dict[str, tuple[Proof, Equation]] = {}
    for lemma in lemmas:
        if type(lemma) is not Proof:
            raise NotAProof(f"a lemma is a Proof, not a {type(lemma).__name__}")
        name, equation = lemma.problem.name, lemma.equation()
        if name in theory.by_name or (name in known and known[name][0] is not lemma):
            raise NotAProof(f"two equations or lemmas are called {name}")
        known[name] = lemma, equation
        if lemma.theory is theory:
            continue
        if any(theory.by_name.get(axiom.name) != axiom for axiom in lemma.axioms):
            raise NotAProof(f"the lemma {name} rests on equations that {theory.name} lacks")
        language = _Terms(theory, lemma.problem.variables)
        language.take(equation.lhs, f"the lemma {name}")
        language.take(equation.rhs, f"the lemma {name}")
    return known


def _statement(
    theory: Theory, problem: Problem, derivation: Derivation
) -> tuple[Term, Term | None, _Terms]:
    """What is to be shown, the witnesses in their places, and the terms that may occur in it."""
    if set(derivation.witnesses) != set(problem.exists):
        needed = ", ".join(problem.exists) or "none"
        raise NotAProof(f"the problem needs witnesses for other variables: {needed}")
    if problem.target is None and (theory.goal is not Goal.NORMAL_FORM or problem.exists):
        raise NotAProof(f"a problem of {theory.name} needs a target")
    terms = _Terms(theory, set(problem.variables) - set(problem.exists))
    values = {
        name: terms.take(value, f"the witness for {name}")
        for name, value in derivation.witnesses.items()
    }
    start = terms.take(problem.start.substitute(values), "the problem's start")
    if problem.target is None:
        return start, None, terms
    return start, terms.take(problem.target.substitute(values), "the target"), terms


def _rewritten(term: Term, step: Step, equation: Equation, terms: _Terms, where: str) -> Term:
    """The result of the step, which must be what the equation gives there."""
    if set(step.substitution) != set(equation.variables):
        names = ", ".join(equation.variables) or "no variable"
        raise NotAProof(f"{where}: the substitution must give {names}")
    values = {
        name: terms.take(value, f"{where}, the value of {name}")
        for name, value in step.substitution.items()
    }
    source, result = equation.sides(step.direction)
    if any(type(index) is not int for index in step.position):
        raise NotAProof(f"{where}: {list(step.position)} is no position")
    try:
        subterm = term.at(step.position)
    except IndexError as error:
        raise NotAProof(f"{where}: {error}") from None
    if subterm is not terms.instance(source, values):
        raise NotAProof(f"{where}: {step.equation} {step.direction.value} does not match there")
    after = terms.replaced(term, step.position, terms.instance(result, values))
    if terms.take(step.result, where) is not after:
        raise NotAProof(f"{where}: the rewrite gives another term")
    return after


class _Terms:
    """The terms of a proof: symbols are the theory's, with their arity, variables the given ones.

    Of equal terms one object is kept here, so that equal means identical, and every object that
    is handed in is looked at once, however often it is shared. What is handed in must stay alive,
    as it does inside a problem, a derivation or a theory.
    """

    def __init__(self, theory: Theory, variables: Iterable[str]) -> None:
        self._symbols = theory.signature.symbols
        self._variables = {name: Term(name, is_variable=True) for name in variables}
        self._made: dict[tuple[object, ...], Term] = {}
        self._own: dict[int, Term] = {}
        self._kept: list[Term] = []  # so that no number of an object is given again

    def take(self, term: Term, where: str) -> Term:
        """The kept object that equals a term; `NotAProof` if the term is none of these."""
        own = self._own
        if id(term) in own:
            return own[id(term)]
        stack = [term]
        while stack:
            t = stack[-1]
            if id(t) in own:
                stack.pop()
                continue
            if type(t) is not Term:
                raise NotAProof(f"{where}: expected a term, not {type(t).__name__}")
            if t.is_variable:
                if t.head not in self._variables:
                    message = f"the variable {t.head} is open; close() gives it a value"
                    raise NotAProof(f"{where}: {message}")
                kept = self._variables[t.head]
            else:
                waiting = [a for a in t.args if id(a) not in own]
                if waiting:
                    stack.extend(waiting)
                    continue
                if self._symbols.get(t.head) != len(t.args):
                    message = f"{t.head} with {len(t.args)} arguments is not a symbol"
                    raise NotAProof(f"{where}: {message}")
                kept = self._make(t.head, [own[id(a)] for a in t.args])
            stack.pop()
            own[id(t)] = kept
            self._kept.append(t)
        return own[id(term)]

    def instance(self, pattern: Term, values: Mapping[str, Term]) -> Term:
        """One side of an equation with kept terms for its variables."""

        def combine(t: Term, args: tuple[Term, ...]) -> Term:
            return values[t.head] if t.is_variable else self._make(t.head, args)

        return pattern.fold(combine)

    def replaced(self, term: Term, position: Position, new: Term) -> Term:
        """A kept term with another one at a position that it has."""
        spine = [term]
        for index in position:
            spine.append(spine[-1].args[index])
        for parent, index in zip(reversed(spine[:-1]), reversed(position), strict=True):
            new = self._make(parent.head, (*parent.args[:index], new, *parent.args[index + 1 :]))
        return new

    def _make(self, head: str, args: Iterable[Term]) -> Term:
        args = tuple(args)
        key = (head, *map(id, args))
        kept = self._made.get(key)
        if kept is None:
            kept = self._made[key] = Term(head, args)
            self._own[id(kept)] = kept
        return kept


_set: Callable[[object, str, object], None] = object.__setattr__

# Below this line nothing has to be trusted: its results go through certify().


def close(derivation: Derivation, values: Mapping[str, Term]) -> Derivation:
    """The derivation with every variable that `values` names replaced by its value."""

    def closed(step: Step) -> Step:
        substitution = {v: term.substitute(values) for v, term in step.substitution.items()}
        return replace(step, substitution=substitution, result=step.result.substitute(values))

    start = derivation.start.substitute(values)
    witnesses = {v: term.substitute(values) for v, term in derivation.witnesses.items()}
    return Derivation(start, tuple(closed(step) for step in derivation.steps), witnesses)
