"""Problems that are compiled once and shared."""

from __future__ import annotations

import numpy as np
import pytest

from samples import AIM, ROBINSON, THEORIES, problems
from threesil.engine import Batch, ProblemList, States
from threesil.engine import problems as module
from threesil.kernel.proof import certify
from threesil.kernel.theory import Problem, Theory

each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)


@each_theory
def test_a_list_is_the_sequence_of_its_problems(theory: Theory) -> None:
    chosen = problems(theory)
    compiled = ProblemList(theory, chosen)
    assert list(compiled) == chosen
    assert (compiled[0], compiled[-1], compiled[1:3]) == (chosen[0], chosen[-1], tuple(chosen[1:3]))
    assert len(compiled) == len(compiled.native) == len(chosen)
    assert ProblemList.of(theory, compiled) is compiled
    assert list(ProblemList.of(theory, chosen)) == chosen


@each_theory
def test_a_shared_list_plays_like_the_problems_themselves(theory: Theory) -> None:
    chosen = problems(theory)
    shared = ProblemList(theory, chosen)
    numbers = [k % len(chosen) for k in range(60)]
    alone = Batch(theory, chosen, 8).play_random(numbers, seed=4)
    batch = Batch(theory, shared, 8)
    played = batch.play_random(numbers, seed=4)
    np.testing.assert_array_equal(played.actions, alone.actions)
    one, two = States(theory, shared), States(theory, chosen)
    for k in np.flatnonzero(played.solved):
        actions = np.array(played.actions_of(k), dtype=np.uint16)
        certify(theory, shared[numbers[k]], batch.derivation_of(numbers[k], actions.tolist()))
        assert one.add(numbers[k], actions) == two.add(numbers[k], actions)
    assert len(one) == len(two) > 0


def test_problems_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = ProblemList(AIM, problems(AIM))
    codec, _ = module.compile_theory(AIM)

    def fail(problem: Problem) -> None:
        raise AssertionError(f"{problem.name} was compiled again")

    monkeypatch.setattr(codec, "problem", fail)
    batch = Batch(AIM, shared, 2, threads=2)
    States(AIM, shared)
    batch.load(shared)
    assert batch.problems is shared


def test_replacing_a_problem_leaves_the_list_alone() -> None:
    chosen = problems(ROBINSON)
    shared = ProblemList(ROBINSON, chosen)
    one, two = Batch(ROBINSON, shared), Batch(ROBINSON, shared)
    one.reset(0, 0)
    before = one.term(0)
    one.replace(0, chosen[5])
    assert one.term(0) == before  # a running episode is not touched
    for batch, expected in ((one, chosen[5]), (two, chosen[0])):
        batch.reset(0, 0)
        assert batch.term(0) == expected.start
        assert batch.problem(0) == expected
    assert shared[0] == chosen[0]
    one.replace(0, chosen[6])
    one.reset(0, 0)
    assert one.term(0) == chosen[6].start
    with pytest.raises(IndexError):
        one.replace(len(chosen), chosen[0])


def test_a_list_of_another_theory_is_compiled_again() -> None:
    part = AIM.before(AIM.lemmas[3].name)
    assert ProblemList.of(part, ProblemList(AIM, problems(AIM))).theory == part
