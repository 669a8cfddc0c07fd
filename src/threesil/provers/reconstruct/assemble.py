"""Chains become proofs: those that the goal needs, each a lemma, certified one after the other.

A fact that is proved by a single rewrite (a copy, a flip, an instance) is no lemma: who cites it
cites what it was proved by. Loops of a chain are cut out.
"""

from __future__ import annotations

from collections.abc import Mapping

from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify, close
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, Problem, Theory
from threesil.provers.reconstruct.align import NotReconstructed, thaw
from threesil.provers.reconstruct.rewriting import variables_of


def assemble(
    theory: Theory,
    problem: Problem,
    derivation: Derivation,
    chains: Mapping[str, Derivation],
    given: Mapping[str, Proof],
) -> Proof:
    """The proof of the problem, with the lemmas that it needs."""
    short: dict[str, Derivation] = {}
    for name, chain in chains.items():  # in the order in which they were proved
        short[name] = _shortened(chain, short)
    derivation = _shortened(derivation, short)
    builder = _Builder(theory, given)
    for name in _cited(derivation, short):
        builder.lemma(name, short[name])
    try:
        return builder.proof(problem, derivation)
    except NotAProof as error:
        raise NotReconstructed(f"the goal: {error}") from error


def _shortened(chain: Derivation, known: Mapping[str, Derivation]) -> Derivation:
    """Without loops, and without citing what a single rewrite proves."""
    steps: list[Step] = []
    place = {chain.start: 0}
    for step in chain.steps:
        while step.equation in known and len(known[step.equation].steps) == 1:
            step = _through(step, known[step.equation].steps[0])
        if step.result in place:
            cut = place[step.result]
            for passed in steps[cut:]:
                del place[passed.result]
            del steps[cut:]
        else:
            steps.append(step)
            place[step.result] = len(steps)
    return Derivation(chain.start, tuple(steps), chain.witnesses)


def _through(step: Step, inner: Step) -> Step:
    """The rewrite that a citation of a fact with one rewrite comes to."""
    values = {v: term.substitute(step.substitution) for v, term in inner.substitution.items()}
    way = inner.direction if step.direction is LEFT_TO_RIGHT else inner.direction.reverse
    return Step((*step.position, *inner.position), inner.equation, way, values, step.result)


def _cited(derivation: Derivation, chains: Mapping[str, Derivation]) -> list[str]:
    """The facts that a chain rests on, each after those that it rests on itself."""
    order: dict[str, None] = {}
    stack = [(step.equation, False) for step in reversed(derivation.steps)]
    while stack:
        name, ready = stack.pop()
        if name in order or name not in chains:
            continue
        if ready:
            order[name] = None
        else:
            stack.append((name, True))
            stack += [(step.equation, False) for step in reversed(chains[name].steps)]
    return list(order)


class _Builder:
    """Certifies lemmas under names of their own; frozen constants are variables again."""

    def __init__(
        self,
        theory: Theory,
        given: Mapping[str, Proof],
    ) -> None:
        self._theory = theory
        self._known = dict(given)
        self._names: dict[str, str] = {}
        constants = [name for name, arity in theory.signature.symbols.items() if arity == 0]
        self._constant = app(constants[0]) if constants else None

    def lemma(self, fact: str, chain: Derivation) -> None:
        """Certifies a fact, to be cited from now on."""
        number = len(self._names) + 1
        name = f"lemma_{number}"
        while name in self._theory.by_name or name in self._known:
            name += "_"
        statement = Problem(name, _thawed(chain.start), _thawed(chain.end))
        try:
            self._known[name] = self.proof(statement, chain)
        except NotAProof as error:
            raise NotReconstructed(f"step {fact[1:]}: {error}") from error
        self._names[fact] = name

    def proof(self, statement: Problem, chain: Derivation) -> Proof:
        steps = tuple(self._step(step) for step in chain.steps)
        witnesses = {name: _thawed(term) for name, term in chain.witnesses.items()}
        derivation = Derivation(_thawed(chain.start), steps, witnesses)
        opened = variables_of(derivation) - (set(statement.variables) - set(statement.exists))
        if opened:
            kept = [v for v in statement.variables if v not in statement.exists]
            value = var(kept[0]) if kept else self._constant
            if value is None:
                raise NotReconstructed("a variable needs a value, and there is no constant")
            derivation = close(derivation, dict.fromkeys(opened, value))
        cited = dict.fromkeys(step.equation for step in steps)
        lemmas = [self._known[name] for name in cited if name in self._known]
        return certify(self._theory, statement, derivation, lemmas)

    def _step(self, step: Step) -> Step:
        values = {name: _thawed(term) for name, term in step.substitution.items()}
        name = self._names.get(step.equation)
        if name is not None:
            for variable in self._known[name].problem.variables:
                values.setdefault(variable, var(variable))
        return Step(
            step.position, name or step.equation, step.direction, values, _thawed(step.result)
        )


def _thawed(term: Term) -> Term:
    """The term with the problem's variables in place of the constants that stood for them."""

    def combine(t: Term, args: tuple[Term, ...]) -> Term:
        if args:
            return Term(t.head, args)
        name = None if t.is_variable else thaw(t.head)
        return t if name is None else var(name)

    return term.fold(combine)
