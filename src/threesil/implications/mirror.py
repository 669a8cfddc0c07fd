"""Mirror images: of proofs, certified again, and of interpretations.

All symbols take their arguments in reverse order: what was proved of equations is proved of their
mirror images by the same steps, and what holds in an interpretation holds of them in its image.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from threesil.implications.equations import EquationList, Pair, mirrored
from threesil.kernel.lemmas import in_order
from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term, match
from threesil.kernel.theory import Equation, Problem, Signature


def mirrored_tables(tables: Tables, signature: Signature) -> Tables:
    """The interpretation whose symbols take their arguments in reverse order."""
    n, of = tables.size, {}
    for symbol, arity in signature.symbols.items():
        table = np.array(tables.of[symbol]).reshape((n,) * arity)
        of[symbol] = tuple(table.transpose().reshape(-1).tolist())
    return Tables(n, of)


def mirror_image(given: EquationList, proof: Proof, pair: Pair) -> Proof:
    """The mirror image of a proof, as a proof of another pair, certified.

    The equations of that pair are the mirror images of the proof's own, up to the names of their
    variables and the order of their sides.
    """
    theory, problem = given.theory(pair[0]), given.problem(pair)
    (old,), (new,) = proof.theory.equations, theory.equations
    axiom = _Image.of(old, new)
    lemmas: dict[int, Proof] = {}

    def image(of: Proof, stated: Problem) -> Proof:
        derivation = _mirrored(of.derivation, old.name, new.name, axiom)
        return certify(theory, stated, derivation, [lemmas[id(lemma)] for lemma in of.lemmas])

    for lemma in in_order(proof)[:-1]:
        own = lemma.problem
        assert own.target is not None
        stated = Problem(own.name, mirrored(own.start), mirrored(own.target))
        lemmas[id(lemma)] = image(lemma, stated)
    goal = Equation("goal", proof.problem.start, proof.problem.target or proof.problem.start)
    wanted = _Image.of(goal, Equation("goal", problem.start, problem.target or problem.start))
    derivation = _mirrored(proof.derivation, old.name, new.name, axiom)
    if wanted.turned:
        derivation = derivation.backwards()
    derivation = _renamed(derivation, wanted.names)
    return certify(theory, problem, derivation, [lemmas[id(lemma)] for lemma in proof.lemmas])


@dataclass(frozen=True)
class _Image:
    """How the mirror image of an equation is another one: new names, and whether sides change."""

    names: dict[str, Term]
    turned: bool

    @classmethod
    def of(cls, old: Equation, new: Equation) -> _Image:
        left, right = mirrored(old.lhs), mirrored(old.rhs)
        for turned, sides in ((False, (new.lhs, new.rhs)), (True, (new.rhs, new.lhs))):
            pair, other = Term("=", (left, right)), Term("=", sides)
            names = match(pair, other)
            if names is not None and match(other, pair) is not None:
                return cls(names, turned)
        raise NotAProof(f"{new.name} is not the mirror image of {old.name}")


def _mirrored(derivation: Derivation, old: str, new: str, axiom: _Image) -> Derivation:
    """The mirror image of a chain; a step with the old equation becomes one with the new."""
    term, steps = derivation.start, []
    for step in derivation.steps:
        position, at = [], term
        for index in step.position:
            position.append(len(at.args) - 1 - index)
            at = at.args[index]
        values = {name: mirrored(value) for name, value in step.substitution.items()}
        name, direction = step.equation, step.direction
        if name == old:
            name = new
            values = {axiom.names[v].head: value for v, value in values.items()}
            direction = direction.reverse if axiom.turned else direction
        term = step.result
        steps.append(Step(tuple(position), name, direction, values, mirrored(term)))
    return Derivation(mirrored(derivation.start), tuple(steps))


def _renamed(derivation: Derivation, names: dict[str, Term]) -> Derivation:
    """A chain under other names of its variables."""
    steps = tuple(
        Step(
            step.position,
            step.equation,
            step.direction,
            {v: value.substitute(names) for v, value in step.substitution.items()},
            step.result.substitute(names),
        )
        for step in derivation.steps
    )
    return Derivation(derivation.start.substitute(names), steps)
