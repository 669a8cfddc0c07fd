"""Proofs made ready to be written: by theory, with the symbols and equations that they need.

What a file says about a theory is what its proofs use: an equation that none of them cites would
be one more thing to trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from threesil.errors import InputError
from threesil.kernel.lemmas import Chain, chains
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation

_MOST_NODES = 20_000_000  # about 100 megabytes of text


@dataclass(frozen=True)
class Part:
    """The proofs of one theory: their lemmas and themselves in order, and what they rest on."""

    name: str
    symbols: Mapping[str, int]
    axioms: tuple[Equation, ...]
    chains: tuple[Chain, ...]


def parts(proofs: Iterable[Proof]) -> list[Part]:
    """A part for each theory, in order of first occurrence."""
    by_theory: dict[str, list[Proof]] = {}
    for proof in proofs:
        by_theory.setdefault(proof.theory.digest, []).append(proof)
    return [_part(some) for some in by_theory.values()]


def _part(proofs: list[Proof]) -> Part:
    theory = proofs[0].theory
    listed = chains(proofs)
    used = {axiom.name: axiom for proof in proofs for axiom in proof.axioms}
    axioms = tuple(equation for equation in theory.equations if equation.name in used)
    found: dict[str, int] = {}
    seen: set[int] = set()
    size = 0
    for term in _terms(axioms, listed):
        size += term.size
        _symbols(term, found, seen)
    if size > _MOST_NODES:
        message = f"the proofs of {theory.name} have {size} symbols when written out"
        raise InputError(f"{message}; only the format json can share them")
    symbols = {name: found[name] for name in (*theory.signature.symbols, *found) if name in found}
    return Part(theory.name, symbols, axioms, tuple(listed))


def _terms(axioms: Iterable[Equation], listed: Iterable[Chain]) -> Iterable[Term]:
    for axiom in axioms:
        yield from (axiom.lhs, axiom.rhs)
    for chain in listed:
        problem, derivation = chain.proof.problem, chain.proof.derivation
        yield problem.start
        yield problem.target or chain.end
        yield from derivation.witnesses.values()
        yield from derivation.terms
        for step in derivation.steps:
            yield from step.substitution.values()


def _symbols(term: Term, found: dict[str, int], seen: set[int]) -> None:
    stack = [term]
    while stack:
        t = stack.pop()
        if id(t) in seen:
            continue
        seen.add(id(t))
        if not t.is_variable:
            found.setdefault(t.head, len(t.args))
        stack.extend(t.args)


def occurring(equation: Equation) -> tuple[str, ...]:
    """The variables of an equation in order of first occurrence; citations give values so."""
    return tuple(dict.fromkeys((*equation.lhs.variables(), *equation.rhs.variables())))


def arguments(chain: Chain) -> tuple[str, ...]:
    """The variables for all values of which the chain holds, in the same order."""
    problem = chain.proof.problem
    return tuple(name for name in problem.variables if name not in problem.exists)
