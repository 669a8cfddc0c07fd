"""Systems by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from threesil.measure.compare.systems import (
    CERTIFIED,
    CLAIMED,
    Cooperation,
    Portfolio,
    make_system,
    read_specs,
    uses_model,
)
from threesil.search.strategy import Need

from samples import ROBINSON, untrained, written
from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.measure.compare.worker import _solve
from threesil.problems import parse_problem
from threesil.provers import ExternalProver, Task, found
from threesil.search.solvers import SOLVERS
from threesil.theories import AIM

EASY = parse_problem("x * T(y,x) = y * x", AIM)
HUGE = parse_problem(" * ".join("x" * 1200) + " = x", AIM)


def test_specs() -> None:
    assert read_specs(" best, plain ,") == ["best", "plain"]
    with pytest.raises(InputError, match="names plain twice"):
        read_specs("plain,best,plain")


@pytest.mark.parametrize(
    "spec",
    [
        name
        for name, kind in SOLVERS.items()
        if kind.needs_model is not Need.ALWAYS and name != "refute"
    ],
)
def test_strategies_prove(spec: str) -> None:
    system = make_system(spec, AIM)
    outcome = system.solve(AIM, EASY, 20)
    assert outcome.proved and outcome.by == spec
    assert outcome.cpu_seconds > 0 and outcome.seconds > 0
    facts = system.facts(20)
    assert set(facts.shown) == {"version", "command", "proofs"}
    assert "--seconds 20" in facts.shown["command"]
    assert facts.shown["proofs"] == CERTIFIED
    assert (facts.model is None) == (not uses_model(spec))


def test_a_lemma_is_proved_in_its_own_theory() -> None:
    lemma = AIM.lemmas[0]
    system = make_system("plain", AIM)
    before = AIM.before(lemma.name)
    outcome = system.solve(before, parse_problem("e * x = x", before), 20)
    assert outcome.proof is not None and outcome.proof.theory is before


def test_a_model_is_part_of_the_facts(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        untrained(AIM, seed).save(tmp_path / name)
    systems = [make_system("guided", AIM, model=tmp_path / name) for name in "ab"]
    first, second = (system.facts(5) for system in systems)
    assert first.model != second.model
    assert f"--model {tmp_path / 'a'}" in first.shown["command"]
    assert systems[0].solve(AIM, EASY, 20).proved
    assert make_system("plain", AIM, model="gone").facts(5).model is None


def test_what_a_system_cannot_take_is_an_outcome_too() -> None:
    outcome = make_system("plain", AIM).solve(AIM, HUGE, 1)
    assert not outcome.status.decides
    assert "nodes" in outcome.reason


def test_other_goals_have_systems_too() -> None:
    problem = parse_problem("1 + 1", ROBINSON)
    assert make_system("ladder", ROBINSON).solve(ROBINSON, problem, 20).proved
    assert ROBINSON.goal is not Goal.EQUATION
    with pytest.raises(InputError, match="solver plain is for goals of the kind equation"):
        make_system("plain", ROBINSON)


def test_unknown_systems_name_the_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"unknown system 'magic'; expected best, .*prover9"):
        make_system("magic", AIM)
    for spec in ("magic+lemmas", "prover9+magic", "prover9+", "+lemmas", "best+lemmas"):
        with pytest.raises(InputError, match="unknown system"):
            make_system(spec, AIM)
    monkeypatch.setenv("THREESIL_VAMPIRE", "nowhere/vampire")
    for spec in ("vampire", "vampire+lemmas"):
        with pytest.raises(MissingTool, match="Vampire"):
            make_system(spec, AIM)


def test_an_external_prover_makes_claims() -> None:
    try:
        system = make_system("prover9", AIM)
    except MissingTool as error:
        pytest.skip(str(error))
    outcome = system.solve(AIM, EASY, 20)
    assert outcome.claimed and outcome.by == "prover9"
    facts = system.facts(20)
    assert facts.shown["version"].startswith("Prover9 ")
    assert "-t 20" in facts.shown["command"] and "/" not in facts.shown["command"]
    assert facts.shown["proofs"] == CLAIMED
    assert facts.options == system.facts(30).options  # what it is does not depend on the limit


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "aim.safetensors"
    untrained(AIM).save(path)
    return str(path)


def cooperation(spec: str, model: str) -> Cooperation:
    try:
        system = make_system(spec, AIM, model=model)
    except MissingTool as error:
        pytest.skip(str(error))
    assert isinstance(system, Cooperation)
    return system


@pytest.mark.parametrize("use", ["lemmas", "hints", "both"])
def test_a_prover_with_the_models_lemmas_makes_claims(use: str, model: str) -> None:
    spec = f"prover9+{use}"
    system = cooperation(spec, model)
    outcome = system.solve(AIM, EASY, 2)
    assert outcome.claimed and outcome.by == spec
    assert outcome.seconds > 0 and outcome.cpu_seconds > 0
    shown = system.facts(2).shown
    assert set(shown) == {"version", "command", "proofs"}
    assert shown["version"].startswith("Prover9 ") and "model" in shown["version"]
    assert "found in 1 s" in shown["command"] and "-t 1" in shown["command"]
    assert ("assumptions" in shown["command"]) == (use in ("lemmas", "both"))
    assert ("hints" in shown["command"]) == (use in ("hints", "both"))
    assert shown["proofs"] == CLAIMED
    assert system.in_process


@pytest.mark.parametrize("use", ["lemmas", "hints", "both"])
def test_lemmas_get_half_of_the_time_and_reach_the_prover(
    use: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Task, float]] = []

    def run(prover: ExternalProver, task: Task, seconds: float, *_: Any, **__: Any) -> Outcome:
        asked.append((task, seconds))
        return Outcome(task.problem, SZS.GAVE_UP, 0.1, 0.1, by=prover.name)

    system = cooperation(f"prover9+{use}", model)
    monkeypatch.setattr(ExternalProver, "run", run)
    outcome = system.solve(AIM, EASY, 0.6)
    assert outcome.status is SZS.GAVE_UP
    assert outcome.cpu_seconds > 0.1
    ((task, seconds),) = asked
    assert seconds == 0.3
    assert bool(task.lemmas) == (use != "hints")
    assert bool(task.hints) == (use != "lemmas")


def test_a_portfolio_proves(model: str) -> None:
    system = make_system("portfolio", AIM, model=model)
    assert isinstance(system, Portfolio)
    assert system.solve(AIM, EASY, 10).proved
    command = system.facts(10).shown["command"]
    assert f"--model {model}" in command
    assert command.endswith(f"--with {','.join(p.name for p in found()) or 'none'}")


def _open_question(directory: Path) -> tuple[Theory, Problem]:
    """Law 677 and law 255 of magmas: it does not follow, and no finite model is known to say so."""
    theory = written(directory, "Axiom law: x = y * (x * ((y * x) * y)).")
    return theory, parse_problem("x = ((x * x) * x) * x", theory)


def test_a_portfolio_refutes(model: str) -> None:
    false = parse_problem("x * y = y * x", AIM)
    outcome = make_system("portfolio", AIM, model=model).solve(AIM, false, 20)
    assert outcome.status is SZS.COUNTER_SATISFIABLE
    assert outcome.cpu_seconds > 0


def test_a_portfolio_counts_the_provers_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where our own search fails, all provers are asked; what they spend is added up."""
    names = [prover.name for prover in found()]
    if not names:
        pytest.skip("no external prover is installed")
    theory, problem = _open_question(tmp_path)

    def run(prover: ExternalProver, *_: Any, **__: Any) -> Outcome:
        return Outcome(problem, SZS.THEOREM, 0.0, 1000.0, by=prover.name, words="proof")

    monkeypatch.setattr(ExternalProver, "run", run)
    outcome = make_system("portfolio", theory).solve(theory, problem, 0.4)
    assert outcome.claimed
    assert outcome.cpu_seconds >= 1000 * len(names)


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (MemoryError(), SZS.RESOURCE_OUT, "out of memory"),
        (ZeroDivisionError("a mistake"), SZS.ERROR, "ZeroDivisionError: a mistake"),
        (InputError("too large"), SZS.INPUT_ERROR, "too large"),
    ],
)
def test_a_failure_is_an_outcome(
    error: Exception, status: SZS, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = make_system("plain", AIM)

    def solve(*_: object) -> Outcome:
        raise error

    monkeypatch.setattr(system, "solve", solve)
    outcome = _solve(system, AIM, parse_problem("x * e = x", AIM), 1.0)
    assert outcome.status is status and outcome.by == "plain"
    assert outcome.reason.startswith(reason)
