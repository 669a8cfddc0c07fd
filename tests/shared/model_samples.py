"""Counter-models of several sizes and signatures, for the notations that they are written in."""

from __future__ import annotations

from threesil.engine import Budget
from threesil.kernel.countermodel import Countermodel, check
from threesil.kernel.tables import Tables
from threesil.kernel.theory import Theory
from threesil.notations.reading import parse
from threesil.problems.files import parse_problem
from threesil.search.finite.finder import find
from threesil.theories import get_theory

GROUPS = """Constants e.
Axiom assoc: (x * y) * z = x * (y * z).
Axiom unit: e * x = x.
Axiom inverse: i(x) * x = e.
"""
SILLY = """Axiom not: refuted(U, fun(true, Set, x)) = fun(all(U), Set, x).
Axiom two: all(all(h)) = h.
"""


def theory(content: str) -> Theory:
    return parse(content, "t", "theory").theory


def model(
    content: str | Theory, goal: str | None, smallest: int = 2, largest: int = 6
) -> Countermodel:
    within = theory(content) if isinstance(content, str) else content
    problem = None if goal is None else parse_problem(goal, within)
    (found,) = find(
        within, [problem], Budget(None, 20.0), smallest=smallest, largest=largest
    ).models
    assert found is not None
    return found


def two(goal: str | None = "x * x = x") -> Countermodel:
    """The group of two elements, whatever a search would find."""
    within = theory(GROUPS)
    tables = Tables(2, {"e": (0,), "*": (0, 1, 1, 0), "i": (0, 1)})
    problem = None if goal is None else parse_problem(goal, within)
    return check(within, problem, tables, {"x": 1} if goal else {})


def some() -> list[Countermodel]:
    return [
        two(),
        two(None),
        model(GROUPS, "exists y: y * y = x"),
        model(GROUPS, "exists y, z: y * (z * (y * z)) = x"),
        model(SILLY, "refuted(x, y) = x", largest=3),
        model("Axiom law: f(x, y, z) = f(y, z, x).\n", "f(x, y, z) = f(x, x, z)", largest=2),
        model(GROUPS, "(x * x) * (y * y) = (x * y) * (x * y)"),
    ]


def large() -> list[Countermodel]:
    """Up to nine elements, four arguments, five variables; existential and ground goals."""
    ternary = "Axiom turned: f(x, y, z) = f(y, z, x).\nAxiom median: f(x, x, y) = x.\n"
    four = "Constants a, b.\nAxiom four: g(x, y, x, y) = x.\n"
    ground = parse(
        "cnf(a, axiom, f(X, f(X, Y)) = Y).\ncnf(g, negated_conjecture, f(a, b) != a).", "g"
    )
    (found,) = find(ground.theory, ground.problems, Budget(None, 20.0)).models
    assert found is not None
    return [
        found,
        model(get_theory("aim"), "(x * y) * z = x * (y * z)"),
        model(GROUPS, "exists y: y * (y * y) = x", largest=9),
        model(GROUPS, "x * y = e", smallest=7, largest=7),
        model(GROUPS, "x * x = e", smallest=9, largest=9),
        model(ternary, "f(x, y, z) = x", smallest=3),
        model(four, "exists x: g(x, a, b, x) = b", largest=3),
    ]
