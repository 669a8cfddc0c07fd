"""Operators in Lean: those of its own classes, and how all of them bind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from threesil.notations.operators import Operator, Table
from threesil.notations.writing.calc import Spelled

Signs = Mapping[str, tuple[str, int, str]]
"""Operators that a file declares: how they stand, how they bind, what they mean."""


class _Builtin(NamedTuple):
    """A class of Lean's own for an operation: its field, the symbol here and how it is written."""

    field: str
    symbol: str
    arity: int
    spelled: Spelled


def _builtin(field: str, sign: str, place: str, symbol: str = "") -> _Builtin:
    arity = {"infix": 2, "": 0}.get(place, 1)
    return _Builtin(field, symbol or sign, arity, Spelled(sign, place, True))


BUILTIN: Final = {
    "Mul": _builtin("mul", "*", "infix"),
    "Add": _builtin("add", "+", "infix"),
    "Sub": _builtin("sub", "-", "infix", "sub"),
    "Div": _builtin("div", "/", "infix"),
    "Max": _builtin("max", "⊔", "infix"),
    "Min": _builtin("min", "⊓", "infix"),
    "SDiff": _builtin("sdiff", "\\", "infix"),
    "HImp": _builtin("himp", "⇨", "infix"),
    "Neg": _builtin("neg", "-", "prefix"),
    "Inv": _builtin("inv", "⁻¹", "postfix"),
    "Compl": _builtin("compl", "ᶜ", "postfix", "compl"),
    "HasCompl": _builtin("compl", "ᶜ", "postfix", "compl"),
    "One": _builtin("one", "1", ""),
    "Zero": _builtin("zero", "0", ""),
    "Top": _builtin("top", "⊤", "", "top"),
    "Bot": _builtin("bot", "⊥", "", "bot"),
}
SIGNS: Final = {(b.spelled.text, b.arity): b.symbol for b in BUILTIN.values()}
BINDING: Final = {"*": 70, "/": 70, "\\": 70, "⊓": 69, "⊔": 68, "+": 65, "-": 65, "⇨": 60}
_POSTFIX: Final = Operator(0, 0, 0)


def table(signs: Signs) -> Table:
    """How operators bind, with those that a file declares."""
    infix = {"=": Operator(950, 949, 949), "": Operator(1, 1, 0)}
    for sign, precedence in BINDING.items():
        infix[sign] = Operator(1000 - precedence, 1000 - precedence, 999 - precedence)
    prefix, postfix = {"-": Operator(925, 0, 925)}, {"⁻¹": _POSTFIX, "ᶜ": _POSTFIX}
    for sign, (fix, precedence, _) in signs.items():
        p = max(0, 1000 - precedence)
        if fix in ("infixl", "infixr", "infix"):
            infix[sign] = Operator(p, p - (fix != "infixl"), p - (fix != "infixr"))
        elif fix == "prefix":
            prefix[sign] = Operator(p, 0, p)
        elif fix == "postfix":
            postfix[sign] = Operator(p, p, 0)
    return Table(infix, prefix, postfix, calls=False, named=("an operator",))
