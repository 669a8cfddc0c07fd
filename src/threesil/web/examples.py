"""Examples to begin with on the page."""

from __future__ import annotations

from typing import Final

_MILK: Final = """Theory tea: A silly theory of tea and milk.
Constants tea, milk.
Axiom stir: stir(stir(x)) = stir(x).
Axiom pour: pour(x,y) = stir(mix(x,y)).
Axiom mixed: stir(mix(x,y)) = stir(mix(y,x)).
Theorem order: stir(pour(tea,milk)) = pour(milk,tea).
"""

EXAMPLES: Final = (
    {
        "kind": "Prove",
        "name": "In a group: the inverse of a product",
        "theory": "groups",
        "text": "i(x * y) = i(y) * i(x)",
    },
    {
        "kind": "Refute",
        "name": "Groups need not commute: here is one",
        "theory": "groups",
        "text": "x * y = y * x",
    },
    {
        "kind": "Find a value",
        "name": "An equation in a group, solved for z",
        "theory": "groups",
        "text": "exists z: x * z = y",
    },
    {
        "kind": "Compute",
        "name": "A value in Robinson arithmetic",
        "theory": "robinson",
        "text": "2 * S(1 + 0)",
    },
    {
        "kind": "AIM loops",
        "name": "T of a quotient, where inner mappings commute",
        "theory": "aim",
        "text": "T(x / (y \\ x),y) = y",
    },
    {
        "kind": "A file",
        "name": "A theory of one's own; TPTP and LADR work as well",
        "theory": None,
        "text": _MILK,
    },
)
