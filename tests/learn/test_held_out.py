"""A training on recorded or sampled problems ends with a table too."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samples import ROBINSON
from small_runs import TINY, assert_same_run
from threesil.engine import Stop
from threesil.learn import held_out
from threesil.learn.held_out import problems_of
from threesil.learn.task import Task
from threesil.learn.train import resume, train
from threesil.notations.infix import format_term
from threesil.problems.sets import load_set, sample_set
from threesil.runs.run import Run
from threesil.theories import get_theory

FEW = {**TINY, "ME": 2, "m": 20, "f": 20}


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets `train` and `dev` of Robinson arithmetic; five problems are in both."""
    terms = [format_term(p.start, ROBINSON.signature) for p in sample_set(ROBINSON, 105, seed=5)]
    (tmp_path / "data" / "robinson").mkdir(parents=True)
    for name, some in (("train", terms[:40]), ("valid", terms[35:])):
        lines = "".join(f"{term}\t-\t20\n" for term in some)
        path = tmp_path / "data" / "robinson" / f"{name}.tsv.gz"
        path.write_bytes(gzip.compress(lines.encode()))
    monkeypatch.setenv("THREESIL_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("recorded")
def test_normal_forms_are_compared_by_an_episode() -> None:
    run = Path("run")
    done = train("robinson", changes=FEW, out=run)
    (row,) = done.shares
    assert done.finished and row.seconds is None
    known = {problem.start for problem in load_set(ROBINSON, "train")}
    assert row.problems == sum(p.start not in known for p in load_set(ROBINSON, "dev")) > 0
    assert Run(run).shares() == [row]
    Run(run).write_shares([replace(row, problems=1000)])
    assert [r.problems for r in resume(run).shares] == [1000]  # nothing is done again
    (later,) = resume(run, changes={"ME": 3}).shares
    assert later.problems == row.problems

    assert train("robinson", changes=FEW, out=Path("bare"), table=False).shares == ()
    assert not Run(Path("bare")).shares()
    resume(Path("bare"), changes={"ME": 3}, table=False)
    assert_same_run(Path("bare"), run)  # the table costs the training nothing


@pytest.mark.usefixtures("recorded")
def test_a_table_that_was_stopped_is_made_later() -> None:
    stop = Stop()

    def listen(what: str, done: int, total: int) -> None:
        if what.startswith("held out"):
            stop.set()

    done = train("robinson", changes=FEW, out=Path("run"), stop=stop, listen=listen)
    assert (done.finished, done.epochs, done.shares) == (False, 2, ())
    assert not Run(Path("run")).shares()
    again = resume(Path("run"))
    assert again.finished and again.shares


def test_equations_are_compared_by_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(held_out, "MOST", 12)
    done = train("groups", method="3sil", problems="sampled", changes={**FEW, "ME": 1})
    assert [(row.seconds, row.problems) for row in done.shares] == [
        (0.001, 12),
        (0.01, 12),
        (0.1, 12),
        (1.0, 12),
    ]
    assert done.shares[-1].before == 12


def test_the_time_for_a_table_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(held_out, "MOST", 50)
    monkeypatch.setattr(held_out, "ENOUGH", 0.0)
    done = train("groups", method="3sil", problems="sampled", changes={**FEW, "ME": 1})
    assert 0 < done.shares[0].problems < 50  # what comes first is measured in any case


@pytest.mark.usefixtures("recorded")
def test_where_nothing_is_held_back_there_is_no_table() -> None:
    Path("terms.txt").write_text("0 + 0\n1 + 0\n0 * 3\n")
    assert train("robinson", problems="terms.txt", changes=FEW).shares == ()


def test_sets_that_are_not_here_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREESIL_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    changes: dict[str, Any] = {**FEW, "ME": 1}
    done = train("robinson", problems="sampled", changes=changes, say=said.append)
    assert done.finished and done.shares == ()
    (words,) = said
    assert "no table" in words and "problem set dev of robinson" in words
    groups = get_theory("groups")
    assert problems_of(Run(tmp_path), Task(groups, (), "expert", 1, "groups", "mine.txt")) == []
