"""Robinson arithmetic: compute the value of an expression (paper, section 2.1, appendix 1).

The rule and action numbers are those of the appendix. The cursor never enters a leaf.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from threesil.kernel.terms import Term, app
from threesil.kernel.theory import Goal, Problem, Signature
from threesil.theories.benchmark import Benchmark, Row
from threesil.theories.table import theory_from_table


def _sample(random: Random) -> Problem:
    """A random sum, product or successor of small numbers, not yet a number."""

    def number() -> Term:
        term = app("0")
        for _ in range(random.randrange(4)):
            term = app("S", term)
        return term

    term = number()
    for _ in range(random.randint(1, 3)):
        pair = [term, number()]
        random.shuffle(pair)
        term = app(random.choice("+*"), *pair)
        if random.random() < 0.2:
            term = app("S", term)
    return Problem("sample", term)


def _lopl(problem: Problem) -> float:
    return _steps(problem.columns[1:2])


def _steps(column: Sequence[str]) -> float:
    """Steps of the left-outermost strategy, the third column of a file; `?` is beyond 500."""
    return float(column[0]) if column and column[0].isdigit() else float("inf")


def _curriculum(rows: Sequence[Row]) -> Sequence[Row]:
    """The paper's training problems: at most 89 steps, and at least one."""
    return [row for row in rows if 0 < _steps(row.columns[2:3]) <= 89]


def _all(rows: Sequence[Row]) -> Sequence[Row]:
    return rows


def _stratum(problem: Problem) -> str:
    lopl = _lopl(problem)
    if math.isinf(lopl):  # the published loader reads `?` as -1: the paper's high has none of them
        return "beyond"
    return "low" if lopl < 90 else "medium" if lopl <= 130 else "high"


ROBINSON = theory_from_table(
    "robinson",
    Signature({"0": 0, "S": 1, "+": 2, "*": 2}, infix={"+": 1, "*": 2}, numerals=("0", "S")),
    [
        ("add-zero", "x + 0 = x", 1, 2),
        ("add-succ", "x + S(y) = S(x + y)", 3, 4),
        ("mul-zero", "x * 0 = 0", 5, None),
        ("mul-succ", "x * S(y) = (x * y) + x", 6, 7),
    ],
    moves={8: 0, 9: 1},
    title="Robinson arithmetic: compute the value of an expression",
    goal=Goal.NORMAL_FORM,
    constructors=frozenset({"0", "S"}),
    enter_leaves=False,
    step_limit=100,
)

BENCHMARK = Benchmark(
    env_id="Robinson-v0",
    sets={
        s: (f"robinson/{f}.tsv.gz",)
        for s, f in (("train", "train"), ("dev", "valid"), ("test", "test"))
    },
    splits={"train": _curriculum, "dev": _all, "test": _all},
    difficulty=_lopl,
    stratum=_stratum,
    steps={"low": 100, "medium": 200, "high": 250, "beyond": 250},
    sample=_sample,
)
