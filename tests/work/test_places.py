"""Lists of jobs in threads and in processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import psutil
import pytest

from threesil.engine import Stop
from threesil.errors import InputError
from threesil.work.place import Done, Place
from threesil.work.places import check_place, place_for
from threesil.work.processes import Died, Processes
from threesil.work.threads import Order, Threads
from work.duties import Square, broken

PLACES = {"threads": Threads, "processes": Processes}
some_place = pytest.mark.parametrize("kind", PLACES.values(), ids=PLACES)
Kind = Callable[[int], Place]


def values(found: Iterator[Done[Any]]) -> list[Any]:
    return [done.get() for done in found]


@some_place
def test_each_item_gives_its_results_once(kind: Kind) -> None:
    with kind(3) as place:
        found = list(place.map(partial(Square, 5), range(20)))
    assert sorted((done.index, done.value) for done in found) == [(k, 5 + k * k) for k in range(20)]


@some_place
def test_a_list_may_be_empty_and_an_item_may_give_much(kind: Kind) -> None:
    with kind(2) as place:
        assert list(place.map(Square, [])) == []
        assert values(place.map(Square, ["two"])) == [1, 2]


@some_place
def test_a_failure_is_a_value_and_not_the_end_of_the_others(kind: Kind) -> None:
    with kind(2) as place:
        found = {done.index: done for done in place.map(Square, [1, "mistake", 3])}
    assert (found[0].value, found[2].value) == (1, 9)
    error = found[1].error
    assert isinstance(error, InputError) and str(error) == "here:3: a mistake"
    with pytest.raises(InputError, match="a mistake"):
        found[1].get()


@some_place
def test_a_job_that_cannot_be_made_is_a_failure_of_its_items(kind: Kind) -> None:
    with kind(1) as place:
        assert [str(done.error) for done in place.map(broken, [1, 2])] == ["this can't be made"] * 2
        assert values(place.map(Square, [3])) == [9]


@some_place
def test_a_worker_stays_warm_for_the_same_job(kind: Kind) -> None:
    make = partial(Square, 1)
    with kind(1) as place:
        often = ["how often"]
        assert [values(place.map(m, often)) for m in (make, make, Square)] == [[1], [2], [1]]


@some_place
def test_a_stop_reaches_what_is_running(kind: Kind) -> None:
    stop = Stop()
    with kind(2) as place:
        found = place.map(Square, ["wait"] * 5, stop)
        assert next(found).value == "begun"
        stop.set()
        assert {done.value for done in found} <= {"begun"}
        assert values(place.map(Square, [4])) == [16]


@some_place
def test_nothing_is_left_when_the_caller_goes_away(kind: Kind) -> None:
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt), kind(2) as place:
        for _ in place.map(Square, ["wait"] * 5):
            raise KeyboardInterrupt
    assert threading.active_count() == before
    assert not children()


def children() -> list[psutil.Process]:
    return [p for p in psutil.Process().children() if "spawn_main" in " ".join(p.cmdline())]


@some_place
def test_results_may_bring_new_items(kind: Kind) -> None:
    waiting = [3]

    def items() -> Iterator[int | None]:
        while True:
            yield waiting.pop() if waiting else None

    seen = []
    with kind(2) as place:
        for done in place.map(Square, items()):
            seen.append(done.get())
            if len(seen) < 4:
                waiting += [len(seen)] * 2
    assert sorted(seen) == [1, 1, 4, 4, 9, 9, 9]


@some_place
def test_results_in_order(kind: Kind) -> None:
    with kind(3) as place:
        assert list(place.ordered(Square, range(10))) == [k * k for k in range(10)]
        with pytest.raises(InputError, match="a mistake"):
            list(place.ordered(Square, [1, "mistake"]))


def test_something_is_done_meanwhile() -> None:
    stop = Stop()
    with Threads(1) as place:
        assert values(place.map(Square, ["wait"], stop, stop.set)) == ["begun"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timers")
def test_signals_keep_nobody_waiting() -> None:
    """What waits a little while is over, also where signals come just when it ends."""
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    with Threads(1) as place:
        crew = place.begin(Square)
        crew.add(0, "wait")
        signal.setitimer(signal.ITIMER_REAL, 0.0011, 0.0011)
        try:
            assert values(done for _ in range(3000) for done in crew.results(0.001)) == ["begun"]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        assert list(crew.stop()) == []


def test_a_process_that_dies_is_reported_and_replaced() -> None:
    with Processes(1) as place:
        first, second, third = place.map(Square, [1, "die", 3])
    assert (first.value, third.value) == (1, 9)
    assert isinstance(second.error, Died) and second.error.code == -signal.SIGABRT


def test_a_process_that_dies_while_it_is_idle_is_replaced() -> None:
    with Processes(1) as place:
        make = partial(Square, 0)
        (pid,) = values(place.map(make, ["who"]))
        os.kill(pid, signal.SIGKILL)
        psutil.wait_procs([psutil.Process(pid)])
        (other,) = values(place.map(make, ["who"]))
    assert other != pid


def test_memory_is_limited() -> None:
    with Processes(1, megabytes=200) as place:
        full, well = place.map(Square, ["memory", 2])
    assert isinstance(full.error, MemoryError) and well.value == 4


def test_a_process_that_has_grown_is_replaced() -> None:
    make = partial(Square, 0)
    with Processes(1, megabytes=600) as place:
        assert len(set(values(place.map(make, ["who"] * 2)))) == 1
    with Processes(1, megabytes=200) as place:
        (pid, _, other) = values(place.map(make, ["who", "grow", "who"]))
    assert pid != other


def test_a_process_that_takes_too_long_is_killed() -> None:
    with Processes(1, wall=2.0) as place:
        late, well = place.map(Square, ["spin", 2])
    assert isinstance(late.error, Died) and late.error.code is None
    assert well.value == 4


def test_what_a_process_prints_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    with Processes(1) as place:
        assert values(place.map(Square, ["print"])) == ["printed"]
    assert capfd.readouterr().out == ""


def test_workers_can_be_ready_before_there_is_work() -> None:
    with Processes(2) as place:
        place.prepare(Square)
        assert len(place.processes) <= 2
        assert values(place.map(Square, [3, 4])) in ([9, 16], [16, 9])
        assert len(place.processes) == 2


def test_only_what_is_not_stopped_waits() -> None:
    ends: list[object] = []
    stops = [Stop() for _ in range(3)]
    with Threads(1) as place:
        for stop in stops:
            place.submit(Order(Square, "wait", stop, lambda _: None, ends.append))
        assert place.waiting == 2
        stops[2].set()
        assert place.waiting == 1
    assert ends == [None] * 3


def test_the_place_that_was_asked_for() -> None:
    assert type(place_for(None, 2)) is Threads
    assert type(place_for(None, 2, processes=True)) is Processes
    check_place(None)
    for text in ("", "Ray", "ray://", "ray://host", "ray://host:port", "http://host:1", "ray:1"):
        with pytest.raises(InputError, match="HOST:PORT"):
            check_place(text)
        with pytest.raises(InputError, match="HOST:PORT"):
            place_for(text, 1)
