"""Random problems come out the same for a seed, unsolved, and random walks are proofs."""

from random import Random

import pytest

from threesil.engine import End, Episode
from threesil.problems import random_walk, sample_problem
from threesil.problems.generate import random_term
from threesil.proof import certify
from threesil.theories import all_theories
from threesil.theory import Goal, Problem, Theory

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
