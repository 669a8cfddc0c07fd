"""From a table of rules to a `Theory`.

A row is `(name, equation, action left to right, action right to left)`; the action numbers are
those that people read, `None` where the agent may not use that direction. Rows that share a
number are alternatives of one action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    Action,
    Direction,
    Equation,
    Move,
    Rewrite,
    Signature,
    Theory,
)
from threesil.notations.infix import parse_equation
from threesil.notations.tokens import Place

Row = tuple[str, str, int | None, int | None]


def theory_from_table(
    name: str,
    signature: Signature,
    rows: Sequence[Row],
    moves: Mapping[int, int],
    *,
    kinds: Mapping[str, str] | None = None,
    **options: Any,
) -> Theory:
    """The theory of a rule table; `moves` maps an action number to the argument it moves to."""
    equations = []
    rewrites: dict[int, list[tuple[str, Direction]]] = {}
    for rule, text, forward, backward in rows:
        lhs, rhs = parse_equation(text, signature, place=Place(source=f"{name}.{rule}"))
        equations.append(Equation(rule, lhs, rhs, (kinds or {}).get(rule, "axiom")))
        for number, direction in ((forward, LEFT_TO_RIGHT), (backward, RIGHT_TO_LEFT)):
            if number is not None:
                rewrites.setdefault(number, []).append((rule, direction))
    if clash := moves.keys() & rewrites.keys():
        raise ValueError(f"theory {name}: the action {min(clash)} is both a move and a rewrite")
    numbered: dict[int, Action] = {n: Move(argument) for n, argument in moves.items()}
    numbered |= {n: Rewrite(tuple(alternatives)) for n, alternatives in rewrites.items()}
    first = min(numbered)
    if sorted(numbered) != list(range(first, first + len(numbered))):
        raise ValueError(f"theory {name}: the action numbers have gaps")
    actions = tuple(numbered[n] for n in sorted(numbered))
    return Theory(
        name,
        signature=signature,
        equations=tuple(equations),
        actions=actions,
        first_action=first,
        **options,
    )
