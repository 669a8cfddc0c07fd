"""The directory of a comparison: rows are kept, continued and never mixed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from threesil.compare.imported import read_imported
from threesil.compare.results import Comparison, Row, Setting, make_setting, this_machine
from threesil.errors import InputError
from threesil.problems import parse_problem
from threesil.theories import AIM
from threesil.theory import Problem

PROBLEMS = [
    Problem(name, *(lambda p: (p.start, p.target))(parse_problem(text, AIM)))
    for name, text in (("one", "e * x = x"), ("two", "x / e = x"), ("three", "x * e = x"))
]
SETTING = make_setting(AIM, PROBLEMS, "some.tsv", 2.0, 512)
FACTS = {"version": "1", "command": "a"}


@pytest.fixture
def comparison(tmp_path: Path) -> Comparison:
    made = Comparison(tmp_path / "c", SETTING)
    made.enter("a", FACTS)
    made.begin(this_machine(2))
    return made


def again(comparison: Comparison, setting: Setting = SETTING) -> Comparison:
    return Comparison(comparison.directory, setting)


def test_rows_survive(comparison: Comparison) -> None:
    row = Row("a", "two", "Theorem", 0.5, 0.25)
    comparison.add(row)
    assert again(comparison).rows("a") == {"two": row}
    todo = [(problem.name, system) for problem, system in comparison.missing(PROBLEMS, ("a", "b"))]
    assert todo == [("one", "a"), ("one", "b"), ("two", "b"), ("three", "a"), ("three", "b")]


@pytest.mark.parametrize("kept", [1, 9, 40])
def test_a_row_that_was_cut_off_is_tried_again(comparison: Comparison, kept: int) -> None:
    comparison.add(Row("a", "one", "Theorem", 0.5, 0.25))
    whole = comparison.path("a").read_text()
    comparison.path("a").write_text(whole + whole.replace("one", "two")[: kept + 1])
    assert list(comparison.rows("a")) == ["one"]
    assert comparison.path("a").read_text() == whole


def test_a_first_row_that_was_cut_off_is_tried_again(comparison: Comparison) -> None:
    comparison.path("a").write_text('{"system": "a", "na')
    assert comparison.rows("a") == {}


@pytest.mark.parametrize(
    "text", ["hello\n", "{}\n{}\n", '{"name": 1}\nnonsense\n{"name": 2}\n', "{"]
)
def test_a_spoilt_file_is_left_alone(comparison: Comparison, text: str) -> None:
    comparison.path("a").write_text(text)
    with pytest.raises(InputError, match="left alone"):
        comparison.rows("a")
    assert comparison.path("a").read_text() == text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seconds": 3.0}, "with seconds 2.0, not 3.0"),
        ({"memory": 64}, "memory in megabytes 512, not 64"),
        ({"theory": "other"}, "with theory aim, not other"),
        ({"digest": "0"}, r"with other problems or another theory \(some.tsv\)"),
    ],
)
def test_another_setting_is_refused(
    comparison: Comparison, change: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        again(comparison, replace(SETTING, **change))  # type: ignore[arg-type]


def test_the_same_problems_under_another_name_are_the_same(comparison: Comparison) -> None:
    again(comparison, replace(SETTING, problems="elsewhere/some.tsv"))


def test_changed_problems_have_another_digest() -> None:
    assert make_setting(AIM, PROBLEMS[:2], "some.tsv", 2.0, 512).digest != SETTING.digest
    with pytest.raises(InputError, match="two problems with the name one"):
        make_setting(AIM, [*PROBLEMS, PROBLEMS[0]], "some.tsv", 2.0, 512)
    with pytest.raises(InputError, match="no problems"):
        make_setting(AIM, [], "some.tsv", 2.0, 512)


def test_a_system_may_be_added_but_not_replaced(comparison: Comparison) -> None:
    more = again(comparison)
    more.enter("b", FACTS)
    more.enter("a", dict(FACTS))
    with pytest.raises(InputError, match="results of another a"):
        more.enter("a", {**FACTS, "version": "2"})


def test_runs_on_one_machine_are_mentioned_once(comparison: Comparison) -> None:
    more = again(comparison)
    more.begin(comparison.runs[0])
    more.begin(None)
    more.begin({**comparison.runs[0], "workers": 3})
    assert [run["workers"] for run in again(comparison).runs] == [2, 3]


def test_a_foreign_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("important")
    with pytest.raises(InputError, match="holds something else"):
        Comparison(tmp_path, SETTING)
    with pytest.raises(InputError, match="not a directory"):
        Comparison(tmp_path / "thesis.tex", SETTING)
    (tmp_path / "compare.json").write_text("[]")
    with pytest.raises(InputError, match="not written by threesil compare"):
        Comparison(tmp_path, SETTING)


def test_a_table_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "fast_2s.tsv"
    path.write_text("two\tproved\t0.3\t0.2\none\ttimeout\t2.1\t2.0\nfour\tproved\t1\t1\n\n")
    found = read_imported(str(path), ("one", "two", "three"))
    assert (found.name, found.file, found.others) == ("fast_2s", "fast_2s.tsv", 1)
    assert found.rows == {
        "one": Row("fast_2s", "one", "Timeout", 2.1, 2.0),
        "two": Row("fast_2s", "two", "Theorem", 0.3, 0.2),
    }
    assert read_imported(f"fast={path}", ("one",)).name == "fast"


def test_rows_of_threesil_are_imported(tmp_path: Path, comparison: Comparison) -> None:
    comparison.add(Row("a", "one", "Theorem", 0.5, 0.25))
    found = read_imported(f"old={comparison.path('a')}", ("one", "two"))
    assert found.rows == {"one": Row("old", "one", "Theorem", 0.5, 0.25)}
    row = {"name": "one", "status": "GaveUp", "seconds": 1, "cpu_seconds": 1, "expansions": 7}
    (tmp_path / "e.jsonl").write_text(json.dumps(row) + "\n")
    assert read_imported(str(tmp_path / "e.jsonl"), ("one",)).rows["one"].status == "GaveUp"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one\tproved\t1\n", "1: expected name, status"),
        ("one\tproved\t1\tfast\n", "1: expected numbers"),
        ("one\tperhaps\t1\t1\n", "unknown status 'perhaps'"),
        ("one\tproved\t1\tnan\n", "can't be negative or infinite"),
        ("one\tproved\t1\t1\none\ttimeout\t1\t1\n", "2: a second row for one"),
        ("zero\tproved\t1\t1\n", "none of the problems"),
        ("", "none of the problems"),
        ('{"name": "one"\n', "not a JSON object"),
        ('{"name": "one"}\n', "expected name, status, seconds and cpu_seconds"),
    ],
)
def test_a_bad_import_is_an_input_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "r.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_imported(str(path), ("one", "two"))


def test_an_import_needs_a_file_and_a_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_imported("nothing.tsv", ("one",))
    path = tmp_path / "two words.tsv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="can't name a system"):
        read_imported(str(path), ("one",))
    with pytest.raises(InputError, match="not a text file"):
        read_imported(f"x={path}", ("one",))
