"""The comparison as a function: progress, stopping, going on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from samples import AIM, equation
from threesil.engine import Stop
from threesil.errors import InputError
from threesil.kernel.theory import Problem
from threesil.measure.compare.contest import Question, compare
from threesil.measure.results import Row, read_results
from threesil.problems import ProblemSet

TEXTS = {"one": "e * x = x", "two": "x / e = x"}
GIVEN = ProblemSet(
    AIM, tuple(Problem(n, equation(t).start, equation(t).target) for n, t in TEXTS.items())
)
PLAIN = Question(["plain"], seconds=5.0)


def test_progress_hears_of_each_row_and_nothing_is_tried_twice(tmp_path: Path) -> None:
    heard: list[tuple[str, str, int, int]] = []

    def progress(system: str, row: Row, done: int, of: int) -> None:
        heard.append((system, row.name, done, of))

    compared = compare(GIVEN, PLAIN, tmp_path / "c", name="some.tsv", progress=progress)
    assert heard == [("plain", "one", 1, 2), ("plain", "two", 2, 2)]
    assert compared.page == tmp_path / "c" / "report.html"
    assert compared.standing.union == {"one", "two"}
    assert "on some.tsv" in (tmp_path / "c" / "report.md").read_text()
    both = replace(PLAIN, systems=["plain", "saturate"])
    again = compare(GIVEN, both, tmp_path / "c", progress=progress)
    assert [h[0] for h in heard[2:]] == ["saturate", "saturate"]
    assert [e.name for e in again.standing.entrants] == ["plain", "saturate"]


def test_stopping_keeps_what_is_done(tmp_path: Path) -> None:
    stop, false = Stop(), equation("x * y = y * x")
    endless = Problem("endless", false.start, false.target)
    given = ProblemSet(AIM, (GIVEN.problems[0], endless))
    question = replace(PLAIN, seconds=600.0)
    compared = compare(given, question, tmp_path / "c", progress=lambda *_: stop.set(), stop=stop)
    assert (compared.page, compared.left) == (None, 1)
    assert set(read_results(tmp_path / "c" / "results" / "plain.jsonl")[1]) == {"one"}


def test_imports_join_by_name(tmp_path: Path) -> None:
    compare(GIVEN, PLAIN, tmp_path / "c")
    file = tmp_path / "c" / "results" / "plain.jsonl"
    question = replace(PLAIN, systems=[], imports=[f"other={file}"])
    compared = compare(GIVEN, question, tmp_path / "c")
    assert [e.name for e in compared.standing.entrants] == ["plain", "other"]
    assert compared.standing.entrants[1].claimed() == 2
    with pytest.raises(InputError, match="two systems are called plain"):
        compare(GIVEN, replace(question, imports=[str(file)]), tmp_path / "c")
    less = replace(GIVEN, problems=GIVEN.problems[:1])
    compare(less, replace(question, systems=["saturate"]), tmp_path / "less")
    text = (tmp_path / "less" / "report.md").read_text()
    assert "other: its file says that it was made with another set of problems" in text


def test_imports_alone_are_compared(tmp_path: Path) -> None:
    (tmp_path / "v.tsv").write_text("one\tproved\t1\t1\n")
    question = Question([], 5.0, imports=[str(tmp_path / "v.tsv")])
    compared = compare(GIVEN, question, tmp_path / "c")
    assert [e.name for e in compared.standing.entrants] == ["v"]
    with pytest.raises(InputError, match="nothing to compare"):
        compare(GIVEN, Question([]), tmp_path / "d")
    assert not (tmp_path / "d").exists()
