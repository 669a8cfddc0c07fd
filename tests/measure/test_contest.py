"""The comparison as a function: progress, stopping, resuming."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from samples import AIM, equation, untrained
from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.kernel.theory import Problem
from threesil.measure.compare.contest import compare
from threesil.measure.results import Row, counts_of, read_results
from threesil.problems.sets import ProblemSet, open_set
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


def test_who_can_t_run_is_refused_before_anybody_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.thy").write_text("Axiom u: e * x = x.\nTheorem t: e * e = e.\n")
    (tmp_path / "set" / "b.thy").write_text("Axiom u: f(f(x)) = x.\nTheorem t: f(f(c)) = c.\n")
    given = open_set(str(tmp_path / "set"))
    request = replace(REQUEST, weights=untrained(given.theories[0]))
    with pytest.raises(InputError, match=r"guided can't run: weights of a, not of b"):
        compare(given, ["guided"], request, tmp_path / "c")
    program = tmp_path / "broken"
    program.write_text("#!/bin/sh\necho no library\nexit 127\n")
    program.chmod(0o755)
    monkeypatch.setenv("THREESIL_E", str(program))
    for name in ("e", "e-auto"):
        with pytest.raises(MissingTool, match="broken can't be run: exit code 127: no library"):
            compare(given, ["plain", name], REQUEST, tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_a_file_that_can_t_be_read_is_a_row_of_every_solver(tmp_path: Path) -> None:
    given = replace(GIVEN, refused={"x.p": "x.p:1:2: why"})
    for solvers in (PLAIN, ["saturate"]):
        compared = compare(given, solvers, REQUEST, tmp_path / "c")
    for entrant in compared.standing.entrants:
        assert counts_of(entrant.rows.values()) == {
            "proved": 2,
            "refuted": 0,
            "open": 0,
            "refused": 1,
        }
        assert entrant.rows["x.p"].reason == "x.p:1:2: why"
    text = (tmp_path / "c" / "report.md").read_text()
    assert "2 problems of aim" in text and "x.p:1:2: why" in text


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
