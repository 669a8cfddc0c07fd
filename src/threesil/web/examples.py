"""Examples to begin with on the page."""

from __future__ import annotations

from typing import Final

_LATTICES: Final = """% Lattices: absorption gives idempotence (TPTP)
cnf(a1, axiom, meet(X,join(X,Y)) = X).
cnf(a2, axiom, join(X,meet(X,Y)) = X).
cnf(goal, negated_conjecture, meet(a,a) != a).
"""
_LADR: Final = """% Squares that vanish make a group commutative (LADR)
formulas(assumptions).
e * x = x.
x' * x = e.
(x * y) * z = x * (y * z).
x * x = e.
end_of_list.
formulas(goals).
x * y = y * x.
end_of_list.
"""
_MILK: Final = """Theory tea: A silly theory of tea and milk.
Constants tea, milk.
Axiom stir: stir(stir(x)) = stir(x).
Axiom pour: pour(x,y) = stir(mix(x,y)).
Axiom mixed: stir(mix(x,y)) = stir(mix(y,x)).
Theorem order: stir(pour(tea,milk)) = pour(milk,tea).
"""

EXAMPLES: Final = (
    {"name": "Groups: inverse of a product", "theory": "groups", "text": "i(x * y) = i(y) * i(x)"},
    {"name": "AIM loops: T of a quotient", "theory": "aim", "text": "T(x / (y \\ x),y) = y"},
    {"name": "Lattices: idempotence, in TPTP", "theory": None, "text": _LATTICES},
    {"name": "Groups of exponent two commute, in LADR", "theory": None, "text": _LADR},
    {"name": "Robinson arithmetic: a value", "theory": "robinson", "text": "2 * S(1 + 0)"},
    {"name": "Tea and milk", "theory": None, "text": _MILK},
    {"name": "Not true: groups need not commute", "theory": "groups", "text": "x * y = y * x"},
)
