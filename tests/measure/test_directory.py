"""The directory of a comparison: systems are kept, continued and never mixed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samples import AIM, equation
from threesil.errors import InputError
from threesil.kernel.outcome import SZS
from threesil.kernel.theory import Problem
from threesil.measure.compare.directory import Comparison, this_machine
from threesil.measure.results import Row
from threesil.measure.setting import Setting, make_setting

TEXTS = {"one": "e * x = x", "two": "x / e = x", "three": "x * e = x"}
PROBLEMS = [Problem(n, equation(t).start, equation(t).target) for n, t in TEXTS.items()]
NAMES = tuple(TEXTS)
ROW = Row("two", SZS.THEOREM, True, 0.5, 0.25)
LATE = Row("one", SZS.TIMEOUT, False, 2.0, 2.0)


def setting(system: str, **more: Any) -> Setting:
    facts = {"seconds": 2.0, "memory": 512, "options": {"program": "1"}, **more}
    return make_setting(PROBLEMS, lambda _: AIM, AIM, "some.tsv", system, **facts)


A = setting("a")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A comparison with two rows of one system."""
    with Comparison(tmp_path / "c") as comparison:
        results = comparison.enter(A, NAMES)
        comparison.begin(this_machine(2))
        results.add(ROW)
        results.add(LATE)
    return tmp_path / "c"


def test_rows_survive(directory: Path) -> None:
    with Comparison(directory) as comparison:
        assert comparison.settings == {"a": A}
        assert comparison.rows("a") == {"two": ROW, "one": LATE}


def test_systems_that_are_added_keep_the_earlier_ones(directory: Path) -> None:
    with Comparison(directory) as comparison:
        comparison.enter(setting("z"), NAMES)
        comparison.enter(setting("b"), NAMES)
        comparison.begin(None)
    with Comparison(directory) as comparison:
        assert list(comparison.settings) == ["a", "z", "b"]
        assert comparison.rows("b") == {}


@pytest.mark.parametrize("system", ["a", "b"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seconds": 1.0}, "seconds 2 → 1; choose another directory with --out"),
        ({"memory": 64}, "megabytes of memory 512 → 64"),
        ({"theory": "other"}, "theory aim → other"),
        ({"digest": "0"}, r"another setting \(some.tsv\): digest of the problems"),
    ],
)
def test_another_setting_is_refused(
    directory: Path, change: dict[str, Any], message: str, system: str
) -> None:
    before = {p: p.read_bytes() for p in directory.rglob("*") if p.is_file()}
    with Comparison(directory) as comparison, pytest.raises(InputError, match=message):
        comparison.enter(replace(setting(system), **change), NAMES)
    assert {p: p.read_bytes() for p in directory.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": {"program": "2"}}, "results of another a: options .* or remove .*a.jsonl"),
        ({"model": "b" * 64}, "another a: weights null → bbbbbbbbbbbb"),
        ({"version": "0.0"}, "another a: version of threesil"),
    ],
)
def test_a_system_cannot_be_replaced(directory: Path, change: dict[str, Any], message: str) -> None:
    with Comparison(directory) as comparison:
        with pytest.raises(InputError, match=message):
            comparison.enter(replace(A, **change), NAMES)
        comparison.enter(replace(setting("b"), **change), NAMES)


@pytest.mark.parametrize(
    ("more", "message"), [({"seconds": 60.0}, "seconds 60 → 2"), ({"memory": 1024}, "1024 → 512")]
)
def test_higher_limits_try_what_is_undecided_again(
    directory: Path, more: dict[str, Any], message: str
) -> None:
    with Comparison(directory) as comparison:
        results = comparison.enter(replace(setting("a"), **more), NAMES)
        assert results.rows == {"two": ROW}
        with pytest.raises(InputError, match=message):
            comparison.enter(setting("b"), NAMES)


def test_runs_on_one_machine_are_mentioned_once(directory: Path) -> None:
    for workers in (2, 3, 2):
        with Comparison(directory) as comparison:
            comparison.begin({**comparison.runs[0], "workers": workers})
            comparison.begin(None)
    with Comparison(directory) as comparison:
        assert [run["workers"] for run in comparison.runs] == [2, 3]


def test_nobody_else_can_write(directory: Path) -> None:
    with Comparison(directory), pytest.raises(InputError, match="being written to"):
        Comparison(directory)
    Comparison(directory).close()


def test_what_a_killed_process_leaves_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / ".lock").write_text("4711")
    Comparison(tmp_path / "c").close()


def test_a_foreign_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("important")
    with pytest.raises(InputError, match="holds something else"):
        Comparison(tmp_path)
    with pytest.raises(InputError, match="not a directory"):
        Comparison(tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "not written by threesil compare"),
        ({"format": 1}, "not written by threesil compare"),
        ({"format": 2, "systems": [], "runs": []}, "has format 2, this threesil writes 1"),
    ],
)
def test_another_format_is_refused(tmp_path: Path, value: object, message: str) -> None:
    (tmp_path / "compare.json").write_text(json.dumps(value))
    with pytest.raises(InputError, match=message):
        Comparison(tmp_path)


def test_a_spoilt_file_is_left_alone(directory: Path) -> None:
    path = directory / "results" / "a.jsonl"
    path.write_text(path.read_text() + "nonsense\n")
    with pytest.raises(InputError, match="left alone"):
        Comparison(directory)
    assert path.read_text().endswith("nonsense\n")
