"""Tasks and pairs that fail: what was found counts, the reason is kept, others continue."""

from __future__ import annotations

from pathlib import Path

import pytest

from threesil.engine import Budget, Found, Status
from threesil.implications.equations import EquationList, read_equations
from threesil.implications.explore import Explorer
from threesil.implications.graph import write
from threesil.implications.pairs import Decider, InTurn, decide_pairs
from threesil.implications.store import TRIED, Store, lines
from threesil.implications.tasks import Report, Task, do
from threesil.kernel.outcome import OUT_OF_MEMORY, SZS, Outcome
from threesil.kernel.theory import Problem
from threesil.search.finite.finder import Sought


@pytest.fixture
def given(tmp_path: Path) -> EquationList:
    path = tmp_path / "equations.txt"
    path.write_text("x * y = z\nx * y = y * x\nx * x = x\n")
    return read_equations(path)


ERRORS = [
    (MemoryError(), SZS.RESOURCE_OUT, OUT_OF_MEMORY),
    (ZeroDivisionError("a mistake"), SZS.ERROR, "ZeroDivisionError: a mistake (test_failures.py"),
]


@pytest.mark.parametrize(("error", "status", "reason"), ERRORS)
def test_a_pair_that_fails_stays_open_and_says_why(
    error: Exception,
    status: SZS,
    reason: str,
    given: EquationList,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = InTurn.search

    def search(self: InTurn, problem: Problem, budget: Budget) -> Found:
        if problem == given.problem((0, 1)):
            raise error
        return real(self, problem, budget)

    monkeypatch.setattr(InTurn, "search", search)
    rows = decide_pairs(given, [(0, 1), (0, 2)], seconds=5.0)
    assert [row.status for row in rows] == [status, SZS.THEOREM]
    assert rows[0].reason.startswith(reason)


def test_a_pair_for_which_memory_is_too_small(
    given: EquationList, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Found:
        return Found(Status.MEMORY, 0)

    monkeypatch.setattr("threesil.engine.CompletionRun.run", full)
    monkeypatch.setattr("threesil.engine.SaturationRun.run", full)
    monkeypatch.setattr(
        "threesil.search.finite.finder.Finder.run", lambda *_: Sought((None,), Status.MEMORY)
    )
    assert Decider(given).decide((0, 1), 20.0).status is SZS.RESOURCE_OUT


@pytest.mark.parametrize(("error", "_", "reason"), ERRORS)
def test_a_task_that_fails_keeps_what_it_found(
    error: Exception, _: SZS, reason: str, given: EquationList, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = InTurn.solve

    def solve(self: InTurn, problem: Problem, budget: Budget) -> Outcome:
        if given.problem((0, 2)) == problem:
            raise error
        return real(self, problem, budget)

    monkeypatch.setattr(InTurn, "solve", solve)
    report = do(Task("prove", 0, (1, 2), 5.0), given)
    assert list(report.proofs) == [1]
    assert report.failed.startswith(reason)


def test_a_directory_keeps_the_reason(given: EquationList, tmp_path: Path) -> None:
    path = tmp_path / "graph"
    with Store(path, given) as store:
        explorer = Explorer(given, store)
        task = Task("prove", 0, (1, 2), 5.0)
        explorer._receive(Report(task, 0.1, failed="a mistake"), explorer.relation.refuted.copy())
    (line,) = [line for _, line in lines(path / TRIED)]
    assert line["failed"] == "a mistake"
    assert any(
        "1 tasks failed" in note and "a mistake" in note for note in write(given, path).notes
    )
