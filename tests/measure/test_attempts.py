"""Attempts in processes of their own, which end with their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from typing import Any

import psutil
import pytest

from threesil.engine import Stop
from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome
from threesil.measure.compare import contest
from threesil.measure.compare.contest import Attempt, Conditions, run
from threesil.problems.files import parse_problem
from threesil.provers.request import Request
from threesil.search.single import Plain
from threesil.theories.aim import AIM
from threesil.work import processes
from threesil.work.processes import Child, Died
from waiting import HANG, wait_until

EASY = parse_problem("x * T(y,x) = y * x", AIM)
FALSE = parse_problem("x * y = y * x", AIM)
HUGE = parse_problem(" * ".join("x" * 1200) + " = x", AIM)


def within(seconds: float, **more: Any) -> Conditions:
    return Conditions(AIM, Request(seconds=seconds, **more))


def test_rows_come_from_several_lanes() -> None:
    jobs = [Attempt(solver, problem) for problem in (EASY, HUGE) for solver in ("best", "plain")]
    with closing(run(jobs, within(10), workers=2)) as rows:
        found = sorted((solver, row.name, row.solved, row.certified) for solver, row in rows)
    names = [(EASY.name, True), (HUGE.name, False)]
    expected = [(s, name, yes, yes) for s in ("best", "plain") for name, yes in names]
    assert found == sorted(expected)


def test_a_job_may_have_a_theory_of_its_own() -> None:
    before = AIM.before(AIM.lemmas[0].name)
    problem = parse_problem("e * x = x", before)
    with closing(run([Attempt("plain", problem, before)], within(10))) as rows:
        assert [row.certified for _, row in rows] == [True]


def test_closing_stops_what_is_running() -> None:
    rows = run([Attempt("plain", EASY), Attempt("best", FALSE)], within(600))
    assert next(rows)[1].solved
    rows.close()
    assert not _workers()


def test_a_stop_flag_stops_what_is_running() -> None:
    stop = Stop()
    rows = run(
        [Attempt("plain", EASY), Attempt("plain", FALSE)],
        within(600),
        stop=stop,
    )
    assert next(rows)[1].solved
    threading.Timer(0.2, stop.set).start()
    assert list(rows) == []
    assert not _workers()


def _workers() -> list[psutil.Process]:
    """The children of this process that are workers."""
    return [p for p in psutil.Process().children() if "spawn_main" in " ".join(p.cmdline())]


def test_memory_is_limited() -> None:
    jobs = [Attempt("plain", FALSE), Attempt("plain", EASY)]
    with closing(run(jobs, within(200, memory=64))) as rows:
        assert [row.status for _, row in rows] == [SZS.RESOURCE_OUT, SZS.THEOREM]


@pytest.mark.parametrize("limit", ["most_cpu", "most_wall"])
def test_a_worker_that_does_not_end_is_replaced(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """The first takes too long; the second may take as long as it does."""
    check, killed = Child._check, list[float]()

    def checked(self: Child, took: float) -> None:
        if not killed:
            try:
                check(self, took)
            except Died:
                killed.append(took)
                raise

    monkeypatch.setattr(Conditions, limit, property(lambda self: 0.5))
    monkeypatch.setattr(processes, "_LOOK", 0.1)
    monkeypatch.setattr(Child, "_check", checked)
    jobs = [Attempt("plain", FALSE), Attempt("plain", EASY)]
    with closing(run(jobs, within(100))) as rows:
        first, second = (row for _, row in rows)
    assert first.status is SZS.TIMEOUT and first.seconds >= 0.5
    assert "much longer than its limit" in first.reason
    assert second.certified


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (MemoryError(), SZS.RESOURCE_OUT, "out of memory"),
        (ZeroDivisionError("a mistake"), SZS.ERROR, "ZeroDivisionError: a mistake"),
        (InputError("too large"), SZS.INPUT_ERROR, "too large"),
    ],
)
def test_a_failure_is_an_outcome(
    error: Exception, status: SZS, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(*_: object) -> Outcome:
        raise error

    monkeypatch.setattr(contest, "limit_memory", lambda _: None)
    monkeypatch.setattr(Plain, "solve", solve)
    solver = contest._Solver("plain", within(1.0))
    found: list[Outcome] = []
    solver((EASY, None), found.append, Stop())
    (outcome,) = found
    assert outcome.status is status and outcome.by == "plain"
    assert outcome.reason.startswith(reason)


def test_a_worker_that_cannot_start_ends_the_run() -> None:
    rows = run([Attempt("guided", EASY)], within(1, weights="nowhere"))
    with pytest.raises(InputError, match="nowhere"):
        next(rows)


@pytest.mark.parametrize(
    ("number", "status", "reason"),
    [
        (signal.SIGKILL, SZS.RESOURCE_OUT, "its process was killed"),
        (signal.SIGABRT, SZS.ERROR, "its process ended with code -6"),
    ],
)
def test_a_process_that_dies_is_a_row(
    number: int, status: SZS, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed when it is looked at, in the middle of an attempt."""
    killed: list[int] = []

    def kill(self: Child, _: float) -> None:
        if not killed and self.pid is not None:
            killed.append(self.pid)
            os.kill(self.pid, number)

    monkeypatch.setattr(processes, "_LOOK", 0.1)
    monkeypatch.setattr(Child, "_check", kill)
    jobs = [Attempt("plain", FALSE), Attempt("plain", EASY)]
    with closing(run(jobs, within(600))) as rows:
        first, second = (row for _, row in rows)
    assert (first.status, first.reason) == (status, reason)
    assert second.certified


PARENT = """
import sys
from threesil.measure.compare.contest import Attempt, Conditions, run
from threesil.problems.files import parse_problem
from threesil.provers.request import Request
from threesil.theories.aim import AIM

if __name__ == "__main__":
    problem = parse_problem("x * y = y * x", AIM)
    jobs = [Attempt(solver, problem) for solver in ("plain", "saturate")]
    list(run(jobs, Conditions(AIM, Request(seconds=600)), workers=2))
"""


def test_workers_die_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT]) as parent:
        watched = psutil.Process(parent.pid)

        def at_work() -> list[psutil.Process]:
            children = watched.children(recursive=True)
            return [child for child in children if sum(child.cpu_times()[:2]) > 0.3]

        wait_until(lambda: len(at_work()) == 2)
        workers = watched.children(recursive=True)
        os.kill(parent.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(workers, timeout=HANG)
    assert not alive
