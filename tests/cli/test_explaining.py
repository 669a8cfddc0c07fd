"""prove --explain: where the time went, for people and for programs."""

from __future__ import annotations

import pytest
from rich.console import Console

from threesil.cli import explaining
from threesil.engine import Budget
from threesil.kernel.outcome import SZS, Outcome, Turn
from threesil.kernel.theory import Problem
from threesil.problems.files import parse_problem
from threesil.search.solvers import make_solver
from threesil.theories import get_theory

GROUPS = get_theory("groups")
GOAL = parse_problem("i(x * y) = i(y) * i(x)", GROUPS)


def outcome(solver: str, problem: Problem = GOAL, seconds: float = 10.0) -> Outcome:
    return make_solver(solver, GROUPS).solve(problem, Budget(None, seconds))


@pytest.mark.parametrize("solver", ["unguided", "complete", "saturate"])
def test_turns_add_up(solver: str) -> None:
    found = outcome(solver)
    assert found.turns and found.turns[-1].status == "proved"
    assert sum(turn.expansions for turn in found.turns) == found.expansions
    assert 0 < sum(turn.seconds for turn in found.turns) <= found.cpu_seconds


def test_a_policy_has_its_turn() -> None:
    aim = get_theory("aim")
    found = make_solver("greedy", aim).solve(parse_problem("x * (x \\ y) = y", aim), Budget())
    (turn,) = found.turns
    assert (turn.solver, turn.status, turn.expansions) == ("greedy", "proved", found.expansions)


def test_completion_tells_what_it_counted() -> None:
    (turn,) = outcome("complete").turns
    assert turn.figures["rules"] > 3 and turn.figures["pairs"] > turn.figures["rules"]
    assert turn.figures["distance"] > 0 and turn.figures["rewrites"] > 0


def test_lines_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    found = outcome("unguided", parse_problem("c(x,y) = c(y,x)", GROUPS), 0.2)
    explaining.show_turns(found)
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("% ") for line in lines)
    assert lines[0].split()[1:4] == ["search", "CPU", "s"] and "pairs" in lines[0]
    assert len(lines) == len(found.turns) + 3
    assert lines[-1].split()[1] == "all" and lines[-1].endswith(str(found.status))


def test_a_table_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(explaining, "out", Console(force_terminal=True, width=120))
    explaining.show_turns(outcome("complete"))
    shown = capsys.readouterr().out
    assert "%" not in shown and "search" in shown and "\x1b[" in shown


def test_strange_names_stay_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    turn = Turn("\x1b[31m", 0.1, 1, "seconds", {"terms": 3})
    explaining.show_turns(Outcome(GOAL, SZS.TIMEOUT, cpu_seconds=0.1, turns=(turn,)))
    assert "\x1b" not in capsys.readouterr().out
