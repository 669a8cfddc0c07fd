"""Chains read out of solved episodes: every introduced variable gets its value."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import AIM, ROBINSON, equation, random_term, term, written
from threesil.engine import Batch, Limits
from threesil.errors import IllegalAction, InputError
from threesil.kernel.proof import certify
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    Action,
    Equation,
    Goal,
    Move,
    Problem,
    Rewrite,
    Signature,
    Theory,
)

SYMBOLS = {"a": 0, "b": 0, "g": 1, "f": 2}
RID_BACK = Rewrite((("rid", RIGHT_TO_LEFT),))
LEAVES = [var(name) for name in "xyz"]


def random_theory(random: Random) -> Theory:
    """A few equations between small terms; sides often lack variables of the other one."""
    signature = Signature(SYMBOLS)

    def side() -> Term:
        return random_term(signature, random, random.choice((2, 3)), LEAVES)

    equations = [Equation(f"e{k}", side(), side()) for k in range(4)]
    actions: list[Action] = [Move(0), Move(1)]
    for e in equations:
        actions += [Rewrite(((e.name, d),)) for d in (LEFT_TO_RIGHT, RIGHT_TO_LEFT)]
    return Theory("random", "", signature, tuple(equations), tuple(actions), Goal.EQUATION)


def solved(theory: Theory, random: Random) -> tuple[int, int]:
    """Certifies the solutions that random play finds: how many, how many of several rewrites."""
    terms = [random_term(theory.signature, random, 3, LEAVES[:2]) for _ in range(12)]
    problems = [Problem("p", terms[k], terms[k + 1]) for k in range(0, 12, 2)]
    batch = Batch(theory, problems, 8, limits=Limits(steps=14, size=200))
    episodes = [k % len(problems) for k in range(60)]
    played = batch.play_random(episodes, seed=random.randrange(1000))
    found = longer = 0
    for k in np.flatnonzero(played.solved).tolist():
        problem = problems[episodes[k]]
        derivation = batch.derivation_of(episodes[k], played.actions_of(k))
        certify(theory, problem, derivation)
        found += 1
        longer += len(derivation.steps) > 2
    return found, longer


@given(st.integers(0, 2**32))
def test_solutions_in_random_theories_certify(seed: int) -> None:
    random = Random(seed)
    solved(random_theory(random), random)


def test_random_theories_have_long_solutions() -> None:
    """What the property above is about does happen."""
    found = longer = 0
    for seed in range(10):
        random = Random(seed)
        counts = solved(random_theory(random), random)
        found, longer = found + counts[0], longer + counts[1]
    assert found > 100
    assert longer > 30


def numbers(theory: Theory, *wanted: int | str) -> list[int]:
    """Action numbers: of a move to an argument, or of an equation from left to right."""
    found = []
    for what in wanted:
        action: Action = Move(what) if isinstance(what, int) else Rewrite(((what, LEFT_TO_RIGHT),))
        found.append(theory.actions.index(action))
    return found


def test_a_value_found_late_reaches_all_steps(tmp_path: Path) -> None:
    """The variable comes in on the left, is copied there, and gets its value on the right."""
    theory = written(
        tmp_path, "Rule in: f(x) -> k(x,y).", "Rule copy: k(x,y) -> m(y,x,y).", "Rule k: g(x) -> x."
    )
    problem = equation("f(x) = m(g(y),x,y)", theory)
    batch = Batch(theory, [problem])
    actions = numbers(theory, 0, "in", 0, "copy", 1, 0, "k")
    derivation = batch.derivation_of(0, actions)
    certify(theory, problem, derivation)
    assert derivation.terms[1] == term("k(x,y)", theory)
    assert [step.equation for step in derivation.steps] == ["in", "copy", "k"]


def test_what_nothing_determines_is_filled(tmp_path: Path) -> None:
    """A constant of the theory if it has one, else a variable of the problem."""
    rules = ["Rule in: f(x) -> k(x,y).", "Rule out: k(x,y) -> g(x)."]
    for constants, value in ((["Constants e."], "e"), ([], "x")):
        theory = written(tmp_path, *constants, *rules)
        problem = equation("f(x) = g(x)", theory)
        derivation = Batch(theory, [problem]).derivation_of(0, numbers(theory, 0, "in", 0, "out"))
        certify(theory, problem, derivation)
        assert derivation.terms[1] == term(f"k(x,{value})", theory)


# Refused


def test_illegal_actions() -> None:
    batch = Batch(ROBINSON, [Problem("p", term("0 + 1", ROBINSON))])
    with pytest.raises(IllegalAction, match="illegal action 0"):
        batch.derivation_of(0, [0])


@pytest.mark.parametrize("bad", [-1, 9, 200, 65535, 65536])
def test_numbers_that_no_action_has(bad: int) -> None:
    batch = Batch(ROBINSON, [Problem("p", term("0 + 1", ROBINSON))])
    with pytest.raises(IllegalAction):
        batch.derivation_of(0, [bad])


def test_rewrites_behind_the_solution_undo_it() -> None:
    batch = Batch(AIM, [equation(r"x * (x \ y) = y")])
    actions = numbers(AIM, 0, "b2")
    certify(AIM, batch.problems[0], batch.derivation_of(0, actions))
    with pytest.raises(InputError, match="not solved"):
        batch.derivation_of(0, [*actions, 0, AIM.actions.index(RID_BACK)])


def test_what_is_not_solved_has_no_derivation() -> None:
    batch = Batch(AIM, [equation(r"x * (x \ y) = y")], limits=Limits(steps=3))
    with pytest.raises(InputError, match="not solved: running"):
        batch.derivation_of(0, [0])
    with pytest.raises(InputError, match="not solved: step limit reached"):
        batch.derivation_of(0, [0, 0, 8])
