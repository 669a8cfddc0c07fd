"""Training as a function: defaults, callbacks, stopping, the lock."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from small_runs import TINY, assert_same_run, hurry, tiny
from threesil.engine import Stop
from threesil.errors import InputError
from threesil.files import locked
from threesil.learn import stages
from threesil.learn.task import read_config, read_task
from threesil.learn.train import resume, train
from threesil.learn.watching import Begun
from threesil.runs.run import Run
from threesil.search.learned import Learned

TERMS = "0 + 0\n1 + 0\n0 * 3\n2 + 1\nS(0 + 1)\n(0 + 0) * 0\n"
FEW = {**TINY, "ME": 3, "m": 20, "f": 20}


@pytest.fixture
def terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of problems in the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("terms.txt").write_text(TERMS)
    return "terms.txt"


def test_a_network_is_trained(terms: str) -> None:
    began: list[Begun] = []
    rows: list[dict[str, Any]] = []
    done = train(
        "robinson",
        problems=terms,
        seed=4,
        changes=FEW,
        begin=began.append,
        progress=rows.append,
    )
    assert done.finished
    assert (done.directory, done.epochs, done.problems) == (Path("runs/robinson-3sil-4"), 3, 6)
    assert 0 < done.solved <= 6
    assert 1 <= done.level <= done.levels == 1
    (run,) = began
    assert run.directory == done.directory
    assert [row["epoch"] for row in rows] == [0, 1, 2]
    assert resume(done.directory, changes={"ME": 4}).epochs == 4


def test_a_stop_keeps_the_last_finished_epoch(terms: str) -> None:
    whole = train("robinson", problems=terms, out=Path("whole"), changes=FEW)
    stop = Stop()

    def progress(metrics: dict[str, Any]) -> None:
        if metrics["epoch"] == 1:
            stop.set()

    options: dict[str, Any] = {"problems": terms, "out": Path("run"), "changes": FEW}
    done = train("robinson", **options, progress=progress, stop=stop)
    assert (done.finished, done.epochs) == (False, 2)
    assert resume(Path("run")).finished
    assert_same_run(Path("run"), whole.directory)


@pytest.mark.parametrize("first", [{}, {"ME": 1000, "minutes": 0.001}])
def test_some_minutes_more(terms: str, first: dict[str, Any]) -> None:
    done = train("robinson", problems=terms, out=Path("run"), changes={**FEW, **first})
    metrics = Run(Path("run")).metrics()
    more = resume(Path("run"), minutes=0.01)
    later = Run(Path("run")).metrics()[done.epochs :]
    assert more.finished and more.epochs > done.epochs == len(metrics)
    assert sum(row["seconds"] for row in later) >= 0.6 - 0.01  # minutes are rounded


def test_more_epochs_after_the_time_is_up(terms: str) -> None:
    """It is said why there are none, and what helps."""
    timed = {**FEW, "ME": 1000, "minutes": 0.001}
    done = train("robinson", problems=terms, out=Path("run"), changes=timed)
    said: list[str] = []
    more = resume(Path("run"), changes={"ME": 2000}, say=said.append)
    assert more.epochs == done.epochs < 1000
    (words,) = said
    assert "its 0.001 minutes are over" in words and "--set minutes=0" in words
    said.clear()
    freed = {"ME": 2000, "minutes": 0.002 + done.epochs}
    stop = Stop()
    listened = resume(
        Path("run"), changes=freed, say=said.append, progress=lambda _: stop.set(), stop=stop
    )
    assert listened.epochs > done.epochs and not said

    spent = {**FEW, "ME": 1000, "cpu_seconds": 0.01}
    train("robinson", problems=terms, out=Path("spent"), changes=spent)
    resume(Path("spent"), changes={"ME": 2000}, say=said.append)
    (words,) = said
    assert "its 0.01 seconds of CPU time are over" in words and "start another run" in words


def test_defaults_depend_on_the_theory(terms: str) -> None:
    Path("units.thy").write_text(
        "Constants e.\nAxiom left: e * x = x.\nTheorem p1: e * (e * x) = x.\n"
    )
    few = {**FEW, "ME": 1, "expansions": 50, "level_size": 0}
    done = train("units.thy", problems="units.thy", changes=tiny("expert", **few))
    assert done.directory == Path("runs/units-expert-0")
    train("units.thy", problems="units.thy", config="paper", changes=tiny("3sil", **few))
    assert Run(Path("runs/units-3sil-0")).facts.method == "3sil"
    changes = tiny("a2c", **few)
    train("robinson", method="a2c", problems=terms, changes=changes, out=Path("a2c"))
    assert not read_config(Run(Path("a2c"))).greedy_evaluation
    changes["greedy_evaluation"] = True
    train("robinson", method="a2c", problems=terms, changes=changes, out=Path("greedy"))
    assert read_config(Run(Path("greedy"))).greedy_evaluation


def test_a_locked_directory_is_refused(terms: str) -> None:
    out = Path("run")
    out.mkdir()
    with locked(out), pytest.raises(InputError, match="is being written to by another threesil"):
        train("robinson", problems=terms, changes=FEW, out=out)
    assert list(out.iterdir()) == []
    train("robinson", problems=terms, changes=FEW, out=out)
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    with locked(out), pytest.raises(InputError, match="is being written to by another threesil"):
        resume(out)
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before


def test_no_lock_is_put_where_there_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a training run"):
        resume(tmp_path)
    assert list(tmp_path.iterdir()) == []


# While problems are made


@pytest.fixture
def briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


MAKING = {"generated": 40, "minutes": 0.0, "ME": 1, "NB": 5, "expansions": 50, "threads": 1}
MINE = "e * (i(e) * x) = x\ni(e) * (x * e) = x\n"
ASKED: dict[str, Any] = {"problems": "mine.txt+generated", "seed": 2, "changes": MAKING}
MADE = ("problems.jsonl", "lemmas.jsonl", "costs.json", "dev.tsv", "test.tsv", "run.json")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on problems that were made, which nothing stopped. Tests leave it alone."""
    directory = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        patch.chdir(directory)
        Path("mine.txt").write_text(MINE)
        done = train("groups", out=Path("run"), **ASKED)
    assert done.finished and done.shares
    return directory / "run"


def stops_at(stop: Stop, found: int) -> Any:
    """Sets the stop when so many theorems have been made."""

    def listen(what: str, done: int, total: int) -> None:
        if what == "making theorems" and done >= found:
            stop.set()

    return listen


@pytest.mark.slow
@pytest.mark.usefixtures("briefly")
def test_making_problems_is_resumed(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped twice and moved, a run has the same problems, lemmas and weights as another."""
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text(MINE)
    stop = Stop()
    done = train("groups", out=Path("run"), **ASKED, stop=stop, listen=stops_at(stop, 8))
    assert (done.finished, done.epochs, done.problems) == (False, 0, 0)
    first = Path("run/measured.jsonl").read_text()
    assert first.count("\n") >= 10
    with pytest.raises(InputError, match="holds a run already; resume it with --resume run"):
        train("groups", out=Path("run"), **ASKED)

    Path("run").rename("moved")
    Path("mine.txt").unlink()
    with Path("moved/measured.jsonl").open("a") as file:
        file.write('{"problem": "12')  # killed while it wrote
    stop = Stop()
    assert not resume(Path("moved"), stop=stop, listen=stops_at(stop, 40)).finished
    second = Path("moved/measured.jsonl").read_text()
    assert second.startswith(first) and len(second) > len(first)
    keys = [line.split('"')[3] for line in second.splitlines()]
    assert len(set(keys)) == len(keys)  # nothing was measured twice

    assert resume(Path("moved")).finished
    for name in MADE:
        assert Path("moved", name).read_bytes() == (whole / name).read_bytes(), name
    assert_same_run(Path("moved"), whole, read_task(Run(Path("moved"))).searched)
    assert not Path("moved/measured.jsonl").exists() and not Path("moved/listed.jsonl").exists()


@pytest.mark.usefixtures("briefly")
def test_a_stop_after_the_last_problem_was_made_builds_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stop, began = Stop(), list[Any]()
    done = train(
        "quandles",
        problems="generated",
        changes={**MAKING, "generated": 30},
        out=Path("run"),
        begin=began.append,
        say=lambda words: stop.set(),
        stop=stop,
    )
    assert not done.finished and not began
    assert Path("run/problems.jsonl").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("briefly")
def test_the_table_is_that_of_the_last_epoch(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = Run(Path(shutil.copytree(whole, "run")))
    wrong = [replace(row, problems=1000) for row in run.shares()]
    run.write_shares(wrong)
    run.write_judgement(replace(run.judgement(), helps=False, policy=False))
    assert list(resume(Path("run")).shares) == wrong  # nothing has changed: nothing is done again

    tried: list[Learned] = []
    choose = stages.choose_use

    def choosing(use: Learned, *rest: Any) -> Learned:
        tried.append(use)
        return choose(use, *rest)

    monkeypatch.setattr(stages, "choose_use", choosing)
    done = resume(Path("run"), changes={"ME": 2})
    assert done.epochs == 2 and done.shares and list(done.shares) != wrong
    assert run.shares() == list(done.shares)
    (use,) = tried
    assert use.helps and use.leads


@pytest.mark.usefixtures("briefly")
def test_nothing_stays_of_what_can_not_be_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nothing.p").write_text("fof(a, axiom, ![X]: f(X) = f(X)).\n")
    Path("empty").mkdir()
    for out in ("new", "empty"):
        with pytest.raises(InputError, match="too little to learn from"):
            train("nothing.p", out=Path(out), changes={"generated": 30})
        assert not Path(out).exists() or not list(Path(out).iterdir())


def test_a_directory_with_other_files_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("mine/config.toml").write_text("mine = true\n")
    with pytest.raises(InputError, match="a run wants a directory of its own"):
        train("groups", out=Path("mine"), changes={"generated": 30})
    assert [path.name for path in Path("mine").iterdir()] == ["config.toml"]
    assert Path("mine/config.toml").read_text() == "mine = true\n"
