"""Whole episodes as attempts at problems: greedy, sampled, tree search, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from nets.walks import network
from samples import AIM, POLYNOMIAL, ROBINSON, THEORIES, easy_problems, term
from threesil.engine import Batch, Budget, Limits, Network
from threesil.kernel.outcome import Outcome
from threesil.kernel.proof import NotAProof
from threesil.kernel.theory import Problem, Theory
from threesil.search import ladder as module
from threesil.search.ladder import step_limit
from threesil.search.solvers import SOLVERS
from threesil.theories import benchmark_of
from threesil.theories.polynomial import expand

FOREVER = float("inf")
each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)


def outcomes(
    name: str,
    theory: Theory,
    problems: Sequence[Problem],
    net: Network,
    expansions: int | None = None,
    **options: Any,
) -> list[Outcome]:
    solver = SOLVERS[name](theory, net, **options)
    return list(solver.solve_all(problems, Budget(expansions, FOREVER)))


def facts(results: list[Outcome]) -> list[tuple[object, ...]]:
    """All but the time."""
    return [(r.problem.name, r.status, r.steps, r.attempts, r.expansions) for r in results]


@each_theory
def test_a_greedy_attempt_is_the_greedy_episode(theory: Theory) -> None:
    chosen, net = easy_problems(theory), network(theory)
    results = outcomes("greedy", theory, chosen, net, steps=20)
    assert [r.problem for r in results] == chosen
    batch = Batch(theory, chosen, len(chosen), limits=Limits(steps=20))
    played = batch.play(net, range(len(chosen)), seed=0, greedy=True)
    assert [r.proved for r in results] == played.solved.tolist()
    for result, steps in zip(results, played.steps.tolist(), strict=True):
        assert result.steps == (steps if result.proved else None)
        assert result.attempts == 1
        assert result.seconds > 0


@each_theory
def test_sampled_attempts_end_with_success(theory: Theory) -> None:
    chosen, net = easy_problems(theory), network(theory)
    results = outcomes("sample", theory, chosen, net, attempts=12, steps=12)
    assert any(r.proved for r in results)
    assert any(2 < r.attempts < 13 for r in results if r.proved)
    for result in results:
        if result.proved:
            assert 1 <= result.attempts <= 13
            assert result.steps is not None
            assert 1 <= result.steps <= 12
        else:
            assert (result.steps, result.attempts) == (None, 13)


@each_theory
def test_more_attempts_change_nothing_about_the_first(theory: Theory) -> None:
    chosen, net = easy_problems(theory), network(theory)
    few, many = (
        outcomes("sample", theory, chosen, net, attempts=n, steps=12, seed=4) for n in (3, 9)
    )
    for a, b in zip(few, many, strict=True):
        if a.proved:
            assert facts([a]) == facts([b])
    assert sum(r.proved for r in many) >= sum(r.proved for r in few)


@each_theory
def test_attempts_depend_on_the_seed_alone(theory: Theory) -> None:
    chosen, net = easy_problems(theory), network(theory)

    def found(seed: int) -> list[tuple[object, ...]]:
        return facts(outcomes("sample", theory, chosen, net, attempts=5, steps=15, seed=seed))

    assert found(1) == found(1)
    assert found(1) != found(2)


@each_theory
def test_the_ladder_solves_more(theory: Theory) -> None:
    """Only what a cheaper attempt leaves over is tried in a dearer way."""
    chosen, net = easy_problems(theory), network(theory)
    ladder = [
        outcomes("greedy", theory, chosen, net, steps=15),
        outcomes("sample", theory, chosen, net, attempts=2, steps=15),
        outcomes("ladder", theory, chosen, net, 3000, attempts=2, steps=15),
    ]
    for lower, higher in pairwise(ladder):
        for before, after in zip(lower, higher, strict=True):
            if before.proved:
                assert facts([after]) == facts([before])
            else:
                assert after.attempts > before.attempts
                assert (after.steps or 0) <= 15
    assert sum(r.proved for r in ladder[0]) < sum(r.proved for r in ladder[2])


def test_a_larger_search_solves_no_less() -> None:
    chosen, net = easy_problems(ROBINSON), network(ROBINSON)
    solved = [
        {r.problem.name for r in outcomes("tree", ROBINSON, chosen, net, n) if r.proved}
        for n in (1, 10, 100, 1000)
    ]
    assert all(few <= many for few, many in pairwise(solved))
    assert len(solved[0]) < len(solved[-1])


def test_time_that_others_left_over_is_not_used() -> None:
    """Each problem has the seconds for itself, also where many are played together."""
    far = Problem("far", term("3 * 3", ROBINSON))
    near = [Problem(f"near{i}", term("0 + 0", ROBINSON)) for i in range(30)]
    solver = SOLVERS["sample"](ROBINSON, network(ROBINSON), steps=3)
    *easy, hard = solver.solve_all([*near, far], Budget(None, 0.1))
    assert all(outcome.proved for outcome in easy)
    assert str(hard.status) == "Timeout"
    assert hard.cpu_seconds >= 0.1


def test_searches_keep_to_the_step_limit() -> None:
    chosen, net = easy_problems(ROBINSON), network(ROBINSON)
    one = outcomes("tree", ROBINSON, chosen, net, 1000, steps=1)
    assert {r.problem.name for r in one if r.proved} == {"0 + 0", "1 + 0", "(0 + 0) * 0"}
    assert all(r.steps == 1 for r in one if r.proved)


def test_a_search_without_any_bound_ends() -> None:
    problem, net = Problem("far", term("3 * 3", ROBINSON)), network(ROBINSON)
    assert outcomes("sample", ROBINSON, [problem], net, steps=3)[0].attempts == 33
    (searched,) = outcomes("tree", ROBINSON, [problem], net, steps=3)
    assert not searched.proved


@pytest.mark.parametrize("name", ["greedy", "sample", "tree", "ladder"])
def test_solved_means_certified(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every solution passes the kernel, and one that does not pass is not reported."""
    chosen, net = easy_problems(ROBINSON), network(ROBINSON)
    passed = []
    certify = module.certify

    def recorded(*arguments: Any) -> Any:
        proof = certify(*arguments)
        passed.append(proof.problem.name)
        return proof

    monkeypatch.setattr(module, "certify", recorded)
    results = outcomes(name, ROBINSON, chosen, net, 500)
    assert sorted(passed) == sorted(r.problem.name for r in results if r.proved)
    assert passed

    def refuse(*_arguments: Any) -> Any:
        raise NotAProof("no")

    monkeypatch.setattr(module, "certify", refuse)
    with pytest.raises(NotAProof):
        outcomes(name, ROBINSON, chosen, net, 500)


def test_a_problem_solved_from_the_start_takes_no_steps() -> None:
    problems = [Problem("3", term("3", ROBINSON)), Problem("p", term("3 * 3", ROBINSON))]
    first, second = outcomes("greedy", ROBINSON, problems, network(ROBINSON), steps=1)
    assert (first.proved, first.steps) == (True, 0)
    assert (second.proved, second.steps) == (False, None)


# Strata and their step limits


def robinson(name: str, lopl: str) -> Problem:
    """A term that no episode can finish; columns are (value, steps of the usual strategy)."""
    return Problem(name, term("3 * 3", ROBINSON), None, ("9", lopl))


def test_strata_and_limits() -> None:
    rows = [("1", "low", 100), ("89", "low", 100), ("90", "medium", 200), ("130", "medium", 200)]
    rows += [("131", "high", 250), ("?", "beyond", 250)]
    for lopl, name, limit in rows:
        problem = robinson("p", lopl)
        assert benchmark_of(ROBINSON).stratum(problem) == name
        assert step_limit(ROBINSON, problem) == limit
    x = term("x + 0", POLYNOMIAL)
    polynomial = Problem("poly3.tsv.gz:17", x, expand(x))
    assert benchmark_of(POLYNOMIAL).stratum(polynomial) == "poly3"
    assert step_limit(POLYNOMIAL, polynomial) == 100
    aim = easy_problems(AIM)[0]
    assert (benchmark_of(AIM).stratum(aim), step_limit(AIM, aim)) == ("all", 30)


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
    results = outcomes("greedy", ROBINSON, chosen, net)
    assert [r.problem for r in results] == chosen
    assert recorder.made == [(100, ["p0", "p3"]), (200, ["p2", "p4"]), (250, ["p1", "p5"])]
    recorder.made.clear()
    outcomes("greedy", ROBINSON, chosen, net, steps=7)
    assert recorder.made == [(7, [p.name for p in chosen])]


def test_many_problems_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, net = easy_problems(ROBINSON) * 5, network(ROBINSON)
    whole = outcomes("greedy", ROBINSON, chosen, net)
    monkeypatch.setattr(module, "_CHUNK", 10)
    assert facts(outcomes("greedy", ROBINSON, chosen, net)) == facts(whole)
    monkeypatch.setattr(module, "NOISE", 1.0)
    hard = [Problem(f"p{i}", term("1 + 1", ROBINSON)) for i in range(20)]
    sampled = outcomes("sample", ROBINSON, hard, net, attempts=1)
    first, second = ([r.expansions for r in sampled[a : a + 10]] for a in (0, 10))
    assert first != second  # pieces have random numbers of their own
