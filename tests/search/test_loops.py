"""Facts about loops from the literature: examples/loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from threesil import SZS, Prover
from threesil.problems.sets import open_set

LOOPS = Path(__file__).parents[2] / "examples" / "loops"
LARGE = "commutative_moufang"  # the smallest model has 81 elements


def test_there_are_21_true_and_8_false_ones() -> None:
    names = [p.name for p in open_set(str(LOOPS)).problems]
    false = [name for name in names if "not_" in name or name.startswith(LARGE)]
    assert (len(names) - len(false), len(false)) == (21, 8)


@pytest.mark.parametrize("name", sorted({p.stem for p in LOOPS.glob("*.thy")} - {LARGE}))
def test_each_is_decided(name: str) -> None:
    path = LOOPS / f"{name}.thy"
    facts = open_set(str(path))
    prover = Prover(facts.theory)
    for problem in facts.problems:
        outcome = prover.prove(problem, seconds=60)
        expected = SZS.COUNTER_SATISFIABLE if "not_" in problem.name else SZS.THEOREM
        assert outcome.status is expected, problem.name
        assert outcome.proof is not None or outcome.model is not None
