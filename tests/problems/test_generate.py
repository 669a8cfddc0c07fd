"""Random problems come out the same for a seed, unsolved, and random walks are proofs."""

from pathlib import Path
from random import Random

import pytest

from samples import written
from threesil.engine import End, Episode
from threesil.errors import InputError
from threesil.kernel.proof import certify
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.problems.generate import random_term, random_walk, sample_problem
from threesil.theories import all_theories

THEORIES = pytest.mark.parametrize("theory", all_theories(), ids=lambda t: t.name)


@THEORIES
def test_samples_are_unsolved_and_repeatable(theory: Theory) -> None:
    first, second = Random(7), Random(7)
    for _ in range(50):
        problem = sample_problem(theory, first)
        assert problem == sample_problem(theory, second)
        assert Episode(theory, problem).end is End.RUNNING


@pytest.mark.parametrize(
    "theory",
    [t for t in all_theories() if t.goal is not Goal.NORMAL_FORM],  # a walk has a target
    ids=lambda t: t.name,
)
def test_walks_are_proofs(theory: Theory) -> None:
    random = Random(3)
    for _ in range(20):
        walk = random_walk(theory, random_term(theory, random), 5, random)
        assert len(set(walk.terms)) == len(walk.terms)
        certify(theory, Problem("walk", walk.start, walk.end), walk)


def test_a_theory_whose_equation_hardly_fits_a_random_term(tmp_path: Path) -> None:
    """Tarski's axiom of commutative groups: its other side is a variable."""
    theory = written(tmp_path, "Axiom one: (x * y) * ((x * z) * y) = z.")
    random = Random(1)
    problems = {sample_problem(theory, random) for _ in range(20)}
    assert len(problems) > 5
    assert all(Episode(theory, problem).end is End.RUNNING for problem in problems)


@pytest.mark.parametrize("equation", ["f(x) = g(y)", f"{'f(' * 900}x{')' * 900} = x"])
def test_a_theory_in_which_no_walk_begins(equation: str, tmp_path: Path) -> None:
    theory = written(tmp_path, f"Axiom one: {equation}.")
    with pytest.raises(InputError, match="are very large, or introduce variables"):
        sample_problem(theory, Random(1))
