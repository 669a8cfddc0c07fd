"""Targets: what the words on a command line stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from samples import GROUPS_FILE
from threesil.errors import InputError
from threesil.kernel.theory import Theory
from threesil.problems.targets import DEFAULT_THEORY, read_targets
from threesil.theories import get_theory

GROUPS = get_theory("groups")
TPTP = "cnf(unit, axiom, f(e,X) = X).\n"
GOAL = "cnf({0}, negated_conjecture, f(e,{0}) != {0}).\n"


def usual() -> Theory:
    return GROUPS


def test_an_equation_is_about_the_theory_that_is_named_or_the_usual_one() -> None:
    (target,) = read_targets(["x * e = x"])
    assert target.theory.name == DEFAULT_THEORY
    (target,) = read_targets(["x * e = x"], usual=usual)
    assert target.theory is GROUPS
    (target,) = read_targets(["x * e = x"], "moufang", usual=usual)
    assert target.theory.name == "moufang"
    assert [problem.name for problem in target.problems] == ["x * e = x"]
    assert not (target.any_goal or target.no_goal or target.notes)


def test_the_usual_theory_is_only_made_where_it_is_asked_for(tmp_path: Path) -> None:
    def never() -> Theory:
        raise AssertionError

    (tmp_path / "own.p").write_text(TPTP + GOAL.format("a"))
    read_targets([str(tmp_path / "own.p")], usual=never)
    read_targets(["x * e = x"], "groups", usual=never)


def test_a_file_with_equations_of_its_own_is_the_theory(tmp_path: Path) -> None:
    path = tmp_path / "own.p"
    path.write_text(TPTP + GOAL.format("a") + GOAL.format("b"))
    (target,) = read_targets([str(path)])
    assert (target.theory.name, len(target.problems), target.any_goal) == ("own", 2, True)


def test_a_file_of_problems_is_about_a_theory(tmp_path: Path) -> None:
    path = tmp_path / "goals.tsv"
    path.write_text("one\tx * e = x\ntwo\te * x = x\n")
    (target,) = read_targets([str(path)], "groups")
    assert [problem.name for problem in target.problems] == ["one", "two"]
    assert not target.any_goal


def test_a_file_without_a_goal_asks_for_a_model(tmp_path: Path) -> None:
    path = tmp_path / "groups.thy"
    path.write_text(GROUPS_FILE)
    (target,) = read_targets([str(path)])
    assert target.no_goal and len(target.problems) == 1
    assert "there is no goal in it" in target.notes[-1]


def test_what_is_typed_is_an_equation_a_line_or_a_whole_file() -> None:
    found = read_targets(["-"], "groups", typed="x * e = x\n\ne * x = x\n")
    assert [target.problems[0].name for target in found] == ["x * e = x", "e * x = x"]
    (target,) = read_targets(["-"], typed=TPTP + GOAL.format("a"))
    assert target.theory.name == "input"


def test_assumptions_are_added_to_whatever_theory() -> None:
    (target,) = read_targets(["x * y = y * x"], "groups", ["x * x = e", "e = e"])
    added = target.theory.equations[len(GROUPS.equations) :]
    assert [equation.name for equation in added] == ["assumption 1", "assumption 2"]


@pytest.mark.parametrize(
    ("text", "typed", "assume", "said"),
    [
        ("gone/file.p", "", [], "there is no such file"),
        ("-", " \n", [], "nothing was given"),
        ("-", "x = x\nx * = y\n", [], "expected a term"),
        ("x = x", "", ["exists y: x * y = e"], "holds for all values"),
        ("-", GOAL.format("a"), [], "no equations in this file"),
    ],
)
def test_what_is_wrong_is_said(text: str, typed: str, assume: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_targets([text], None, assume, typed, usual)


def test_a_bad_line_is_named() -> None:
    with pytest.raises(InputError) as caught:
        read_targets(["-"], "groups", typed="x = x\nx * = y\n")
    assert (caught.value.line, caught.value.column) == (2, 5)
