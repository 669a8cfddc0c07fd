"""Attempts in processes of their own, which end with their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing

import psutil
import pytest

from threesil.errors import ThreesilError
from threesil.kernel.outcome import SZS
from threesil.measure.compare import runner
from threesil.measure.compare.runner import Job, run
from threesil.measure.compare.worker import Conditions
from threesil.problems import parse_problem
from threesil.theories import AIM

EASY = parse_problem("x * T(y,x) = y * x", AIM)
FALSE = parse_problem("x * y = y * x", AIM)
HUGE = parse_problem(" * ".join("x" * 1200) + " = x", AIM)


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_rows_come_from_several_lanes() -> None:
    jobs = [Job(system, problem) for problem in (EASY, HUGE) for system in ("best", "plain")]
    with closing(run(jobs, Conditions(AIM, 10), workers=2)) as rows:
        found = sorted((system, row.name, row.solved, row.certified) for system, row in rows)
    names = [(EASY.name, True), (HUGE.name, False)]
    expected = [(s, name, yes, yes) for s in ("best", "plain") for name, yes in names]
    assert found == sorted(expected)


def test_a_job_may_have_a_theory_of_its_own() -> None:
    before = AIM.before(AIM.lemmas[0].name)
    problem = parse_problem("e * x = x", before)
    with closing(run([Job("plain", problem, before)], Conditions(AIM, 10))) as rows:
        assert [row.certified for _, row in rows] == [True]


def test_closing_stops_what_is_running() -> None:
    rows = run([Job("plain", EASY), Job("best", FALSE)], Conditions(AIM, 600))
    assert next(rows)[1].solved
    begin = time.perf_counter()
    rows.close()
    assert time.perf_counter() - begin < 60
    assert not _workers()


def test_a_stop_flag_stops_what_is_running() -> None:
    stop = threading.Event()
    rows = run([Job("plain", EASY), Job("plain", FALSE)], Conditions(AIM, 600), stop=stop)
    assert next(rows)[1].solved
    threading.Timer(0.2, stop.set).start()
    assert list(rows) == []
    assert not _workers()


def _workers() -> list[psutil.Process]:
    """The children of this process that are workers."""
    return [p for p in psutil.Process().children() if "spawn_main" in " ".join(p.cmdline())]


def test_memory_is_limited() -> None:
    jobs = [Job("plain", FALSE), Job("plain", EASY)]
    with closing(run(jobs, Conditions(AIM, 200, 64))) as rows:
        assert [row.status for _, row in rows] == [SZS.RESOURCE_OUT, SZS.THEOREM]


@pytest.mark.parametrize("limit", ["most_cpu", "most_wall"])
def test_a_worker_that_does_not_end_is_replaced(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(Conditions, limit, property(lambda self: 0.5))
    monkeypatch.setattr(runner, "_LOOK", 0.1)
    jobs = [Job("plain", FALSE), Job("plain", EASY)]
    with closing(run(jobs, Conditions(AIM, 100))) as rows:
        first, second = (row for _, row in rows)
    assert first.status is SZS.TIMEOUT and first.seconds >= 0.5
    assert "long after its limit" in first.reason
    assert second.certified


def test_a_worker_that_cannot_start_ends_the_run() -> None:
    rows = run([Job("guided", EASY)], Conditions(AIM, 1, model="nowhere"))
    with pytest.raises(ThreesilError, match="did not start"):
        next(rows)


def test_a_worker_that_dies_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    start = runner.Lane._start

    def broken(lane: runner.Lane, system: str) -> runner._Worker:
        worker = start(lane, system)
        worker.process.terminate()
        worker.process.join()
        return worker

    monkeypatch.setattr(runner.Lane, "_start", broken)
    with closing(run([Job("plain", EASY)], Conditions(AIM, 5))) as rows:
        ((_, row),) = rows
    assert row.status is SZS.ERROR and "its process ended" in row.reason


PARENT = """
import sys
from threesil.measure.compare.runner import Job, run
from threesil.measure.compare.worker import Conditions
from threesil.problems import parse_problem
from threesil.theories import AIM

if __name__ == "__main__":
    problem = parse_problem("x * y = y * x", AIM)
    jobs = [Job(system, problem) for system in ("plain", "saturate")]
    list(run(jobs, Conditions(AIM, 600), workers=2))
"""


def test_workers_die_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT]) as parent:
        watched = psutil.Process(parent.pid)

        def at_work() -> list[psutil.Process]:
            children = watched.children(recursive=True)
            return [child for child in children if sum(child.cpu_times()[:2]) > 1]

        wait_until(lambda: len(at_work()) == 2)
        workers = watched.children(recursive=True)
        os.kill(parent.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert not alive
