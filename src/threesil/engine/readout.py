"""From the rewrites of a solved episode to a closed derivation.

The core narrows: a rewrite may instantiate variables that earlier ones introduced, and numbers of
variables are used again. Here every rule gets variables of its own names, the unifiers of all
steps together with the last one (of both sides) give each of them its value, and what is still
free gets a constant. The result goes through `certify` like any other derivation.
"""

from __future__ import annotations

from collections.abc import Sequence

from threesil.engine.codec import EQUALITY, Codec
from threesil.proof import Derivation, Step, close
from threesil.terms import Position, Term, app, var
from threesil.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Goal, Problem

Bindings = Sequence[tuple[int, Sequence[int]]]
Record = tuple[Sequence[int], int, bool, int, int, Bindings]


def derivation_of(
    codec: Codec, problem: Problem, records: Sequence[Record], solution: Bindings
) -> Derivation:
    """The derivation of `records` (path, equation, left to right, bound, variables, bindings)."""
    constants = codec.constants(problem)
    two_sided = codec.theory.goal is Goal.EQUATION
    term = problem.start
    if two_sided:
        assert problem.target is not None
        term = app(EQUALITY, problem.start, problem.target)
    names: dict[int, str] = {}  # of the introduced variables in the current state
    values: dict[str, Term] = {}  # in the order in which variables were bound
    sides: tuple[list[Step], list[Step]] = ([], [])
    fresh = 0

    def bind(bindings: Bindings) -> dict[str, Term]:
        decoded = [(v, codec.decode(codes, constants, names)) for v, codes in bindings]
        new = {names.pop(variable): value for variable, value in decoded}
        values.update(new)
        return new

    for path, number, left_to_right, bound, count, bindings in records:
        equation = codec.theory.equations[number]
        for j in range(count):
            names[bound + j] = f"?{fresh + j}"
        own = {v: var(names[bound + j]) for j, v in enumerate(equation.variables)}
        fresh += count
        position: Position = tuple(path)
        direction = LEFT_TO_RIGHT if left_to_right else RIGHT_TO_LEFT
        _, result = equation.sides(direction)
        term = term.replace(position, result.substitute(own))
        side = 0
        if two_sided:
            side, position = position[0], position[1:]
        whole = term.args[side] if two_sided else term
        sides[side].append(Step(position, equation.name, direction, own, whole))
        term = term.substitute(bind(bindings))
    bind(solution)

    closed = _resolved(values, fresh, _any_value(codec, constants))
    chain = close(Derivation(problem.start, tuple(sides[0])), closed)
    if two_sided:
        assert problem.target is not None
        chain = chain.then(close(Derivation(problem.target, tuple(sides[1])), closed).backwards())
    return chain


def _any_value(codec: Codec, constants: Sequence[str]) -> Term:
    """A value for a variable that nothing determines."""
    for symbol, arity in codec.theory.signature.symbols.items():
        if arity == 0:
            return app(symbol)
    return var(constants[0])


def _resolved(values: dict[str, Term], count: int, default: Term) -> dict[str, Term]:
    """Full values of all `count` variables; a value uses only variables that were bound later."""
    closed = {name: default for i in range(count) if (name := f"?{i}") not in values}
    for name in reversed(values):
        closed[name] = values[name].substitute(closed)
    return closed
