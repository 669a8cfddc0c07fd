"""Systems by their names, and attempts in processes of their own."""

import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from samples import untrained
from threesil.compare import runner
from threesil.compare.runner import Limits, run
from threesil.compare.systems import OWN, Cooperation, Portfolio, make_system, read_specs
from threesil.engine import Shape
from threesil.errors import InputError, MissingTool, ThreesilError
from threesil.nets.model import Model, initial_parameters
from threesil.outcome import SZS, Outcome
from threesil.problems import parse_problem
from threesil.provers import ExternalProver, Task, found
from threesil.search.prover import MODES, NEED_MODEL
from threesil.theories import AIM

EASY = parse_problem("x * T(y,x) = y * x", AIM)
FALSE = parse_problem("x * y = y * x", AIM)
HUGE = parse_problem(" * ".join("x" * 1200) + " = x", AIM)


def test_specs() -> None:
    assert read_specs(" model, plain ,") == ["model", "plain"]
    with pytest.raises(InputError, match="names plain twice"):
        read_specs("plain,model,plain")


@pytest.mark.parametrize("spec", ["model", *(s for s in OWN if s not in (*NEED_MODEL, "model"))])
def test_own_modes_prove(spec: str) -> None:
    system = make_system(spec, "aim")
    row = system.solve(EASY, 20)
    assert (row.system, row.name, row.status) == (spec, EASY.name, "Theorem")
    assert row.cpu_seconds > 0 and row.seconds > 0
    facts = system.describe(20)
    assert set(facts) == {"version", "command", "proofs"}
    assert "--seconds 20" in facts["command"]
    assert set(OWN.values()) == set(MODES)


def test_a_model_is_part_of_the_description(tmp_path: Path) -> None:
    shape = Shape(16, 16)
    parameters = initial_parameters(AIM, shape, 3)
    for name, weights in (("a", parameters), ("b", parameters + 1)):
        Model(AIM, shape, weights).save(tmp_path / name)
    systems = [make_system("guided", "aim", model=str(tmp_path / name)) for name in "ab"]
    first, second = (system.describe(5) for system in systems)
    assert first["version"] != second["version"]
    assert f"--model {tmp_path / 'a'}" in first["command"]
    assert systems[0].solve(EASY, 20).status == "Theorem"
    assert "--model" not in make_system("plain", "aim", model="gone").describe(5)["command"]


def test_a_timeout_had_its_cpu_time() -> None:
    row = make_system("plain", "aim").solve(FALSE, 0.2)
    assert row.status in ("Timeout", "ResourceOut")
    assert row.seconds >= 0.2


def test_what_a_system_cannot_take_is_a_row_too() -> None:
    assert make_system("model", "aim").solve(HUGE, 1).status == "InputError"


def test_unknown_systems_name_the_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"unknown system 'magic'; expected model, .*prover9"):
        make_system("magic", "aim")
    for spec in ("magic+lemmas", "prover9+magic", "prover9+", "+lemmas", "model+lemmas"):
        with pytest.raises(InputError, match="unknown system"):
            make_system(spec, "aim")
    with pytest.raises(InputError, match="no equations"):
        make_system("model", "robinson").describe(1)
    monkeypatch.setenv("THREESIL_VAMPIRE", "nowhere/vampire")
    with pytest.raises(MissingTool, match="Vampire"):
        make_system("vampire", "aim")
    with pytest.raises(MissingTool, match="Vampire"):
        make_system("vampire+lemmas", "aim")


def test_an_external_prover_proves() -> None:
    try:
        system = make_system("prover9", "aim")
    except MissingTool as error:
        pytest.skip(str(error))
    assert system.solve(EASY, 20).status == "Theorem"
    facts = system.describe(20)
    assert facts["version"].startswith("Prover9 ")
    assert "-t 20" in facts["command"] and "/" not in facts["command"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "aim.safetensors"
    untrained(AIM).save(path)
    return str(path)


def cooperation(spec: str, model: str) -> Cooperation:
    try:
        system = make_system(spec, "aim", model=model)
    except MissingTool as error:
        pytest.skip(str(error))
    assert isinstance(system, Cooperation)
    return system


@pytest.mark.parametrize("use", ["lemmas", "hints", "both"])
def test_a_prover_with_the_models_lemmas_proves(use: str, model: str) -> None:
    spec = f"prover9+{use}"
    system = cooperation(spec, model)
    row = system.solve(EASY, 2)
    assert (row.system, row.name, row.status) == (spec, EASY.name, "Theorem")
    assert row.seconds > 0 and row.cpu_seconds > 0
    facts = system.describe(2)
    assert set(facts) == {"version", "command", "proofs"}
    assert facts["version"].startswith("Prover9 ") and "model" in facts["version"]
    assert "found in 1 s" in facts["command"] and "-t 1" in facts["command"]
    assert ("assumptions" in facts["command"]) == (use in ("lemmas", "both"))
    assert ("hints" in facts["command"]) == (use in ("hints", "both"))
    assert facts["proofs"] == "as the prover says"
    assert system.in_process and not system.certified


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
    row = system.solve(EASY, 0.6)
    assert row.status == "GaveUp"
    assert row.cpu_seconds > 0.1
    ((task, seconds),) = asked
    assert seconds == 0.3
    assert bool(task.lemmas) == (use != "hints")
    assert bool(task.hints) == (use != "lemmas")


def test_a_portfolio_proves(model: str) -> None:
    system = make_system("portfolio", "aim", model=model)
    assert isinstance(system, Portfolio)
    row = system.solve(EASY, 10)
    assert (row.system, row.name, row.status) == ("portfolio", EASY.name, "Theorem")
    facts = system.describe(10)
    assert f"--model {model}" in facts["command"]
    assert facts["command"].endswith(f"--with {','.join(p.name for p in found()) or 'none'}")
    row = system.solve(FALSE, 0.4)
    assert row.status in ("Timeout", "GaveUp", "ResourceOut")
    assert row.cpu_seconds > 0


def test_a_portfolio_counts_the_provers_time(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the model fails, all provers are asked; what they spend is added up."""
    names = [prover.name for prover in found()]
    if not names:
        pytest.skip("no external prover is installed")

    def run(prover: ExternalProver, *_: Any, **__: Any) -> Outcome:
        return Outcome(FALSE, SZS.THEOREM, 0.0, 1000.0, by=prover.name, words="proof")

    monkeypatch.setattr(ExternalProver, "run", run)
    row = make_system("portfolio", "aim", model=model).solve(FALSE, 0.4)
    assert row.status == "Theorem"
    assert row.cpu_seconds >= 1000 * len(names)


def test_what_a_portfolio_cannot_take_is_a_row_too(model: str) -> None:
    assert make_system("portfolio", "aim", model=model).solve(HUGE, 1).status == "InputError"


def test_rows_come_from_several_lanes() -> None:
    jobs = [(EASY, "model"), (EASY, "plain"), (HUGE, "model"), (HUGE, "plain")]
    with closing(run(jobs, "aim", Limits(10), workers=2)) as rows:
        found = sorted((row.system, row.status) for row in rows)
    assert found == [(s, t) for s in ("model", "plain") for t in ("InputError", "Theorem")]


def test_closing_stops_what_is_running() -> None:
    rows = run([(EASY, "plain"), (FALSE, "model")], "aim", Limits(600))
    assert next(rows).solved
    begin = time.perf_counter()
    rows.close()
    assert time.perf_counter() - begin < 60


def test_memory_is_limited() -> None:
    jobs = [(FALSE, "plain"), (EASY, "plain")]
    with closing(run(jobs, "aim", Limits(200, 64))) as rows:
        assert [row.status for row in rows] == ["ResourceOut", "Theorem"]


def test_a_worker_that_does_not_answer_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "patience", property(lambda self: 1.0))
    jobs = [(FALSE, "plain"), (EASY, "plain")]
    with closing(run(jobs, "aim", Limits(100))) as rows:
        first, second = rows
    assert first.status == "Timeout" and first.seconds >= 1
    assert second.status == "Theorem"


def test_a_worker_that_cannot_start_ends_the_run(tmp_path: Path) -> None:
    rows = run([(EASY, "plain")], tmp_path / "no.thy", Limits(1))
    with pytest.raises(ThreesilError, match="did not start"):
        next(rows)


def test_a_worker_that_dies_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    start = runner._Lane._start

    def broken(lane: runner._Lane, system: str) -> runner._Worker:
        worker = start(lane, system)
        worker.process.terminate()
        worker.process.join()
        return worker

    monkeypatch.setattr(runner._Lane, "_start", broken)
    with closing(run([(EASY, "plain")], "aim", Limits(5))) as rows:
        assert [row.status for row in rows] == ["Error"]
