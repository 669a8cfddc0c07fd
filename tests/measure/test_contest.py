"""The comparison as a function: progress, stopping, resuming."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from samples import AIM, equation, untrained
from threesil.engine import Stop
from threesil.errors import InputError
from threesil.kernel.theory import Problem
from threesil.measure.compare.contest import compare
from threesil.measure.results import Row, read_results
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request

TEXTS = {"one": "e * x = x", "two": "x / e = x"}
GIVEN = ProblemSet(
    AIM, tuple(Problem(n, equation(t).start, equation(t).target) for n, t in TEXTS.items())
)
REQUEST = Request(seconds=20.0)
PLAIN = ["plain"]


def test_progress_hears_of_each_row_and_nothing_is_tried_twice(tmp_path: Path) -> None:
    heard: list[tuple[str, str, int, int]] = []

    def progress(solver: str, row: Row, done: int, of: int) -> None:
        heard.append((solver, row.name, done, of))

    compared = compare(GIVEN, PLAIN, REQUEST, tmp_path / "c", name="some.tsv", progress=progress)
    assert heard == [("plain", "one", 1, 2), ("plain", "two", 2, 2)]
    assert compared.page == tmp_path / "c" / "report.html"
    assert compared.standing.union == {"one", "two"}
    assert "on some.tsv" in (tmp_path / "c" / "report.md").read_text()
    both = ["plain", "saturate"]
    again = compare(GIVEN, both, REQUEST, tmp_path / "c", progress=progress)
    assert [h[0] for h in heard[2:]] == ["saturate", "saturate"]
    assert [e.name for e in again.standing.entrants] == ["plain", "saturate"]


def test_stopping_keeps_what_is_done(tmp_path: Path) -> None:
    stop, false = Stop(), equation("x * y = y * x")
    endless = Problem("endless", false.start, false.target)
    given = ProblemSet(AIM, (GIVEN.problems[0], endless))
    request = replace(REQUEST, seconds=600.0)
    path = tmp_path / "c"
    compared = compare(given, PLAIN, request, path, progress=lambda *_: stop.set(), stop=stop)
    assert (compared.page, compared.left) == (None, 1)
    assert set(read_results(path / "results" / "plain.jsonl")[1]) == {"one"}


def test_imports_join_by_name(tmp_path: Path) -> None:
    compare(GIVEN, PLAIN, REQUEST, tmp_path / "c")
    file = tmp_path / "c" / "results" / "plain.jsonl"
    imports = [f"other={file}"]
    compared = compare(GIVEN, [], REQUEST, tmp_path / "c", imports=imports)
    assert [e.name for e in compared.standing.entrants] == ["plain", "other"]
    assert compared.standing.entrants[1].claimed() == 2
    with pytest.raises(InputError, match="two solvers are called plain"):
        compare(GIVEN, [], REQUEST, tmp_path / "c", imports=[str(file)])
    less = replace(GIVEN, problems=GIVEN.problems[:1])
    compare(less, ["saturate"], REQUEST, tmp_path / "less", imports=imports)
    text = (tmp_path / "less" / "report.md").read_text()
    assert "other: its file says that it was made with another set of problems" in text


def test_imports_alone_are_compared(tmp_path: Path) -> None:
    (tmp_path / "v.tsv").write_text("one\tproved\t1\t1\n")
    imports = [str(tmp_path / "v.tsv")]
    compared = compare(GIVEN, [], REQUEST, tmp_path / "c", imports=imports)
    assert [e.name for e in compared.standing.entrants] == ["v"]
    with pytest.raises(InputError, match="nothing to compare"):
        compare(GIVEN, [], REQUEST, tmp_path / "d")
    assert not (tmp_path / "d").exists()


def test_each_solver_has_the_request_and_its_own_name(tmp_path: Path) -> None:
    """Weights are only given to those that use them; if none does, they are refused."""
    untrained(AIM).save(tmp_path / "weights")
    request = replace(REQUEST, weights=str(tmp_path / "weights"))
    compared = compare(GIVEN, ["plain", "guided"], request, tmp_path / "c")
    plain, guided = compared.standing.entrants
    assert "--weights" not in plain.description["command"]
    assert f"--weights {tmp_path / 'weights'}" in guided.description["command"]
    with pytest.raises(InputError, match="none of the solvers uses weights"):
        compare(GIVEN, PLAIN, request, tmp_path / "d")
