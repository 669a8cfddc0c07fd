"""Native work of every kind that takes far longer than any test waits for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nets.walks import network
from samples import AIM, ROBINSON, equation, left_nested, problems, successors
from threesil.engine import (
    Batch,
    Budget,
    Guided,
    Levin,
    Limits,
    Network,
    Pass,
    Saturation,
    Shape,
    States,
    Stop,
    TermSearch,
)
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Problem
from threesil.nets.policy import initial_parameters

UNSOLVED = equation(r"T(T(x,y),T(y,z)) = R(K(x,y) * z,y \ x,L(z,y,x))")
MANY = Problem("many", left_nested(300, "*", app("*", var("x"), var("y")), app("e")), app("e"))


@dataclass(frozen=True)
class Workload:
    """`run(stop)` goes on for long; `again()` is a small use of the same object, to compare."""

    run: Callable[[Stop | None], object]
    again: Callable[[], object]


def _budget(stop: Stop | None) -> Budget:
    return Budget(None, None, stop=stop)


def _prover(search: TermSearch | Saturation | Guided) -> Workload:
    small = problems(AIM)[1]
    return Workload(
        lambda stop: search.prove(UNSOLVED, _budget(stop)),
        lambda: search.prove(small, Budget(200, None)),
    )


def plain() -> Workload:
    return _prover(TermSearch(AIM, growth=60))


def plain_on_a_large_term() -> Workload:
    """One expansion of a deep term has millions of results."""
    deep = left_nested(4000, "*", app("e"), app("e"))
    search = TermSearch(AIM, growth=60)
    problem = Problem("deep", deep, app("*", deep, deep))
    return Workload(
        lambda stop: search.prove(problem, Budget(None, None, terms=10**9, stop=stop)),
        lambda: search.prove(problems(AIM)[1], Budget(200, None)),
    )


def saturation() -> Workload:
    return _prover(Saturation(AIM, growth=60))


def saturation_that_matches() -> Workload:
    """Rules with values of their own, and hundreds of terms to choose from: one round is long."""
    search = Saturation(AIM, growth=1000, own_cost=0.0, depth_cost=0)
    return Workload(
        lambda stop: search.prove(MANY, _budget(stop)),
        lambda: search.prove(problems(AIM)[1], Budget(200, None)),
    )


def guided() -> Workload:
    return _prover(Guided(AIM, network(AIM), growth=60))


def guided_on_a_large_term() -> Workload:
    """Positions of deep terms have long paths."""
    deep = left_nested(2500, "*", app("e"), app("e"))
    search = Guided(AIM, network(AIM))
    return Workload(
        lambda stop: search.prove(Problem("deep", deep, app("*", deep, deep)), _budget(stop)),
        lambda: search.prove(problems(AIM)[1], Budget(20, None)),
    )


def exploration() -> Workload:
    search = Guided(AIM, network(AIM), growth=60)
    small = problems(AIM)[1]
    return Workload(
        lambda stop: search.explore(UNSOLVED, _budget(stop), count=5),
        lambda: search.explore(small, Budget(20, None), count=5),
    )


def levin() -> Workload:
    search = Levin(network(AIM))
    small = problems(AIM)[1]
    return Workload(
        lambda stop: search.solve(UNSOLVED, _budget(stop), steps=200),
        lambda: search.solve(small, Budget(20, None), steps=20),
    )


def _episodes(batch: Batch, net: Network | None) -> Workload:
    many = np.arange(3_000_000) % 10

    def play(stop: Stop | None, numbers: np.ndarray) -> object:
        if net is None:
            return batch.play_random(numbers, seed=1, stop=stop)
        return batch.play(net, numbers, seed=1, stop=stop)

    def again() -> object:
        played = play(None, many[:50])
        return played.actions.tolist(), played.end.tolist()  # type: ignore[attr-defined]

    return Workload(lambda stop: play(stop, many), again)


def random_play() -> Workload:
    return _episodes(Batch(AIM, problems(AIM), 64), None)


def random_play_in_threads() -> Workload:
    return _episodes(Batch(AIM, problems(AIM), 64, threads=2), None)


def guided_play() -> Workload:
    return _episodes(Batch(AIM, problems(AIM), 64), network(AIM))


def guided_play_in_threads() -> Workload:
    return _episodes(Batch(AIM, problems(AIM), 64, threads=2), network(AIM))


def replay() -> Workload:
    batch = Batch(ROBINSON, problems(ROBINSON), 64)
    count = 20_000_000
    numbers = np.zeros(count, dtype=np.uint32)
    actions = np.zeros(count, dtype=np.uint16)  # 0 + 0 is solved by the first action
    offsets = np.arange(count + 1, dtype=np.uint64)
    return Workload(
        lambda stop: batch.replay_arrays(numbers, actions, offsets, stop=stop),
        lambda: batch.replay_arrays(numbers[:9], actions[:9], offsets[:10]).steps.tolist(),
    )


def _deep_states() -> tuple[States, Network, np.ndarray]:
    """Thousands of states without a common subterm, and a wide network."""
    shape = Shape(256, 256, True)
    wide = Network(AIM, shape)
    wide.load(initial_parameters(AIM, shape, seed=1))
    states = States(AIM, problems(AIM))
    for number in range(len(problems(AIM))):
        states.add(number, np.zeros(0, dtype=np.uint16), with_last=True)
    return states, wide, np.arange(40_000, dtype=np.uint32) % len(states)


def forward() -> Workload:
    states, wide, listed = _deep_states()

    def run(stop: Stop | None, count: int) -> np.ndarray:
        chosen = listed[:count]
        return states.forward(wide, chosen, chosen.astype(np.uint64), seed=1, stop=stop).logits

    return Workload(lambda stop: run(stop, len(listed)), lambda: run(None, 8).tolist())


def backward() -> Workload:
    states, wide, listed = _deep_states()

    def forward(count: int) -> Pass:
        return states.forward(wide, listed[:count], np.arange(count, dtype=np.uint64), seed=1)

    large, small = forward(20_000), forward(8)
    return Workload(
        lambda stop: large.backward(large.logits, large.values, stop=stop),
        lambda: small.backward(small.logits, small.values).tolist(),
    )


def read_out() -> Workload:
    """A long episode that goes to the bottom of a deep term for every rewrite."""
    depth, rewrites = 3000, 3000
    bottom = left_nested(rewrites, "+", app("0"), app("0"))
    batch = Batch(
        ROBINSON,
        [Problem("S", successors(depth, bottom)), *problems(ROBINSON)],
        limits=Limits(steps=10**9),
    )
    actions = np.array(([7] * depth + [0]) * rewrites, dtype=np.uint16)
    return Workload(
        lambda _: batch._native.chain(0, 0, actions), lambda: batch.derivation_of(1, [0])
    )


STOPPABLE = (
    plain,
    plain_on_a_large_term,
    saturation,
    saturation_that_matches,
    guided,
    guided_on_a_large_term,
    exploration,
    levin,
    random_play,
    random_play_in_threads,
    guided_play,
    guided_play_in_threads,
    replay,
    forward,
    backward,
)
ALL = (*STOPPABLE, read_out)
