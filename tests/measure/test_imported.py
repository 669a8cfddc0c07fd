"""Results that were measured elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samples import AIM, equation
from threesil.errors import InputError
from threesil.kernel.outcome import SZS
from threesil.kernel.theory import Problem
from threesil.measure.compare.imported import read_imported
from threesil.measure.results import Results, Row
from threesil.measure.setting import make_setting

NAMES = ("one", "two", "three")


def test_a_table_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "fast_2s.tsv"
    path.write_text("two\tproved\t0.3\t0.2\none\ttimeout\t2.1\t2.0\nfour\tproved\t1\t1\n\n")
    found = read_imported(str(path), NAMES)
    assert (found.name, found.file, found.others) == ("fast_2s", "fast_2s.tsv", 1)
    assert found.rows == {
        "one": Row("one", SZS.TIMEOUT, False, 2.1, 2.0),
        "two": Row("two", SZS.THEOREM, False, 0.3, 0.2),
    }
    assert found.digest is None
    assert read_imported(f"fast={path}", ("one",)).name == "fast"


def test_results_of_threesil_are_imported_as_claims(tmp_path: Path) -> None:
    problems = [Problem("one", equation("e * x = x").start, equation("e * x = x").target)]
    setting = make_setting(problems, lambda _: AIM, AIM, "some.tsv", "best", seconds=2.0)
    with Results(tmp_path / "r.jsonl", setting, ["one"]) as results:
        results.add(Row("one", SZS.THEOREM, True, 0.5, 0.25, 7, 3, "best"))
    found = read_imported(f"old={tmp_path / 'r.jsonl'}", NAMES)
    assert found.rows["one"].claimed and found.rows["one"].cpu_seconds == 0.25
    assert found.digest == setting.digest


def test_rows_of_an_older_threesil_are_imported(tmp_path: Path) -> None:
    row = {"name": "one", "status": "GaveUp", "seconds": 1, "cpu_seconds": 1, "system": "model"}
    (tmp_path / "e.jsonl").write_text(json.dumps(row) + "\n")
    assert read_imported(str(tmp_path / "e.jsonl"), ("one",)).rows["one"].status is SZS.GAVE_UP


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
        ('{"name": "one"}\n', "status is missing"),
        ('{"setting": {"x": 1}}\n', "unknown key 'x'"),
        ('{"setting": 1}\n', "1: expected an object"),
        ('{"name": "one", "status": "?", "seconds": 1, "cpu_seconds": 1}\n', "status should be"),
    ],
)
def test_a_bad_import_is_an_input_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "r.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_imported(str(path), ("one", "two"))


def test_an_import_needs_a_file_and_a_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_imported("nothing.tsv", ("one",))
    path = tmp_path / "two words.tsv"
    path.write_bytes(b"\xff\xfe\x00")
    for name in (path, f"_x={path}", f"../x={path}"):
        with pytest.raises(InputError, match="can't name a solver"):
            read_imported(str(name), ("one",))
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_imported(f"x={path}", ("one",))
