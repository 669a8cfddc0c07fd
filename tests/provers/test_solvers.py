"""Solvers by their names, and those that are kept warm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from provers.fakes import Fake
from samples import AIM, ROBINSON, untrained, written
from threesil.engine import Budget
from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.problems.files import parse_problem
from threesil.provers.base import ExternalProver
from threesil.provers.outside import CLAIMED, Outside
from threesil.provers.portfolio import Portfolio
from threesil.provers.registry import found
from threesil.provers.request import Request
from threesil.provers.solvers import Warm, read_names, request_of, solver_for, uses_weights
from threesil.provers.team import Helped
from threesil.search.solver import CERTIFIED, Solver
from threesil.search.solvers import SOLVERS
from threesil.search.weights import Uses
from threesil.theories import get_theory

EASY = parse_problem("x * T(y,x) = y * x", AIM)
HUGE = parse_problem(" * ".join("x" * 1200) + " = x", AIM)
LONG = Budget(None, 60.0)


def named(name: str, theory: Theory = AIM, **request: Any) -> Solver:
    return solver_for(Request(name, **request), theory)


def test_names() -> None:
    assert read_names(" best, plain ,") == ["best", "plain"]
    with pytest.raises(InputError, match="names plain twice"):
        read_names("plain,best,plain")


@pytest.mark.parametrize(
    "name",
    [name for name, kind in SOLVERS.items() if not kind.requires and name != "refute"],
)
def test_searches_prove(name: str) -> None:
    solver = named(name)
    outcome = solver.solve(EASY, LONG)
    assert outcome.proved and outcome.by == name == solver.name
    assert outcome.cpu_seconds > 0 and outcome.seconds > 0
    facts = solver.facts(20)
    assert set(facts.about) == {"version", "command", "proofs"}
    assert f"--solver {name} --seconds 20" in facts.about["command"]
    assert facts.about["proofs"] == CERTIFIED
    assert (facts.weights is not None) == bool(SOLVERS[name].uses - {Uses.LEMMAS})


def test_weights_are_part_of_the_facts(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        untrained(AIM, seed).save(tmp_path / name)
    solvers = [named("guided", weights=tmp_path / name) for name in "ab"]
    first, second = (solver.facts(5) for solver in solvers)
    assert first.weights != second.weights
    assert f"--weights {tmp_path / 'a'}" in first.about["command"]
    assert solvers[0].solve(EASY, LONG).proved


def test_weights_reach_only_those_that_use_them() -> None:
    request = Request(weights="gone", seconds=5.0)
    for name in ("plain", "unguided", "prover9"):
        assert not uses_weights(name)
        assert request_of(name, request) == replace(request, solver=name, weights=None)
    for name in ("best", "guided", "select", "prover9+lemmas", "portfolio"):
        assert uses_weights(name)
        assert request_of(name, request) == replace(request, solver=name)


def test_what_a_solver_cannot_take_is_an_outcome_too() -> None:
    outcome = named("plain").solve(HUGE, Budget(None, 1.0))
    assert not outcome.status.decides
    assert "nodes" in outcome.reason


def test_other_goals_have_solvers_too() -> None:
    problem = parse_problem("1 + 1", ROBINSON)
    assert named("ladder", ROBINSON).solve(problem, LONG).proved
    assert solver_for(Request(), ROBINSON).name == "ladder"
    assert solver_for(Request(), AIM).name == "best"
    assert ROBINSON.goal is not Goal.EQUATION
    with pytest.raises(InputError, match="solver plain is for goals of the kind equation"):
        named("plain", ROBINSON)


def test_helpers_make_a_portfolio_where_equations_are_proved() -> None:
    helpers = Fake("one"), Fake("two")
    solver = solver_for(Request(helpers=helpers, memory=300), AIM)
    assert isinstance(solver, Portfolio)
    assert [one.name for one in solver.others] == [one.name for one in helpers]
    assert {one.memory for one in solver.others} == {300}
    assert solver_for(Request(helpers=helpers), ROBINSON).name == "ladder"


def test_unknown_solvers_name_the_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"unknown solver 'magic'; expected best, .*prover9"):
        named("magic")
    for name in ("magic+lemmas", "prover9+magic", "prover9+", "+lemmas", "best+lemmas"):
        with pytest.raises(InputError, match="unknown solver"):
            named(name)
    monkeypatch.setenv("THREESIL_VAMPIRE", "nowhere/vampire")
    for name in ("vampire", "vampire+lemmas"):
        with pytest.raises(MissingTool, match="Vampire"):
            named(name)


def installed(name: str, **request: Any) -> Solver:
    try:
        return named(name, **request)
    except MissingTool as error:
        pytest.skip(str(error))


def test_an_external_prover_makes_claims() -> None:
    solver = installed("prover9")
    assert isinstance(solver, Outside) and not solver.in_process
    outcome = solver.solve(EASY, LONG)
    assert outcome.claimed and outcome.by == "prover9"
    facts = solver.facts(20)
    assert facts.about["version"].startswith("Prover9 ")
    assert "-t 20" in facts.about["command"] and "/" not in facts.about["command"]
    assert facts.about["proofs"] == CLAIMED
    assert facts.options == solver.facts(30).options  # what it is does not depend on the limit


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("weights") / "aim.safetensors"
    untrained(AIM).save(path)
    return str(path)


@pytest.mark.parametrize("use", ["lemmas", "hints", "both", "episode"])
def test_a_prover_with_our_lemmas_makes_claims(use: str, weights: str) -> None:
    name = f"prover9+{use}"
    solver = installed(name, weights=weights)
    assert isinstance(solver, Helped) and solver.in_process
    outcome = solver.solve(EASY, Budget(500, 60.0))
    assert outcome.claimed and outcome.by == name
    assert outcome.seconds > 0 and outcome.cpu_seconds > 0
    about = solver.facts(2).about
    assert set(about) == {"version", "command", "proofs"}
    assert about["version"].startswith("Prover9 ") and "weights" in about["version"]
    assert ("found in 1 s" in about["command"]) == (use != "episode")
    assert "-t 1" in about["command"]
    assert ("assumptions" in about["command"]) == (use in ("lemmas", "both"))
    assert ("hints" in about["command"]) == (use in ("hints", "both"))
    assert about["proofs"] == CLAIMED


def test_a_portfolio_proves(weights: str) -> None:
    solver = named("portfolio", weights=weights)
    assert isinstance(solver, Portfolio)
    assert solver.solve(EASY, LONG).proved
    command = solver.facts(10).about["command"]
    assert f"--weights {weights}" in command
    assert command.endswith(f"--with {','.join(found()) or 'none'}")


def test_a_portfolio_refutes(weights: str) -> None:
    false = parse_problem("x * y = y * x", AIM)
    outcome = named("portfolio", weights=weights).solve(false, LONG)
    assert outcome.status is SZS.COUNTER_SATISFIABLE
    assert outcome.cpu_seconds > 0


def open_question(directory: Path) -> tuple[Theory, Problem]:
    """Law 677 and law 255 of magmas: it does not follow, and no finite model is known to say so."""
    theory = written(directory, "Axiom law: x = y * (x * ((y * x) * y)).")
    return theory, parse_problem("x = ((x * x) * x) * x", theory)


def test_a_portfolio_counts_the_provers_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where our own search fails, all provers are asked; what they spend is added up."""
    names = found()
    if not names:
        pytest.skip("no external prover is installed")
    theory, problem = open_question(tmp_path)

    def run(prover: ExternalProver, *_: Any, **__: Any) -> Outcome:
        return Outcome(problem, SZS.THEOREM, 0.0, 1000.0, by=prover.name, words="proof")

    monkeypatch.setattr(ExternalProver, "run", run)
    outcome = named("portfolio", theory).solve(problem, Budget(None, 0.4))
    assert outcome.claimed
    assert outcome.cpu_seconds >= 1000 * len(names)


# Warm solvers


def outcome_of(status: SZS) -> Outcome:
    return Outcome(EASY, status)


def test_a_solver_is_made_once_for_its_theory() -> None:
    warm = Warm(Request("plain"))
    first = warm.take(AIM)
    warm.give(first, outcome_of(SZS.THEOREM))
    assert warm.take(AIM) is first
    assert warm.take(AIM) is not first  # it is in use
    other = warm.take(get_theory("groups"))
    assert other.theory.name == "groups"


def test_a_theory_that_says_the_same_has_the_same_solver(tmp_path: Path) -> None:
    theory = written(tmp_path, "Axiom one: f(x) = x.")
    warm = Warm(Request("plain"))
    first = warm.take(theory)
    warm.keep(first)
    assert warm.take(get_theory(tmp_path / "mine.thy")) is first


@pytest.mark.parametrize("status", list(SZS))
def test_a_solver_that_failed_is_not_kept(status: SZS) -> None:
    warm = Warm(Request("plain"))
    first = warm.take(AIM)
    warm.give(first, outcome_of(status))
    failed = status in (SZS.ERROR, SZS.RESOURCE_OUT)
    assert (warm.take(AIM) is not first) == failed


def test_the_last_few_are_kept(tmp_path: Path) -> None:
    warm = Warm(Request("plain"), most=2)
    theories = [written(tmp_path, f"Axiom one: f{n}(x) = x.", name=f"t{n}") for n in range(3)]
    solvers = [warm.take(theory) for theory in theories]
    for solver in solvers:
        warm.keep(solver)
    assert warm.take(theories[0]) is not solvers[0]
    assert [warm.take(theory) for theory in theories[1:]] == solvers[1:]


def test_what_is_used_again_is_kept_longest(tmp_path: Path) -> None:
    warm = Warm(Request("plain"), most=2)
    theories = [written(tmp_path, f"Axiom one: f{n}(x) = x.", name=f"t{n}") for n in range(3)]
    first, second, third = (warm.take(theory) for theory in theories)
    warm.keep(first)
    warm.keep(second)
    warm.keep(warm.take(theories[0]))
    warm.keep(third)
    assert warm.take(theories[0]) is first
    assert warm.take(theories[1]) is not second


def test_all_searches_say_what_they_use() -> None:
    for name, kind in SOLVERS.items():
        assert kind.name == name and kind.about
        assert kind.requires <= kind.uses <= frozenset(Uses)
