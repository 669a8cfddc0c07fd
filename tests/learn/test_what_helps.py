"""What a training has learned is used where the development part says that it pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from threesil.engine import Budget
from threesil.kernel.theory import Problem
from threesil.learn import what_helps
from threesil.learn.growing import derived
from threesil.learn.held_out import spread
from threesil.learn.what_helps import choose_use
from threesil.search.learned import Learned
from threesil.search.solvers import make_solver
from threesil.theories import get_theory

GROUPS = get_theory("groups")
PROBLEMS = [Problem(str(n), e.lhs, e.rhs) for n, e in enumerate(GROUPS.equations * 20)][:40]
FAST, SLOW, LATE = 0.0005, 0.005, 0.05


def chosen(monkeypatch: pytest.MonkeyPatch, **times: list[float | None]) -> str:
    """What is used if the searches with `policy`, with `lemmas` and with `nothing` take so long."""

    def times_of(
        theory: object, problems: Sequence[Problem], use: Learned, **more: Any
    ) -> list[float | None]:
        which = "nothing" if not use.helps else "policy" if use.leads else "lemmas"
        return [times[which][int(problem.name)] for problem in problems]

    monkeypatch.setattr(what_helps, "times_of", times_of)
    problems = PROBLEMS[: len(times["nothing"])]
    alike = {name: [FAST] * len(problems) for name in ("saturate", "guided")}
    use = choose_use(Learned(GROUPS), alike, problems, lambda *_: None, None)
    if use.helps:
        assert [name for name, _ in use.opening] == ["saturate"]
    return "nothing" if not use.helps else "policy" if use.leads else "lemmas"


def test_what_hurts_in_one_of_the_times_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    easy: list[float | None] = [FAST] * 10
    first = [*easy[:8], SLOW, SLOW]
    assert chosen(monkeypatch, policy=first, lemmas=first, nothing=easy) == "nothing"
    mixed = [*easy[:8], LATE, None]
    never = [*easy[:7], SLOW, None, None]  # more in 100 ms is no comfort for less in 1 ms
    assert chosen(monkeypatch, policy=never, lemmas=mixed, nothing=mixed) == "nothing"
    assert chosen(monkeypatch, policy=never, lemmas=easy, nothing=mixed) == "lemmas"
    assert chosen(monkeypatch, policy=easy, lemmas=mixed, nothing=mixed) == "policy"


def test_among_equals_the_fastest_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    one: list[float | None] = [FAST] * 10
    two: list[float | None] = [FAST / 2] * 10
    assert chosen(monkeypatch, policy=one, lemmas=two, nothing=one) == "lemmas"
    assert chosen(monkeypatch, policy=two, lemmas=one, nothing=one) == "policy"
    assert chosen(monkeypatch, policy=one, lemmas=one, nothing=one) == "nothing"


def test_easy_and_hard_ones_are_looked_at() -> None:
    assert [p.name for p in spread(PROBLEMS, 4)] == ["0", "10", "20", "30"]
    assert spread(PROBLEMS[:3], 60) == PROBLEMS[:3] and spread([], 60) == []


def test_the_policy_opens_only_where_it_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"saturate": [LATE] * 10, "guided": [FAST] * 10}
    for leads in (True, False):
        monkeypatch.setattr(
            what_helps,
            "times_of",
            lambda theory, problems, use, leads=leads, **more: [
                FAST if use.helps and use.leads is leads else SLOW for _ in problems
            ],
        )
        use = choose_use(Learned(GROUPS), times, PROBLEMS[:10], lambda *_: None, None)
        assert use.helps and use.leads is leads
        assert [name for name, _ in use.opening] == (["guided"] if leads else [])


def test_best_does_without_what_does_not_help() -> None:
    lemmas = tuple(derived(GROUPS, considered=60))
    problems, limit = [lemma.problem for lemma in lemmas[-4:]], Budget(500, None)
    unguided = make_solver("unguided", GROUPS)
    expected = [unguided.solve(problem, limit).expansions for problem in problems]
    for helps in (True, False):
        best = make_solver("best", GROUPS, weights=Learned(GROUPS, lemmas, helps=helps))
        found = [best.solve(problem, limit).expansions for problem in problems]
        assert (found == expected) is not helps
