"""Whole episodes as attempts at problems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from nets.walks import network
from samples import AIM, POLYNOMIAL, ROBINSON, THEORIES, easy_problems, term
from threesil.engine import Batch, Limits, Network
from threesil.proof import NotAProof
from threesil.search import attempts as module
from threesil.search.attempts import Attempt, Plan, attempt, step_limit, stratum
from threesil.theories.polynomial import expand
from threesil.theory import Problem, Theory

each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)


def outcomes(
    theory: Theory, problems: Sequence[Problem], net: Network, **options: Any
) -> list[Attempt]:
    return list(attempt(theory, problems, net, Plan(**options)))


def facts(results: list[Attempt]) -> list[tuple[object, ...]]:
    """All but the time."""
    return [(r.name, r.stratum, r.solved, r.steps, r.attempts) for r in results]


@each_theory
def test_a_greedy_attempt_is_the_greedy_episode(theory: Theory) -> None:
    chosen, net = easy_problems(theory), network(theory)
    results = outcomes(theory, chosen, net, greedy=True, steps=20)
    assert [r.name for r in results] == [p.name for p in chosen]
    batch = Batch(theory, chosen, len(chosen), limits=Limits(steps=20))
    played = batch.play(net, range(len(chosen)), seed=0, greedy=True)
    assert [r.solved for r in results] == played.solved.tolist()
    for result, steps in zip(results, played.steps.tolist(), strict=True):
        assert result.steps == (steps if result.solved else None)
        assert result.attempts == 1
        assert result.seconds > 0


@each_theory
def test_sampled_attempts_end_with_success(theory: Theory) -> None:
    chosen, net = easy_problems(theory), network(theory)
    results = outcomes(theory, chosen, net, greedy=False, samples=12, steps=12, noise=0.3)
    assert any(r.solved for r in results)
    assert any(1 < r.attempts < 12 for r in results)
    for result in results:
        if result.solved:
            assert 1 <= result.attempts <= 12
            assert result.steps is not None
            assert 1 <= result.steps <= 12
        else:
            assert (result.steps, result.attempts) == (None, 12)


@each_theory
def test_more_attempts_change_nothing_about_the_first(theory: Theory) -> None:
    chosen, net = easy_problems(theory), network(theory)
    few, many = (
        outcomes(theory, chosen, net, greedy=False, samples=n, steps=12, seed=4) for n in (3, 9)
    )
    for a, b in zip(facts(few), facts(many), strict=True):
        if a[2]:
            assert a == b
    assert sum(r.solved for r in many) >= sum(r.solved for r in few)


@each_theory
def test_attempts_depend_on_the_seed_alone(theory: Theory) -> None:
    chosen, net = easy_problems(theory), network(theory)

    def found(**options: Any) -> list[tuple[object, ...]]:
        results = outcomes(theory, chosen, net, greedy=False, samples=5, steps=15, **options)
        return facts(results)

    assert found(seed=1) == found(seed=1, threads=2)
    assert found(seed=1) != found(seed=2)


@each_theory
def test_a_search_solves_more(theory: Theory) -> None:
    """Only what the greedy attempt leaves over is searched."""
    chosen, net = easy_problems(theory), network(theory)
    greedy = outcomes(theory, chosen, net, steps=15)
    searched = outcomes(theory, chosen, net, steps=15, expansions=3000)
    for before, after in zip(greedy, searched, strict=True):
        if before.solved:
            assert facts([after]) == facts([before])
        else:
            assert after.attempts == 2
            assert (after.steps or 0) <= 15
    assert sum(r.solved for r in searched) > sum(r.solved for r in greedy)
    again = outcomes(theory, chosen, net, steps=15, expansions=3000, threads=2)
    assert facts(again) == facts(searched)


def test_a_larger_search_solves_no_less() -> None:
    chosen, net = easy_problems(ROBINSON), network(ROBINSON)
    solved = [
        {r.name for r in outcomes(ROBINSON, chosen, net, greedy=False, expansions=n) if r.solved}
        for n in (1, 10, 100, 1000)
    ]
    assert all(few <= many for few, many in pairwise(solved))
    assert len(solved[0]) < len(solved[-1])


def test_searches_keep_to_the_step_limit() -> None:
    chosen, net = easy_problems(ROBINSON), network(ROBINSON)
    one = outcomes(ROBINSON, chosen, net, greedy=False, expansions=1000, steps=1)
    assert {r.name for r in one if r.solved} == {"0 + 0", "1 + 0", "(0 + 0) * 0"}
    assert all(r.steps == 1 for r in one if r.solved)


WAYS = {
    "greedy": {"greedy": True},
    "sampled": {"greedy": False, "samples": 20},
    "searched": {"greedy": False, "expansions": 500},
}


@pytest.mark.parametrize("way", WAYS)
def test_solved_means_certified(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every solution passes the kernel, and one that does not pass is not reported."""
    chosen, net = easy_problems(ROBINSON), network(ROBINSON)
    passed = []
    certify = module.certify

    def recorded(*arguments: Any) -> Any:
        proof = certify(*arguments)
        passed.append(proof.problem.name)
        return proof

    monkeypatch.setattr(module, "certify", recorded)
    results = outcomes(ROBINSON, chosen, net, **WAYS[way])
    assert sorted(passed) == sorted(r.name for r in results if r.solved)
    assert passed

    def refuse(*_arguments: Any) -> Any:
        raise NotAProof("no")

    monkeypatch.setattr(module, "certify", refuse)
    with pytest.raises(NotAProof):
        outcomes(ROBINSON, chosen, net, **WAYS[way])


def test_a_problem_solved_from_the_start_takes_no_steps() -> None:
    problems = [Problem("3", term("3", ROBINSON)), Problem("p", term("3 * 3", ROBINSON))]
    first, second = outcomes(ROBINSON, problems, network(ROBINSON), greedy=True, steps=1)
    assert (first.solved, first.steps) == (True, 0)
    assert (second.solved, second.steps) == (False, None)


# Strata and their step limits


def robinson(name: str, lopl: str) -> Problem:
    """A term that no episode can finish; columns are (value, steps of the usual strategy)."""
    return Problem(name, term("3 * 3", ROBINSON), None, ("9", lopl))


def test_strata_and_limits() -> None:
    rows = [("1", "low", 100), ("89", "low", 100), ("90", "medium", 200), ("130", "medium", 200)]
    rows += [("131", "high", 250), ("?", "high", 250)]
    for lopl, name, limit in rows:
        problem = robinson("p", lopl)
        assert (stratum(ROBINSON, problem), step_limit(ROBINSON, problem)) == (name, limit)
    x = term("x + 0", POLYNOMIAL)
    polynomial = Problem("poly3.tsv.gz:17", x, expand(x))
    assert (stratum(POLYNOMIAL, polynomial), step_limit(POLYNOMIAL, polynomial)) == ("poly3", 100)
    aim = easy_problems(AIM)[0]
    assert (stratum(AIM, aim), step_limit(AIM, aim)) == ("all", 30)


class Recorder:
    """Stands in for `Batch` and notes the limits."""

    def __init__(self) -> None:
        self.made: list[tuple[int, list[str]]] = []

    def __call__(self, theory: Theory, problems: list[Problem], *rest: Any, **options: Any) -> Any:
        self.made.append((options["limits"].steps, [p.name for p in problems]))
        return Batch(theory, problems, *rest, **options)


def test_each_stratum_is_played_with_its_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    monkeypatch.setattr(module, "Batch", recorder)
    lopls = ["50", "?", "100", "3", "120", "200"]
    chosen = [robinson(f"p{i}", lopl) for i, lopl in enumerate(lopls)]
    net = network(ROBINSON)
    results = outcomes(ROBINSON, chosen, net, greedy=True)
    assert [r.name for r in results] == [p.name for p in chosen]
    assert [r.stratum for r in results] == ["low", "high", "medium", "low", "medium", "high"]
    assert recorder.made == [(100, ["p0", "p3"]), (200, ["p2", "p4"]), (250, ["p1", "p5"])]
    recorder.made.clear()
    outcomes(ROBINSON, chosen, net, greedy=True, steps=7)
    assert recorder.made == [(7, [p.name for p in chosen])]


def test_many_problems_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, net = easy_problems(ROBINSON) * 5, network(ROBINSON)
    whole = outcomes(ROBINSON, chosen, net, greedy=True)
    monkeypatch.setattr(module, "_CHUNK", 10)
    pieces = outcomes(ROBINSON, chosen, net, greedy=True)
    assert facts(pieces) == facts(whole)
    sampled = outcomes(ROBINSON, chosen[:1] * 20, net, greedy=False, samples=1, noise=1.0)
    assert len({r.steps for r in sampled[:10]} | {r.steps for r in sampled[10:]}) > 3
    first, second = ([r.steps for r in sampled[a : a + 10]] for a in (0, 10))
    assert first != second  # pieces have random numbers of their own
    assert np.isfinite([r.seconds for r in sampled]).all()
