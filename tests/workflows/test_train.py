"""Training as a function: defaults, callbacks, stopping, the lock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from learn.runs import TINY, assert_same_run
from threesil.engine import Stop
from threesil.errors import InputError
from threesil.files import locked
from threesil.learn.config import read_config
from threesil.learn.records import read_facts
from threesil.learn.run import Run
from threesil.workflows.train import resume, train

TERMS = "0 + 0\n1 + 0\n0 * 3\n2 + 1\nS(0 + 1)\n(0 + 0) * 0\n"
FEW = {**TINY, "ME": 3, "m": 20, "f": 20}


@pytest.fixture
def terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of problems in the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("terms.txt").write_text(TERMS)
    return "terms.txt"


def test_a_network_is_trained(terms: str) -> None:
    began: list[Run] = []
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


def test_defaults_depend_on_the_theory(terms: str) -> None:
    Path("units.thy").write_text(
        "Constants e.\nAxiom left: e * x = x.\nTheorem p1: e * (e * x) = x.\n"
    )
    changes = {**FEW, "ME": 1, "expansions": 50, "level_size": 0}
    done = train("units.thy", problems="units.thy", changes=changes)
    assert done.directory == Path("runs/units-expert-0")
    train("units.thy", problems="units.thy", config="paper", changes=changes)
    assert read_facts(Path("runs/units-3sil-0"))["method"] == "3sil"
    train("robinson", method="a2c", problems=terms, changes=changes, out=Path("a2c"))
    assert not read_config(Path("a2c/config.toml")).greedy_evaluation
    changes["greedy_evaluation"] = True
    train("robinson", method="a2c", problems=terms, changes=changes, out=Path("greedy"))
    assert read_config(Path("greedy/config.toml")).greedy_evaluation


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
