"""Derivations from the chains that the core reads out of solved episodes and searches."""

from __future__ import annotations

from collections.abc import Sequence

from threesil.engine.codec import Codec
from threesil.kernel.naming import fresh_name
from threesil.kernel.proof import Derivation, Step, close
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Problem

ChainStep = tuple[Sequence[int], int, bool, Sequence[int], int]
Chain = tuple[Sequence[int], Sequence[int], int, Sequence[ChainStep]]


Lemmas = tuple[tuple[Problem, Derivation], ...]
_CITED = 2**31  # the number that cites the first lemma


def proof_of(codec: Codec, problem: Problem, chains: Sequence[Chain]) -> tuple[Lemmas, Derivation]:
    """(lemmas, derivation) of the chains of lemmas and, last, of the problem."""
    lemmas = lemmas_of(codec, problem, chains[:-1], set(codec.theory.by_name))
    return lemmas, derivation_of(codec, problem, chains[-1], lemmas=lemmas)


def lemmas_of(
    codec: Codec, problem: Problem, chains: Sequence[Chain], taken: set[str], last: str = ""
) -> Lemmas:
    """The lemmas of these chains, by names that are not `taken`, and are from now on.

    The last one may have a name already. Lemmas speak of the problem's variables. Those that a
    lemma's proof mentions but not the lemma itself may stand for anything: they become one of its
    leaves.
    """
    lemmas: list[tuple[Problem, Derivation]] = []
    for number, chain in enumerate(chains, 1):
        derivation = derivation_of(codec, problem, chain, lemmas=lemmas)
        given = last if number == len(chains) else ""
        name = given or fresh_name(f"lemma {number}", taken)
        taken.add(name)
        lemma = Problem(name, derivation.start, derivation.end)
        leaf = next(t for t in lemma.start.subterms() if not t.args)
        stray = [v for v in codec.constants(problem) if v not in lemma.variables]
        lemmas.append((lemma, close(derivation, dict.fromkeys(stray, leaf))))
    return tuple(lemmas)


def sides_of(codec: Codec, problem: Problem, chain: Chain) -> tuple[Term, Term]:
    """Where a chain begins and where it ends."""
    *_, start, steps = chain
    terms = _terms(codec, problem, chain)
    return terms[start], terms[steps[-1][-1] if steps else start]


def derivation_of(
    codec: Codec,
    problem: Problem,
    chain: Chain,
    free: Sequence[str] = (),
    lemmas: Sequence[tuple[Problem, Derivation]] = (),
) -> Derivation:
    """The derivation of a chain (heads, arguments, start, steps); terms are nodes of one table.

    A step is (path, equation, left to right, values of the equation's variables, whole term).
    `free` names variables besides the problem's own.
    """
    *_, start, steps = chain
    terms = _terms(codec, problem, chain, free)
    equations = codec.theory.equations
    chained = []
    for path, number, left_to_right, values, result in steps:
        if number < _CITED:
            name, variables = equations[number].name, equations[number].variables
            substitution = {v: terms[t] for v, t in zip(variables, values, strict=True)}
        else:
            lemma, _ = lemmas[number - _CITED]
            name, substitution = lemma.name, {v: var(v) for v in lemma.variables}
        direction = LEFT_TO_RIGHT if left_to_right else RIGHT_TO_LEFT
        chained.append(Step(tuple(path), name, direction, substitution, terms[result]))
    return Derivation(terms[start], tuple(chained))


def _terms(codec: Codec, problem: Problem, chain: Chain, free: Sequence[str] = ()) -> list[Term]:
    """The nodes of a chain's table."""
    heads, args, *_ = chain
    constants = (*codec.constants(problem), *free)
    symbols, arity = codec.symbols, codec.arity
    terms: list[Term] = []
    next_argument = 0
    for head in heads:
        if head < len(symbols):
            end = next_argument + arity[head]
            terms.append(app(symbols[head], *[terms[a] for a in args[next_argument:end]]))
            next_argument = end
        else:
            terms.append(var(constants[head - len(symbols)]))
    return terms


def open_derivation(codec: Codec, problem: Problem, chain: Chain) -> Derivation:
    """The derivation of a chain that has variables besides the problem's own: v0, v1, …"""
    constants = codec.constants(problem)
    known = len(codec.symbols) + len(constants)
    count = max([known, *(head + 1 for head in chain[0])]) - known
    taken = (*constants, *codec.symbols)
    names = []
    for name in (f"v{i}" for i in range(count)):
        while name in taken:
            name += "'"
        names.append(name)
    return derivation_of(codec, problem, chain, names)
