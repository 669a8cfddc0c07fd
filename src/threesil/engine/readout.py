"""Derivations from the chains that the core reads out of solved episodes and searches."""

from __future__ import annotations

from collections.abc import Sequence

from threesil.engine.codec import Codec
from threesil.proof import Derivation, Step
from threesil.terms import Term, app, var
from threesil.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Problem

ChainStep = tuple[Sequence[int], int, bool, Sequence[int], int]
Chain = tuple[Sequence[int], Sequence[int], int, Sequence[ChainStep]]


def derivation_of(
    codec: Codec, problem: Problem, chain: Chain, free: Sequence[str] = ()
) -> Derivation:
    """The derivation of a chain (heads, arguments, start, steps); terms are nodes of one table.

    A step is (path, equation, left to right, values of the equation's variables, whole term).
    `free` names variables besides the problem's own.
    """
    heads, args, start, steps = chain
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
    equations = codec.theory.equations
    chained = []
    for path, number, left_to_right, values, result in steps:
        equation = equations[number]
        substitution = {v: terms[t] for v, t in zip(equation.variables, values, strict=True)}
        direction = LEFT_TO_RIGHT if left_to_right else RIGHT_TO_LEFT
        step = Step(tuple(path), equation.name, direction, substitution, terms[result])
        chained.append(step)
    return Derivation(terms[start], tuple(chained))
