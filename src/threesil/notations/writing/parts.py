"""Proofs and counter-models made ready to be written: what they say, by theory, table by table.

What a file says about a theory is what its proofs use: an equation that none of them cites would
be one more thing to trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from threesil.errors import InputError
from threesil.kernel.countermodel import Countermodel, table_of
from threesil.kernel.lemmas import Chain, chains
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Problem, Signature
from threesil.notations.infix import format_term
from threesil.notations.names import label, title
from threesil.notations.tokens import written_variable
from threesil.notations.writing.structures import name_of

_LARGEST = 5_000  # nodes of a term that is written out


def statement(of: Proof | Countermodel) -> str:
    """The equation with its variables; for a normal form, what the chain ends with.

    Of a model it is what the model refutes, "" if there is no such problem.
    """
    problem = of.problem
    target = problem.target if problem is not None else None
    if isinstance(of, Proof):
        target = target or of.derivation.end
    return sentence(problem, target, of.theory.signature) if problem and target else ""


def heading(chain: Chain) -> str:
    """What a chain is called above it: `Lemma 1`, `Lemma right unit`, `Theorem p1`."""
    if not chain.is_lemma:
        return f"Theorem {title(chain.name)}"
    return f"Lemma {label(chain.name).removeprefix('lemma ')}"


def sentence(problem: Problem, target: Term, signature: Signature) -> str:
    """The problem, with this term on the right side."""
    names = dict.fromkeys((*problem.variables, *target.variables()))
    arbitrary = listed((name for name in names if name not in problem.exists), signature)
    words = f"for all {arbitrary}" if arbitrary else ""
    if problem.exists:
        words = f"{words} exists {listed(problem.exists, signature)}".strip()
    sides = (shortly(term, signature, _LARGEST) for term in (problem.start, target))
    return (f"{words}: " if words else "") + " = ".join(sides)


def listed(variables: Iterable[str], signature: Signature) -> str:
    """Variables with commas between them."""
    return ", ".join(written_variable(name, signature) for name in variables)


def shortly(term: Term, signature: Signature, largest: int) -> str:
    """A term as text, if it has no more nodes than that."""
    return format_term(term, signature) if term.size <= largest else f"[{term.size} nodes]"


_MOST_NODES = 20_000_000  # about 100 megabytes of text


@dataclass(frozen=True)
class Part:
    """The proofs of one theory: their lemmas and themselves in order, and what they rest on."""

    name: str
    signature: Signature
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
    return Part(theory.name, theory.signature, symbols, axioms, tuple(listed))


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


MOST = 64  # tables of one symbol that are drawn


def shown_symbols(model: Countermodel) -> tuple[list[str], list[str]]:
    """(symbols whose tables are drawn, symbols of many arguments that have a definition)."""
    defined = {e.lhs.head for e in model.theory.equations if e.kind == "definition"}
    arities = model.theory.signature.symbols
    wide = [symbol for symbol in arities if symbol in defined and arities[symbol] > 2]
    drawn = [symbol for symbol in arities if symbol not in wide]
    return sorted(drawn, key=lambda symbol: arities[symbol] not in (0, 2)), wide


def rows(table: Sequence[int], n: int) -> list[list[int]]:
    return [list(table[k * n : (k + 1) * n]) for k in range(n)]


def slices(table: Sequence[int], n: int, arity: int) -> list[tuple[tuple[int, ...], list[int]]]:
    """(the first arguments, the n × n values of the last two) of a table with two or more."""
    size = n * n
    firsts = product(range(n), repeat=arity - 2)
    return [(first, list(table[k * size : (k + 1) * size])) for k, first in enumerate(firsts)]


def drawn(
    model: Countermodel, symbol: str, name: str, comma: str = ",", blank: str = "_"
) -> list[tuple[str, list[tuple[str, list[int]]]]]:
    """The tables of a symbol with arguments: what is in the corner, and the rows with their heads.

    One of more than two arguments has a table for each choice of the first ones, `MOST` in all.
    """
    n, arity = model.tables.size, model.theory.signature.symbols[symbol]
    table = model.tables.of[symbol]
    if arity == 1:
        return [("x", [(f"{name}(x)", list(table))])]
    found = []
    for first, square in slices(table, n, arity)[:MOST]:
        corner = f"{name}({comma.join([*map(str, first), blank, blank])})"
        body = [(str(x), row) for x, row in enumerate(rows(square, n))]
        found.append((name if arity == 2 else corner, body))
    return found


def structure(model: Countermodel, symbol: str) -> str:
    """The name of the structure that a binary symbol makes, if it is one we know."""
    if model.theory.signature.symbols[symbol] != 2:
        return ""
    return name_of(model.tables.of[symbol], model.tables.size)


def sides(model: Countermodel) -> list[tuple[Term, list[int]]]:
    """The sides of the problem with their values: one, or one for each of those that may exist."""
    problem = model.problem
    if problem is None or problem.target is None:
        return []
    return [
        (side, table_of(side, model.theory, model.tables, problem.exists, model.values))
        for side in (problem.start, problem.target)
    ]


def failure(model: Countermodel) -> str:
    """For which values the problem fails, and how."""
    if model.problem is None:
        return ""
    signature = model.theory.signature
    given = ", ".join(
        f"{written_variable(name, signature)} = {value}" for name, value in model.values.items()
    )
    at = f"for {given}: " if given else ""
    if model.problem.exists:
        names, several = listed(model.problem.exists, signature), len(model.problem.exists) > 1
        return f"{at}the sides differ, whatever {names} {'are' if several else 'is'}"
    (left, (one,)), (right, (other,)) = sides(model)
    texts = (format_term(side, signature) for side in (left, right))
    first, second = texts
    return f"{at}{first} = {one}, but {second} = {other}"
