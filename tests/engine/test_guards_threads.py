"""Use of the core by several threads: what has a state belongs to one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from nets.walks import network
from samples import AIM, equation, problems
from threesil.engine import (
    Batch,
    Budget,
    Guided,
    Levin,
    Saturation,
    Stop,
    Stopped,
    TermSearch,
)
from waiting import wait_for_threads

UNSOLVED = equation(r"T(T(x,y),T(y,z)) = R(K(x,y) * z,y \ x,L(z,y,x))")


@contextmanager
def busy(work: Callable[[Stop], object]) -> Iterator[None]:
    """While another thread is at work."""
    stop = Stop()

    def run() -> None:
        with suppress(Stopped):
            work(stop)

    thread = threading.Thread(target=run)
    thread.start()
    wait_for_threads()
    try:
        assert thread.is_alive()
        yield
    finally:
        stop.set()
        thread.join()


def test_a_batch_belongs_to_one_thread_at_a_time() -> None:
    batch, net = Batch(AIM, problems(AIM), 8), network(AIM)
    batch.reset(0, 0)
    many = np.zeros(3_000_000, dtype=np.uint32)
    tokens, row = np.empty((8, 9), dtype=np.int32), np.empty(8, dtype=np.int32)
    with busy(lambda stop: batch.play_random(many, seed=1, stop=stop)):
        for use in (
            lambda: batch.load(problems(AIM)),
            lambda: batch.replace(0, problems(AIM)[1]),
            lambda: batch.play_random([0], seed=1),
            lambda: batch.play(net, [0], seed=1),
            lambda: batch.replay([0], [[]]),
            lambda: batch.reset(0, 0),
            lambda: batch.step(np.full(8, -1)),
            lambda: batch.masks(),
            lambda: batch.observe(tokens, row, row.copy(), 2),
            lambda: batch.logits(net),
            lambda: batch.codes(0),
            lambda: batch.ends(),
            lambda: batch.derivation_of(0, []),
            lambda: batch.profile(),
        ):
            with pytest.raises(RuntimeError, match="in use"):
                use()
    assert list(batch.problems) == problems(AIM)
    assert len(batch.play_random([0], seed=1).end) == 1


def test_searches_with_a_state_belong_to_one_thread_at_a_time() -> None:
    for search in (TermSearch(AIM), Saturation(AIM)):
        with (
            busy(lambda stop, s=search: s.prove(UNSOLVED, Budget(None, None, stop=stop))),
            pytest.raises(RuntimeError, match="in use"),
        ):
            search.prove(UNSOLVED, Budget(5))
        assert search.prove(problems(AIM)[1], Budget(500)).derivation is not None


def test_searches_without_a_state_can_be_shared() -> None:
    net, small = network(AIM), problems(AIM)[1]
    guided, levin = Guided(AIM, net), Levin(net)
    alone = guided.prove(small, Budget(500)), levin.solve(small, Budget(50), steps=9)
    with busy(lambda stop: guided.prove(UNSOLVED, Budget(None, None, stop=stop))):
        assert guided.prove(small, Budget(500)) == alone[0]
        with pytest.raises(RuntimeError, match="in use"):
            guided._native.set_options(0.0, 0.1, 4, 20)
    with busy(lambda stop: levin.solve(UNSOLVED, Budget(None, None, stop=stop), steps=99)):
        assert levin.solve(small, Budget(50), steps=9) == alone[1]


def test_weights_stand_while_a_network_is_in_use() -> None:
    batch, net = Batch(AIM, problems(AIM), 8), network(AIM)
    many = np.zeros(3_000_000, dtype=np.uint32)
    weights = np.zeros(net.parameters, dtype=np.float32)
    with busy(lambda stop: batch.play(net, many, seed=1, stop=stop)):
        with pytest.raises(RuntimeError, match="in use"):
            net.load(weights)
        other = Batch(AIM, problems(AIM), 2)
        assert len(other.play(net, [0, 1], seed=1).end) == 2  # many may read
    net.load(weights)
