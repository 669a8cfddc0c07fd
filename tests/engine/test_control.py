"""Signals, stop flags and budgets end native work at once, and leave what it worked on usable."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commands import HELPERS
from engine import workloads
from engine.workloads import UNSOLVED, Workload
from nets.walks import network
from samples import AIM, equation, problems
from threesil.engine import (
    Batch,
    Budget,
    Found,
    Guided,
    Levin,
    Saturation,
    Status,
    Stop,
    Stopped,
    TermSearch,
)
from waiting import HANG, wait_for_work

SOON = 0.3  # seconds until something happens to the work, which would go on for long

each_kind = pytest.mark.parametrize("make", workloads.ALL, ids=lambda make: make.__name__)
each_stoppable = pytest.mark.parametrize(
    "make", workloads.STOPPABLE, ids=lambda make: make.__name__
)


ordinary_build = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="starts a process of its own"
)


class Interrupt(Exception):
    """What the tests' signal handler raises."""


@pytest.fixture
def interrupting() -> Iterator[None]:
    def handler(*_: object) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGUSR1, handler)
    yield
    signal.signal(signal.SIGUSR1, before)


def later(action: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(SOON, action)
    timer.start()
    return timer


@each_kind
@pytest.mark.usefixtures("interrupting")
def test_a_signal_ends_native_work(make: Callable[[], Workload]) -> None:
    work = make()
    expected = work.again()
    timer = later(lambda: os.kill(os.getpid(), signal.SIGUSR1))
    try:
        with pytest.raises(Interrupt):
            work.run(None)
    finally:
        timer.cancel()  # a signal that comes later would end the tests
    timer.join()
    assert work.again() == expected


@each_stoppable
def test_a_stop_ends_native_work(make: Callable[[], Workload]) -> None:
    work, stop = make(), Stop()
    expected = work.again()
    timer = later(stop.set)
    try:
        found = work.run(stop)
    except Stopped:
        pass
    else:
        assert isinstance(found, Found)
        assert found.status is Status.STOPPED
        assert found.derivation is None
    timer.join()
    assert work.again() == expected


def test_work_in_another_thread_is_stopped_but_not_interrupted(interrupting: None) -> None:
    stop, found = Stop(), []
    search = TermSearch(AIM, growth=60)
    thread = threading.Thread(
        target=lambda: found.append(search.prove(UNSOLVED, Budget(None, None, stop=stop)))
    )
    thread.start()
    with pytest.raises(Interrupt):
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(HANG)
    assert thread.is_alive()
    stop.set()
    thread.join(HANG)
    assert [f.status for f in found] == [Status.STOPPED]


def test_a_stop_can_be_used_again() -> None:
    stop = Stop()
    assert not stop.is_set()
    stop.set()
    assert stop.is_set()
    batch = Batch(AIM, problems(AIM), 4)
    with pytest.raises(Stopped):
        batch.play_random([0] * 1000, seed=1, stop=stop)
    assert TermSearch(AIM).prove(UNSOLVED, Budget(stop=stop)).status is Status.STOPPED
    stop.clear()
    assert len(batch.play_random([0] * 10, seed=1, stop=stop).end) == 10


PROGRAM = """\
import signal, sys
from engine import workloads
from threesil.engine import *
if sys.argv[1] == "SIGTERM":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
work = getattr(workloads, sys.argv[2])()
print("ready", flush=True)
work.run(None)
"""


@ordinary_build
@pytest.mark.parametrize("kind", ["saturation", "guided", "random_play_in_threads"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_process_that_is_told_to_end_does(kind: str, name: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, name, kind],
        env={**os.environ, "PYTHONPATH": HELPERS},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        wait_for_work(process.pid)
        process.send_signal(signal.Signals[name])
        _, errors = process.communicate(timeout=HANG)
    if name == "SIGTERM":
        assert process.returncode == 3
    else:
        assert "KeyboardInterrupt" in errors


# Budgets


def searches() -> list[Callable[[Budget], Found]]:
    net = network(AIM)
    return [
        lambda b: TermSearch(AIM).prove(UNSOLVED, b),
        lambda b: TermSearch(AIM).prove(UNSOLVED, b, length=1),
        lambda b: Saturation(AIM).prove(UNSOLVED, b),
        lambda b: Guided(AIM, net).prove(UNSOLVED, b),
        lambda b: Levin(net).solve(UNSOLVED, b, steps=30),
    ]


def test_no_expansions_means_none() -> None:
    for search in searches():
        found = search(Budget(0))
        assert found.status is Status.EXPANSIONS
        assert found.expansions == 0


def test_identical_sides_need_no_expansion() -> None:
    same, net = equation("x * y = x * y"), network(AIM)
    for found in (
        TermSearch(AIM).prove(same, Budget(0)),
        Saturation(AIM).prove(same, Budget(0)),
        Guided(AIM, net).prove(same, Budget(0)),
        Levin(net).solve(same, Budget(0), steps=5),
    ):
        assert found.status is Status.PROVED
        assert found.expansions == 0


def test_a_budget_without_limits_ends_with_the_search() -> None:
    found = TermSearch(AIM).prove(problems(AIM)[1], Budget(None, None))
    assert found.status is Status.PROVED
    assert Budget(None, None) == Budget(math.inf, math.inf)
    assert Budget(None).expansions - 5 > 10**30


def test_seconds_are_cpu_seconds_of_the_thread() -> None:
    """Other threads that are busy meanwhile take nothing away, whoever has to wait for whom."""
    stop = Stop()
    busy = threading.Thread(
        target=lambda: TermSearch(AIM).prove(UNSOLVED, Budget(None, None, stop=stop))
    )
    busy.start()
    try:
        for search in searches():
            begin = time.thread_time()
            found = search(Budget(None, 0.1))
            used = time.thread_time() - begin
            assert found.status in (Status.SECONDS, Status.EXHAUSTED)
            if found.status is Status.SECONDS:
                assert used >= 0.1
    finally:
        stop.set()
        busy.join()


def test_no_seconds_means_none() -> None:
    for search in searches():
        assert search(Budget(None, 0.0)).status is not Status.PROVED
        assert search(Budget(None, -1.0)).expansions <= 1


@pytest.mark.parametrize("numbers", [(math.nan, 1.0), (10, math.nan)])
def test_a_budget_is_made_of_numbers(numbers: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="not a number"):
        Budget(*numbers)


# Limits are outcomes


MEMORY = """\
import resource, sys
from engine.workloads import MANY, UNSOLVED
from nets.walks import network
from samples import AIM, problems
from threesil.engine import *
net = network(AIM)
searches = {
    "plain": lambda b: TermSearch(AIM, growth=200).prove(UNSOLVED, b),
    "saturation": lambda b: Saturation(AIM, growth=999, own_cost=0.0, depth_cost=0).prove(MANY, b),
    "guided": lambda b: Guided(AIM, net, growth=200).prove(UNSOLVED, b),
    "levin": lambda b: Levin(net).solve(UNSOLVED, b, steps=100),
}
search = searches[sys.argv[1]]
search(Budget(10))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 80_000_000,) * 2)
print(search(Budget(None, None, terms=10**9)).status.name, search(Budget(10)).status.name)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@ordinary_build
@pytest.mark.parametrize("kind", ["plain", "saturation", "guided", "levin"])
def test_a_lack_of_memory_is_an_outcome(kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, kind],
        capture_output=True,
        text=True,
        timeout=2 * HANG,
        check=False,
        env={**os.environ, "PYTHONPATH": HELPERS, "THREESIL_SELF_CHECK": "0"},
    )
    assert done.stdout.split() == ["MEMORY", "EXPANSIONS"], done.stderr
