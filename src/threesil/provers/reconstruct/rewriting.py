"""Overlaps and single rewrites, on terms as values.

An *overlap* of l -> r into s = t at a position p of s, where s is no variable, is the pair
(s with r at p, t) under the most general unifier of s at p and l. It is proved by two steps:
l -> r backwards at p, then s = t. A *simultaneous* overlap replaces l by r wherever the unifier
has made it occur, in s and in t.

A chain whose rewrites are named is followed by matching. A rewrite of s to t by l -> r takes place
at the root if one substitution makes l into s and r into t; otherwise in those arguments of s that
differ from t's, so that a line that rewrites several places at once is taken apart as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from threesil.kernel.proof import Derivation, Step
from threesil.kernel.terms import Position, Term, match, unify, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Direction, Equation
from threesil.provers.proofs import Link

Substitution = dict[str, Term]
WAYS = (LEFT_TO_RIGHT, RIGHT_TO_LEFT)


def apart(equation: Equation, mark: str) -> Substitution:
    """New names for the variables of an equation, distinguished by the mark."""
    return {name: var(f"{name}{mark}") for name in equation.variables}


def instance(equation: Equation, start: Term, goal: Term) -> Derivation | None:
    """`start = goal` in one step at the root, if it is an instance of the equation."""
    for way in WAYS:
        values = match_both(equation.sides(way), (start, goal))
        if values is not None:
            return Derivation(start, (Step((), equation.name, way, values, goal),))
    return None


def match_both(patterns: tuple[Term, Term], terms: tuple[Term, Term]) -> Substitution | None:
    """The substitution under which both patterns are the terms."""
    first = match(patterns[0], terms[0])
    second = match(patterns[1], terms[1]) if first is not None else None
    if first is None or second is None:
        return None
    if any(second.get(name, term) != term for name, term in first.items()):
        return None
    return first | second


def innermost(term: Term) -> list[tuple[Position, Term]]:
    """All (position, subterm) pairs, arguments before what they are arguments of."""
    done: list[tuple[Position, Term]] = []
    stack: list[tuple[Position, Term]] = [((), term)]
    while stack:  # the reverse of: a term, then its arguments from the last to the first
        position, t = stack.pop()
        done.append((position, t))
        for index, argument in enumerate(t.args):
            stack.append(((*position, index), argument))
    return done[::-1]


def brings_in(equation: Equation, way: Direction) -> bool:
    """Whether a rewrite brings in a variable that the rewritten side lacks."""
    source, result = equation.sides(way)
    return not set(result.variables()) <= set(source.variables())


def redexes(
    term: Term, equation: Equation, way: Direction, mark: str
) -> Iterator[tuple[Step, Term]]:
    """All rewrites of a term, innermost first, with the redex.

    Variables that come in get the mark; they may take any value later.
    """
    source, result = equation.sides(way)
    if source.is_variable:
        return
    known = set(source.variables())
    own = {name: var(f"{name}{mark}") for name in result.variables() if name not in known}
    for position, subterm in innermost(term):
        if subterm.head != source.head or subterm.size < source.size:
            continue
        values = match(source, subterm)
        if values is not None:
            values |= own
            after = term.replace(position, result.substitute(values))
            if after != term:
                yield Step(position, equation.name, way, values, after), subterm


def overlaps(
    rule: Equation, into: Equation, side: Position = (), place: Position = ()
) -> Iterator[Derivation]:
    """The pairs of all overlaps of the rule's sides into the other equation's, with proofs.

    If given, `side` (0 or 1) says which of the rule's, `place` the other one's and its position.
    """
    left, right = apart(rule, ".1"), apart(into, ".2")
    for way in _named(side):
        source, result = (term.substitute(left) for term in rule.sides(way))
        if source.is_variable and not place:
            continue
        for into_way in _named(place):
            whole, other = (term.substitute(right) for term in into.sides(into_way))
            for position, subterm in whole.positions():
                if place and position != place[1:]:
                    continue
                if subterm.is_variable or not (subterm.head == source.head or source.is_variable):
                    continue
                unifier = unify([(source, subterm)])
                if unifier is None:
                    continue
                peak = whole.substitute(unifier)
                start = whole.replace(position, result).substitute(unifier)
                first = Step(position, rule.name, way.reverse, _under(left, unifier), peak)
                end = other.substitute(unifier)
                second = Step((), into.name, into_way, _under(right, unifier), end)
                single = Derivation(start, (first, second))
                if not place:
                    yield from _simultaneous(single, source.substitute(unifier))
                yield single


def _named(place: Position) -> tuple[Direction, ...]:
    return WAYS[place[0] : place[0] + 1] if place else WAYS


def _simultaneous(single: Derivation, redex: Term) -> Iterator[Derivation]:
    """The overlap with the other copies of the redex rewritten as well, if there are some."""
    by = single.steps[0].backwards(single.start)
    left = rewritten_everywhere(single.start, by, redex)
    right = rewritten_everywhere(single.end, by, redex)
    if left or right:
        head = Derivation(single.start, left).backwards()
        yield head.then(single).then(Derivation(single.end, right))


def rewritten_everywhere(term: Term, by: Step, redex: Term) -> tuple[Step, ...]:
    """The rewrites of all copies of the redex in a term, as the given step rewrites one."""
    result = by.result.at(by.position)
    steps: list[Step] = []
    for position, subterm in term.positions():
        if subterm == redex:
            before = steps[-1].result if steps else term
            after = before.replace(position, result)
            steps.append(Step(position, by.equation, by.direction, by.substitution, after))
    return tuple(steps)


def _under(names: Mapping[str, Term], unifier: Substitution) -> Substitution:
    return {name: term.substitute(unifier) for name, term in names.items()}


def variables_of(derivation: Derivation) -> set[str]:
    """The variables of all terms of a chain and of all its substitutions."""
    names = {name for term in derivation.terms for name in term.variables()}
    for step in derivation.steps:
        names.update(v for value in step.substitution.values() for v in value.variables())
    return names


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
