"""Theories compiled for the native core."""

from __future__ import annotations

from functools import lru_cache

from threesil import _native
from threesil.engine.codec import Codec
from threesil.errors import InputError
from threesil.kernel.theory import LEFT_TO_RIGHT, Goal, Move, Theory

_MOST_ARGUMENTS = 255


def check_arities(theory: Theory) -> None:
    """`InputError` if a symbol has more arguments than the core takes."""
    for symbol, arity in theory.signature.symbols.items():
        if arity > _MOST_ARGUMENTS:
            raise InputError(
                f"{theory.name}: the symbol {symbol} has {arity} arguments; "
                f"the engine takes at most {_MOST_ARGUMENTS}"
            )


@lru_cache(maxsize=64)
def compile_theory(theory: Theory) -> tuple[Codec, _native.Rules]:
    """The codec and the compiled rules of a theory."""
    check_arities(theory)
    codec = Codec(theory)
    index = {equation.name: k for k, equation in enumerate(theory.equations)}
    actions: list[tuple[bool, int, list[tuple[list[int], list[int], int, int, bool]]]] = []
    for action in theory.actions:
        if isinstance(action, Move):
            actions.append((True, action.argument, []))
            continue
        rules = []
        for name, direction in action.alternatives:
            equation = theory.by_name[name]
            variables = {v: -j - 1 for j, v in enumerate(equation.variables)}
            source, result = (codec.encode(t, variables) for t in equation.sides(direction))
            rules.append((source, result, len(variables), index[name], direction is LEFT_TO_RIGHT))
        actions.append((False, 0, rules))
    constructors = [int(symbol in theory.constructors) for symbol in codec.symbols]
    goal = [Goal.EQUATION, Goal.NORMAL_FORM, Goal.TARGET].index(theory.goal)
    try:
        rules_ = _native.Rules(
            codec.arity,
            constructors,
            actions,
            goal,
            codec.equality,
            theory.enter_leaves,
            theory.no_repeats,
        )
    except ValueError as error:  # more rules or actions than it takes
        raise InputError(f"{theory.name}: {error}") from None
    return codec, rules_
