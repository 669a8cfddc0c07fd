"""Results files: rows are kept with how they were made, continued and never mixed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import AIM, ROBINSON, equation, successors
from threesil.errors import InputError
from threesil.files import locked
from threesil.files.json_record import json_record
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import Derivation, certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Problem, Theory
from threesil.measure.results import Results, Row, read_results, row_of
from threesil.measure.setting import Setting, check_names, digest_of, make_setting

TEXTS = {"one": "e * x = x", "two": "x / e = x", "three": "x * e = x"}
PROBLEMS = [Problem(n, equation(t).start, equation(t).target) for n, t in TEXTS.items()]
TIMEOUT = Row("two", SZS.TIMEOUT, False, 2.0, 2.0, 100)
PROVED = Row("one", SZS.THEOREM, True, 0.5, 0.25, 7, 3, "best")


def in_aim(_: Problem) -> Theory:
    return AIM


def setting(problems: list[Problem] = PROBLEMS, **more: Any) -> Setting:
    arguments: dict[str, Any] = {"system": "best", "seconds": 2.0, "seed": 1, **more}
    return make_setting(problems, in_aim, AIM, "some.tsv", **arguments)


SETTING = setting()


def opened(path: Path, setting: Setting = SETTING, **more: Any) -> Results:
    return Results(path, setting, TEXTS, **more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with two rows, in a directory that did not exist."""
    path = tmp_path / "new" / "r.jsonl"
    with opened(path) as results:
        results.add(PROVED)
        results.add(TIMEOUT)
    return path


def test_rows_survive(path: Path) -> None:
    with opened(path) as results:
        assert results.rows == {"one": PROVED, "two": TIMEOUT}
    assert read_results(path) == (SETTING, {"one": PROVED, "two": TIMEOUT})
    first = json.loads(path.read_text().splitlines()[0])["setting"]
    assert first["system"] == "best" and first["version"] and first["format"] == 1


def test_the_same_problems_under_another_name_are_the_same(path: Path) -> None:
    opened(path, replace(SETTING, problems="elsewhere/some.tsv")).close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"system": "plain"}, "another setting: solver best → plain; choose another file"),
        ({"seconds": 1.0}, "seconds 2 → 1"),
        ({"seconds": 3.0, "seed": 2}, "seconds 2 → 3, seed 1 → 2"),
        ({"seconds": None}, "seconds 2 → null"),
        ({"expansions": 9}, "expansions null → 9"),
        ({"memory": 64}, "megabytes of memory null → 64"),
        ({"model": "a" * 64}, "weights null → aaaaaaaaaaaa"),
        ({"options": {"attempts": 3}}, 'options {} → {"attempts": 3}'),
        ({"version": "0.0"}, "version of threesil .* → 0.0"),
    ],
)
def test_another_setting_is_refused(path: Path, change: dict[str, Any], message: str) -> None:
    before = path.read_bytes()
    with pytest.raises(InputError, match=message):
        opened(path, replace(SETTING, **change))
    assert path.read_bytes() == before
    opened(path).close()  # the lock is gone


def test_other_problems_of_the_same_names_are_refused(path: Path) -> None:
    texts = {"one": "x * y = y * x", "two": "x = y", "three": "e = x"}
    others = [Problem(n, equation(t).start, equation(t).target) for n, t in texts.items()]
    with pytest.raises(InputError, match="digest of the problems"):
        opened(path, setting(others))
    theories = {problem.name: AIM.before("id3") for problem in PROBLEMS}
    other = make_setting(
        PROBLEMS, lambda p: theories[p.name], AIM, "some.tsv", "best", seconds=2.0, seed=1
    )
    with pytest.raises(InputError, match="digest of the problems"):
        opened(path, other)


def test_any_limit_may_be_raised_and_none_lowered() -> None:
    begun = replace(SETTING, expansions=100, memory=500)
    raises: tuple[dict[str, Any], ...] = ({"seconds": 3.0}, {"memory": 501, "expansions": 101})
    for raised in raises:
        assert replace(begun, **raised).extends(begun)
        assert not begun.extends(replace(begun, **raised))
    others: tuple[dict[str, Any], ...] = ({}, {"expansions": None}, {"seconds": 3.0, "memory": 499})
    for other in others:
        assert not replace(begun, **other).extends(begun)


def test_more_seconds_try_what_is_undecided_again(path: Path) -> None:
    more = replace(SETTING, seconds=60.0)
    with opened(path, more) as results:
        assert results.rows == {"one": PROVED}
    assert read_results(path) == (more, {"one": PROVED})
    with pytest.raises(InputError, match="seconds 60 → 2"):
        opened(path)


def test_rows_can_be_forgotten(path: Path) -> None:
    with opened(path, keep=lambda row: row.name == "two") as results:
        assert list(results.rows) == ["two"]
    assert list(read_results(path)[1]) == ["two"]


def test_a_row_that_was_cut_off_is_dropped(path: Path) -> None:
    whole = path.read_text()
    line = json.dumps(replace(TIMEOUT, name="three").to_json())
    for kept in (1, 9, 40, len(line)):
        path.write_text(whole + line[:kept])
        assert list(read_results(path)[1]) == ["one", "two"]
        assert path.read_text() != whole  # reading changes nothing
        opened(path).close()
        assert path.read_text() == whole


def test_a_setting_that_was_cut_off_begins_anew(path: Path) -> None:
    whole = path.read_text()
    path.write_text(whole[:40])
    opened(path).close()
    assert path.read_text() == whole.splitlines()[0] + "\n"


ROW = json.dumps(PROVED.to_json())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("nonsense\n", "2: not a row of results"),
        (f"{ROW}\n\n{ROW}\n", "3: not a row"),
        (f"{ROW}\n{ROW}\n", "3: a second row of one"),
        (ROW.replace("one", "four") + "\n", "a row of four, which is no problem"),
        (ROW.replace("Theorem", "Lemma") + "\n", "status should be one of SZS"),
        (ROW.replace("Theorem", "Timeout") + "\n", "a certificate decides"),
        (ROW.replace("0.25", "NaN") + "\n", "NaN is not a number of JSON"),
        (ROW.replace("0.25", "1e999") + "\n", "a number is too large"),
        (ROW.replace("0.25", "-1") + "\n", "cpu_seconds should be a number from 0"),
        (ROW.replace("0.25", '"fast"') + "\n", "cpu_seconds should be a number"),
        (ROW.replace("true", '"yes"') + "\n", "certified should be true or false"),
        (ROW.replace("0.25", '0.25, "colour": 1') + "\n", "unknown key 'colour'"),
        ("[" * 100_000 + "\n", "2: not a row"),
        ("\x00\x00", "not a results file"),
    ],
)
def test_any_other_damage_is_refused(path: Path, rows: str, message: str) -> None:
    text = path.read_text().splitlines()[0] + "\n" + rows
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        opened(path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello\n", "not a results file"),
        (b"hello", "not a results file"),
        (b"{}\n", "not a results file"),
        (b"\xff\xfe\x00", "not a results file"),
        (b'{"setting": 3}\n', "1: not the setting"),
        (b'{"setting": {"format": 1}}\n', "1: not the setting .* problems is missing"),
        (b'{"setting": {"format": 2}}\n', "has format 2, this threesil writes 1"),
        (b'{"name": "one", "status": "Theorem", "seconds": 1}\n', "not a results file"),
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        opened(path)
    assert path.read_bytes() == content


def test_nobody_else_can_write(path: Path) -> None:
    with opened(path), pytest.raises(InputError, match="being written to"):
        opened(path)
    with locked(path), pytest.raises(InputError, match="being written to"):
        opened(path)
    opened(path).close()


def test_names_are_unique() -> None:
    twice = [replace(p, line=k) for k, p in enumerate([*PROBLEMS, PROBLEMS[1]], 5)]
    message = r"f.tsv has two problems with the name two: number 2 \(line 6\) and number 4 \(line 8"
    with pytest.raises(InputError, match=message):
        check_names(twice, "f.tsv")
    with pytest.raises(InputError, match="two problems with the name two"):
        setting(twice)
    with pytest.raises(InputError, match="no problems"):
        setting([])
    with pytest.raises(InputError, match="expected a number of seconds, not inf"):
        setting(seconds=float("inf"))


# Digests


def digest(*problems: Problem) -> str:
    return digest_of(problems, in_aim)


def test_what_reads_alike_but_differs_has_another_digest() -> None:
    x, e = var("x"), app("e")
    made = [
        Problem("p", app("f", x, e), e),
        Problem("p", app("f", x, app("x")), e),
        Problem("p", app("f(?x, e)"), e),
        Problem("p", app("f", x), e),
        Problem("p", e, app("f", x, e)),
        Problem("p", app("f", x, e)),
        Problem("p", app("f", x, e), e, exists=("x",)),
        Problem("q", app("f", x, e), e),
    ]
    assert len({digest(problem) for problem in made}) == len(made)
    first, second = made[0], replace(made[1], name="q")
    assert digest(first, second) != digest(second, first)
    assert digest(first) != digest_of([first], lambda _: ROBINSON)


def test_shared_terms_are_hashed_once_and_alike() -> None:
    shared = var("x")
    for _ in range(500):
        shared = app("*", shared, shared)  # 2^501 - 1 nodes
    assert digest(Problem("p", shared, shared)) == digest(Problem("p", shared, shared))
    apart = app("*", app("*", var("x"), var("y")), app("*", var("x"), var("y")))
    together = app("*", *[app("*", var("x"), var("y"))] * 2)
    assert digest(Problem("p", apart)) == digest(Problem("p", together))
    deep = successors(50_000, app("0"))
    assert digest(Problem("p", deep)) != digest(Problem("p", app("S", deep)))


# Rows


def test_the_row_of_an_outcome() -> None:
    problem = PROBLEMS[0]
    outcome = Outcome(problem, SZS.TIMEOUT, 1.23456789, 1.0, 10, "plain", reason="no time")
    row = replace(row_of(outcome, AIM, problem, "high"), attempts=None)
    assert row == Row("one", SZS.TIMEOUT, False, 1.234568, 1.0, 10, None, "plain",
                      stratum="high", reason="no time")  # fmt: skip
    assert set(row.to_json()) == {
        *("name", "status", "certified", "seconds", "cpu_seconds", "expansions", "by"),
        *("stratum", "reason"),
    }
    x = var("x")
    proof = certify(AIM, Problem("r", x, x), Derivation(x, ()))
    row = row_of(Outcome(proof.problem, SZS.THEOREM, proof=proof), proof.theory, proof.problem)
    assert (row.solved, row.certified, row.claimed, row.rewrites) == (True, True, False, 0)
    assert row_of(Outcome(problem, SZS.THEOREM, by="e"), AIM, problem).claimed


@given(
    st.text(),
    st.sampled_from(list(SZS)),
    st.floats(0, 1e9),
    st.none() | st.integers(0, 2**63 - 1),
    st.text(),
)
def test_rows_are_read_as_written(
    name: str, status: SZS, seconds: float, steps: int | None, reason: str
) -> None:
    certified = status is SZS.THEOREM
    row = Row(name, status, certified, seconds, seconds, 3, steps, steps=steps, reason=reason)
    assert json_record(Row, json.loads(json.dumps(row.to_json()))) == row
