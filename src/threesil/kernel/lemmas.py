"""Lemmas of a proof: all of them in order, and the proof without any.

The lemmas of a proof have lemmas themselves. `chains` lists all of them once, each after those
that it cites, under names that are unique; it is what is written when a proof is. Lemmas that a
program has numbered are numbered as they are listed: `lemma 1`, `lemma 2`. `unfolded` puts in the
place of each citation the lemma's own chain, until only equations of the theory are left:
the longest way to say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from threesil.errors import InputError
from threesil.kernel.proof import Derivation, Proof, Step, certify, close
from threesil.kernel.terms import Term
from threesil.kernel.theory import RIGHT_TO_LEFT, Equation, Problem, Theory

_NUMBERED = re.compile("lemma[ _]?[0-9]+(_[0-9]+)*")  # how programs call lemmas
LONGEST = 20_000  # rewrites of a chain that somebody may still want to have in one piece


@dataclass(frozen=True)
class Chain:
    """The chain of a proof or of one of its lemmas, under a name that no other one has.

    `cited` gives the equation that a step's name stands for; for a lemma, that equation has the
    name under which the lemma is listed.
    """

    name: str
    proof: Proof
    cited: Mapping[str, Equation]
    is_lemma: bool

    @property
    def end(self) -> Term:
        return self.proof.derivation.end


def chains(proofs: Iterable[Proof]) -> list[Chain]:
    """The chains of proofs in the same theory; a lemma that several of them have comes once."""
    proofs = tuple(proofs)
    taken = {name for proof in proofs for name in proof.theory.by_name}
    others = {name.replace("_", " ") for name in (*taken, *(p.problem.name for p in proofs))}
    free = (name for k in count(1) if (name := f"lemma {k}") not in others)
    numbers: dict[str, Iterator[int]] = {}
    listed: list[Chain] = []
    stated: dict[tuple[Term, Term], Equation] = {}
    lemmas: dict[int, Equation] = {}

    def unique(name: str) -> str:
        new = name
        while new in taken:
            new = f"{name}_{next(numbers.setdefault(name, count(2)))}"
        taken.add(new)
        return new

    def add(proof: Proof, is_lemma: bool) -> str:
        cited = {name: proof.theory.by_name[name] for name in _used(proof)}
        cited |= {lemma.problem.name: lemmas[id(lemma)] for lemma in proof.lemmas}
        name = proof.problem.name
        if is_lemma and _NUMBERED.fullmatch(name):
            name = next(free)
        chain = Chain(unique(name), proof, cited, is_lemma)
        listed.append(chain)
        return chain.name

    for proof in proofs:
        for lemma in in_order(proof)[:-1]:
            if id(lemma) in lemmas:
                continue
            sides = lemma.problem.start, lemma.derivation.end
            if sides not in stated:
                stated[sides] = Equation(add(lemma, True), *sides)
            lemmas[id(lemma)] = stated[sides]
        name, sides = add(proof, False), (proof.problem.start, proof.derivation.end)
        if not proof.problem.exists:
            stated.setdefault(sides, Equation(name, *sides))
    return listed


def _used(proof: Proof) -> dict[str, None]:
    """The equations of the theory that the chain itself names."""
    names = dict.fromkeys(step.equation for step in proof.derivation.steps)
    return {name: None for name in names if name in proof.theory.by_name}


def in_order(proof: Proof) -> list[Proof]:
    """The proof's lemmas, theirs, and so on, each after those that it cites; the proof is last."""
    done: dict[int, Proof] = {}
    stack = [proof]
    while stack:
        top = stack[-1]
        waiting = [lemma for lemma in reversed(top.lemmas) if id(lemma) not in done]
        if waiting and id(top) not in done:
            stack.extend(waiting)
        else:
            done.setdefault(id(stack.pop()), top)
    return list(done.values())


def cited(derivation: Derivation, proofs: Mapping[str, Proof]) -> list[Proof]:
    """Those of the proofs, which go by their names, that a derivation cites."""
    names = dict.fromkeys(step.equation for step in derivation.steps)
    return [proofs[name] for name in names if name in proofs]


def certified(
    theory: Theory,
    lemmas: Iterable[tuple[Problem, Derivation]],
    known: Mapping[str, Proof] | None = None,
) -> dict[str, Proof]:
    """The proofs of lemmas by their names; each may cite those before it, and known ones."""
    proofs = dict(known or {})
    for lemma, derivation in lemmas:
        proofs[lemma.name] = certify(theory, lemma, derivation, cited(derivation, proofs))
    return proofs


def length(proof: Proof) -> int:
    """The rewrites of a proof, those of its lemmas, theirs and so on included."""
    return sum(len(one.derivation.steps) for one in in_order(proof))


def unfolded(proof: Proof, limit: int = LONGEST) -> Derivation:
    """The proof as one chain without lemmas; `InputError` if that has more than `limit` rewrites.

    Lemmas of lemmas multiply: a proof of a page can unfold to millions of rewrites.
    """
    lengths: dict[int, int] = {}
    plain: dict[int, Derivation] = {}
    proofs = in_order(proof)
    for one in proofs:
        by_name = {lemma.problem.name: lengths[id(lemma)] for lemma in one.lemmas}
        lengths[id(one)] = sum(by_name.get(s.equation, 1) for s in one.derivation.steps)
    if lengths[id(proof)] > limit:
        message = f"without lemmas the proof has {lengths[id(proof)]} rewrites"
        raise InputError(f"{proof.problem.name}: {message}; at most {limit} are written out")
    for one in proofs:
        if lengths[id(one)] <= limit:  # a longer one is cited by nothing that is wanted
            by_lemma = {lemma.problem.name: plain[id(lemma)] for lemma in one.lemmas}
            plain[id(one)] = inlined(one.derivation, by_lemma)
    return plain[id(proof)]


def inlined(derivation: Derivation, lemmas: Mapping[str, Derivation]) -> Derivation:
    """The chain with the chains of lemmas in the places where it cites them."""
    steps: list[Step] = []
    for step, before in zip(derivation.steps, derivation.terms, strict=False):
        if step.equation not in lemmas:
            steps.append(step)
            continue
        inner = close(lemmas[step.equation], step.substitution)
        if step.direction is RIGHT_TO_LEFT:
            inner = inner.backwards()
        for deeper in inner.steps:
            position = step.position + deeper.position
            result = before.replace(step.position, deeper.result)
            values = deeper.substitution
            steps.append(Step(position, deeper.equation, deeper.direction, values, result))
    return Derivation(derivation.start, tuple(steps), derivation.witnesses)
