"""Chains whose rewrites are named: position and substitution are found by matching.

A rewrite of s to t by l -> r takes place at the root if one substitution makes l into s and r
into t; otherwise in those arguments of s that differ from t's, in each of them alone. So a line
that rewrites several places at once is taken apart as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from threesil.kernel.proof import Derivation, Step
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Direction, Equation
from threesil.provers.proofs import Link
from threesil.provers.reconstruct.rewriting import match_both


def follow(start: Term, links: Sequence[Link], facts: Mapping[str, Equation]) -> Derivation | int:
    """The derivation that the links describe, or the number (from 1) of the link that fails."""
    steps: list[Step] = []
    term = start
    for number, link in enumerate(links, 1):
        equation = facts.get(link.fact)
        if equation is None:
            return number
        found = _rewrites(term, link.result, equation, link.direction)
        if found is None:
            return number
        steps += found
        term = link.result
    return Derivation(start, tuple(steps))


def _rewrites(before: Term, after: Term, equation: Equation, way: Direction) -> list[Step] | None:
    """The rewrites by one equation in one direction that lead from a term to another."""
    steps: list[Step] = []
    sides = equation.sides(way)
    whole = before
    todo: list[tuple[Position, Term, Term]] = [((), before, after)]
    while todo:
        position, s, t = todo.pop()
        if s == t:
            continue
        values = match_both(sides, (s, t))
        if values is not None:
            whole = whole.replace(position, t)
            steps.append(Step(position, equation.name, way, values, whole))
        elif s.is_variable or s.head != t.head or len(s.args) != len(t.args):
            return None
        else:
            pairs = zip(s.args, t.args, strict=True)
            todo += [((*position, index), a, b) for index, (a, b) in enumerate(pairs)]
    return steps
