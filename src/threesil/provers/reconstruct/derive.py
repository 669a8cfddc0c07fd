"""One step of another prover: an equation, from the equations that it came from.

A saturating prover makes a new equation by overlapping two others, or by taking one, and then
rewrites it with further ones, arguments before what they are arguments of. `Deriver` does the
same: it goes through the overlaps, applies the simplifiers in their order, and backtracks over
the places where each of them fits, until the equation is an instance of what it has. Where that
fails, because the output does not say everything, our own searches prove the equation from its
parents, its variables taken as constants.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from threesil.engine import Budget, Saturation, Stop, TermSearch
from threesil.kernel.proof import Derivation, Step, close
from threesil.kernel.terms import Position, Term, unify
from threesil.kernel.theory import (
    Direction,
    Equation,
    Goal,
    Problem,
    Signature,
    Theory,
    moves_of,
    rewrites_of,
)
from threesil.provers.reconstruct.rewriting import (
    WAYS,
    Substitution,
    brings_in,
    instance,
    match_both,
    overlaps,
    redexes,
    rewritten_everywhere,
)

Pair = tuple[Term, Term]
Ends = Callable[[Pair], tuple[Substitution, bool] | None]
"""Whether a pair will do: the values that make it so, and whether its sides change places."""

_LARGEST = 600  # nodes of a pair that is followed


@dataclass(frozen=True, slots=True)
class Use:
    """An equation, where it is overlapped (or anywhere), and the directions it may rewrite in."""

    equation: Equation
    place: Position = ()
    ways: tuple[Direction, ...] = WAYS

    def freely(self) -> Use:
        """The same without what is known of its use."""
        return Use(self.equation)


class Clock:
    """What is left of the CPU time of this thread, and whether another one stops us."""

    def __init__(self, seconds: float, stop: Stop | None = None) -> None:
        self.stop = stop
        self._end = time.thread_time() + seconds

    def left(self) -> float:
        stopped = self.stop is not None and self.stop.is_set()
        return 0.0 if stopped else self._end - time.thread_time()

    def over(self) -> bool:
        return self.left() <= 0

    def part(self, seconds: float) -> Clock:
        """A clock for at most so many of the seconds that are left."""
        return Clock(min(seconds, self.left()), self.stop)


def derive(
    target: Pair,
    main: Sequence[Use],
    simplifiers: Sequence[Use],
    nodes: int,
    clock: Clock,
) -> Derivation | None:
    """The target from overlaps of the main equations, rewritten; as a chain between its sides."""
    for use in (*main, *simplifiers):
        found = instance(use.equation, *target)
        if found is not None:
            return found

    def ends(pair: Pair) -> tuple[Substitution, bool] | None:
        values = match_both(pair, target)
        if values is not None:
            return values, False
        values = match_both(pair, target[::-1])
        return None if values is None else (values, True)

    return replay(ends, main, simplifiers, nodes, clock)


def replay(
    ends: Ends,
    main: Sequence[Use],
    simplifiers: Sequence[Use],
    nodes: int,
    clock: Clock,
) -> Derivation | None:
    """The chain that proves what the main equations and the simplifiers in their order give.

    Each overlap may lead to so many pairs.
    """
    for start in _starts(main):
        found = _rewritten(start, simplifiers, ends, nodes, clock)
        if found is not None:
            return found
        if clock.over():
            break
    return None


def _starts(main: Sequence[Use]) -> Iterator[Derivation]:
    """What is rewritten: each main equation, and the overlaps of each two of them."""
    if len(main) == 1:
        equation = main[0].equation
        values = {name: Term(name, is_variable=True) for name in equation.variables}
        step = Step((), equation.name, WAYS[0], values, equation.rhs)
        yield Derivation(equation.lhs, (step,))
    elif len(main) == 2 and main[1].place:
        rule, into = main
        yield from overlaps(rule.equation, into.equation, rule.place, into.place)
    else:
        equations = list(dict.fromkeys(use.equation for use in main))
        for one, other in product(equations, repeat=2):
            if len(equations) == 1 or one is not other:
                yield from overlaps(one, other)


Trace = tuple[Step, Any] | None  # the last step and the trace before it
Traces = tuple[Trace, Trace]


def _rewritten(
    start: Derivation, simplifiers: Sequence[Use], ends: Ends, nodes: int, clock: Clock
) -> Derivation | None:
    """Depth-first over the places where the simplifiers fit, one after the other."""
    seen: set[tuple[int, Pair]] = set()
    todo: list[tuple[int, Pair, Traces]] = [(0, (start.start, start.end), (None, None))]
    while todo and len(seen) < nodes:
        depth, pair, traces = todo.pop()
        if (depth, pair) in seen or pair[0].size + pair[1].size > _LARGEST:
            continue
        seen.add((depth, pair))
        found = ends(pair)
        if found is not None:
            values, turned = found
            derivation = close(_joined(start, traces), values)
            return derivation.backwards() if turned else derivation
        if len(seen) % 64 == 0 and clock.over():
            break
        if depth < len(simplifiers):
            after = list(_rewrites(pair, traces, simplifiers[depth], f".s{depth}"))
            todo.extend((depth + 1, *later) for later in reversed(after))
    return None


def _rewrites(pair: Pair, traces: Traces, use: Use, mark: str) -> Iterator[tuple[Pair, Traces]]:
    """The pair with one side rewritten at one place; then at all places that hold the same."""
    later: list[tuple[Pair, Traces]] = []
    everywhere: dict[Term, tuple[Pair, Traces]] = {}
    swaps = unify([(use.equation.lhs, use.equation.rhs)]) is not None
    for way in sorted(use.ways, key=lambda way: brings_in(use.equation, way)):
        for side in (0, 1):
            for step, redex in redexes(pair[side], use.equation, way, mark):
                sides, steps = list(pair), list(traces)
                sides[side], steps[side] = step.result, (step, traces[side])
                new = (sides[0], sides[1]), (steps[0], steps[1])
                # No ordering makes one of two terms smaller that some values make equal.
                if swaps and unify([(redex, step.result.at(step.position))]) is not None:
                    later.append(new)
                else:
                    yield new
                if redex not in everywhere:
                    both = _everywhere(pair, traces, step, redex)
                    if both is not None:
                        everywhere[redex] = both
    yield from everywhere.values()
    yield from later


def _everywhere(pair: Pair, traces: Traces, step: Step, redex: Term) -> tuple[Pair, Traces] | None:
    """The pair with all copies of the redex rewritten; None if there is one only."""
    sides, new, count = list(pair), list(traces), 0
    for side in (0, 1):
        for again in rewritten_everywhere(pair[side], step, redex):
            sides[side], new[side] = again.result, (again, new[side])
            count += 1
    return ((sides[0], sides[1]), (new[0], new[1])) if count > 1 else None


def _joined(start: Derivation, traces: Traces) -> Derivation:
    """The chain from the rewritten start to the rewritten end."""
    left, right = (_steps(trace) for trace in traces)
    head = Derivation(start.start, left).backwards()
    return head.then(start).then(Derivation(start.end, right))


def _steps(trace: Trace) -> tuple[Step, ...]:
    steps = []
    while trace is not None:
        step, trace = trace
        steps.append(step)
    return tuple(reversed(steps))


def search(target: Pair, parents: Iterable[Equation], clock: Clock) -> Derivation | None:
    """The target from its parents by our own searches."""
    equations = tuple(dict.fromkeys(parents))
    symbols: dict[str, int] = {}
    for side in (*target, *(s for e in equations for s in (e.lhs, e.rhs))):
        symbols |= {t.head: len(t.args) for t in side.distinct() if not t.is_variable}
    signature = Signature(symbols)
    actions = (*moves_of(signature), *rewrites_of(equations, Goal.EQUATION))
    theory = Theory("parents", "parents", signature, equations, actions, Goal.EQUATION)
    problem = Problem("step", *target)
    for kind, share in ((Saturation, 0.6), (TermSearch, 1.0)):
        if clock.over():
            break
        seconds = clock.left() * share
        budget = Budget(expansions=None, seconds=seconds, terms=2_000_000, stop=clock.stop)
        found = kind(theory).prove(problem, budget)
        if found.derivation is not None:
            return found.derivation
    return None
