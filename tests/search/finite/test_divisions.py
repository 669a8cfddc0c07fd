"""Divisions: tables that are read off another one's, in the search by a solver."""

from __future__ import annotations

import pytest

from threesil.engine import Budget, Status
from threesil.notations.reading import parse
from threesil.problems.files import parse_problem
from threesil.search.finite.divisions import Division, divisions
from threesil.search.finite.finder import find
from threesil.search.finite.sat import Answer, SizeSearch
from threesil.search.finite.task import ModelTask

LOOPS = """
Theory loops: Loops.
Constants e.
Axiom left: e * x = x.
Axiom right: x * e = x.
Axiom left_division: x * (x \\ y) = y.
Axiom left_division_2: x \\ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
"""
MOUFANG = (
    "x * (y * (x * z)) = ((x * y) * x) * z",
    "(x * y) * (z * x) = x * ((y * z) * x)",
    "((x * y) * z) * y = x * (y * (z * y))",
)


def loops(*more: str) -> str:
    return LOOPS + "".join(f"Axiom more{k}: {text}.\n" for k, text in enumerate(more))


def test_both_divisions_are_found_and_nothing_else_is_left_out() -> None:
    theory = parse(loops(MOUFANG[0], "x * (y \\ x) = y")).theory
    equations = [(e.lhs, e.rhs) for e in theory.equations]
    found, left = divisions(theory.signature.symbols, equations)
    assert found == {"\\": Division("*", 1), "/": Division("*", 0)}
    assert left == [equations[0], equations[1], *equations[6:]]


@pytest.mark.parametrize(
    "text", ["x * (x * y) = y", "x * (y \\ x) = y", "x * (y \\ y) = y", "x * (x \\ x) = x"]
)
def test_what_is_no_division(text: str) -> None:
    theory = parse(f"{LOOPS.split('Axiom')[0]}Axiom a: {text}.\n").theory
    sides = [(e.lhs, e.rhs) for e in theory.equations]
    assert divisions(theory.signature.symbols, sides) == ({}, sides)


@pytest.mark.parametrize("n", [4, 5, 6])
@pytest.mark.parametrize(
    "goal", ["x * y = y * x", "x \\ y = y / x", "(x * y) / z = x * (y / z)", "x / (y / z) = x"]
)
def test_the_models_are_models(n: int, goal: str) -> None:
    """The kernel checks each; with four elements all loops are commutative."""
    theory = parse(loops()).theory
    task = ModelTask(theory, (parse_problem(goal, theory),))
    search = SizeSearch(task, n)
    answer = search.run([0], 10**9, lambda: False)
    if answer is Answer.MODEL:
        assert task.refuted(task.complete(n, search.model), [0])
    else:
        assert answer is Answer.NONE and n == 4


@pytest.mark.parametrize("law", MOUFANG)
def test_twelve_elements_fit(law: str) -> None:
    """Of the smallest Moufang loop that is no group."""
    theory = parse(loops(law)).theory
    problem = parse_problem("x * (y * z) = (x * y) * z", theory)
    search = SizeSearch(ModelTask(theory, (problem,)), 12)
    assert search.run([0], 1, lambda: False) is Answer.OPEN
    while search._steps is not None:
        assert search.run([0], 100_000, lambda: False) is not Answer.TOO_LARGE


def test_one_half_of_a_division_is_enough() -> None:
    """In a finite structure; in an infinite one the other half does not follow."""
    theory = parse("Theory half: Half.\nAxiom a: x * (x \\ y) = y.\n").theory
    problem = parse_problem("x \\ (x * y) = y", theory)
    sought = find(theory, [problem], Budget(None, 60.0), largest=5)
    assert sought.status is Status.EXHAUSTED and sought.excluded
