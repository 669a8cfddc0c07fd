"""Play guided by a network: legal, reproducible, with the distribution it should have."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from random import Random

import numpy as np
import pytest

from nets.walks import SMALL, lively_parameters, network, stored, varied_problems, walk
from samples import AIM, POLYNOMIAL, ROBINSON, THEORIES, equation, problems, term
from threesil.engine import Batch, End, Limits, Network, Played
from threesil.kernel.proof import certify
from threesil.kernel.terms import app
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    Equation,
    Goal,
    Move,
    Problem,
    Rewrite,
    Signature,
    Theory,
)
from threesil.theories.polynomial import expand

each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)


def assert_same(a: Played, b: Played) -> None:
    for name in ("end", "steps", "actions", "offsets"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.legal == b.legal


def probabilities(logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The softmax over the legal actions, (B, A)."""
    weights = np.where(masks, np.exp(logits.astype(np.float64)), 0.0)
    return weights / weights.sum(axis=1, keepdims=True)


# Legal and reproducible


@each_theory
def test_only_legal_actions_are_taken(theory: Theory) -> None:
    """Thousands of episodes are played again, action by action, against the complete mask."""
    chosen = varied_problems(theory)
    net = network(theory)
    limits = Limits(steps=25)
    episodes = np.arange(2500) % len(chosen)
    for noise, greedy in ((0.05, False), (0.0, False), (1.0, False), (0.0, True)):
        count = 500 if greedy else 2500
        batch = Batch(theory, chosen, 64, limits=limits)
        played = batch.play(
            net, episodes[:count], seed=2, noise=noise, greedy=greedy, record_all=True
        )
        again = Batch(theory, chosen, 16, limits=limits).replay_arrays(
            episodes[:count].astype(np.uint32), played.actions, played.offsets
        )
        np.testing.assert_array_equal(again.end, played.end)
        np.testing.assert_array_equal(again.steps, played.steps)
        assert again.legal == played.legal
        assert played.actions.size == played.steps.sum()


@each_theory
def test_solved_episodes_are_certified(theory: Theory) -> None:
    chosen = problems(theory)
    batch = Batch(theory, chosen, 32)
    episodes = np.arange(600) % len(chosen)
    played = batch.play(network(theory), episodes, seed=3, noise=0.3)
    assert played.solved.any()
    for k in np.flatnonzero(played.solved)[:40]:
        problem = int(episodes[k])
        certify(theory, chosen[problem], batch.derivation_of(problem, played.actions_of(int(k))))


@each_theory
@pytest.mark.parametrize("greedy", [False, True], ids=["sampled", "greedy"])
def test_play_depends_on_the_seed_alone(theory: Theory, greedy: bool) -> None:
    chosen = problems(theory)
    net = network(theory)
    episodes = [k % len(chosen) for k in range(150)]

    def play(width: int, threads: int, seed: int) -> Played:
        batch = Batch(theory, chosen, width, threads=threads, limits=Limits(steps=20))
        return batch.play(net, episodes, seed=seed, greedy=greedy, record_all=True)

    first = play(1, 1, seed=11)
    for width, threads in product((1, 7, 64), (1, 2)):
        assert_same(play(width, threads, seed=11), first)
    # The most probable action is a matter of chance only where leaves have random vectors.
    differs = not np.array_equal(play(7, 1, seed=12).actions, first.actions)
    assert differs == (theory is AIM or not greedy)


@each_theory
def test_episodes_are_numbered(theory: Theory) -> None:
    """Episode k of a seed and stream is the same whichever call plays it."""
    chosen = problems(theory)
    net = network(theory)
    episodes = [k % len(chosen) for k in range(80)]
    limits = Limits(steps=20)
    batch = Batch(theory, chosen, 8, limits=limits)
    whole = batch.play(net, episodes, seed=3, record_all=True)
    tail = batch.play(net, episodes[50:], seed=3, first_episode=50, record_all=True)
    np.testing.assert_array_equal(tail.steps, whole.steps[50:])
    np.testing.assert_array_equal(tail.actions, whole.actions[int(whole.offsets[50]) :])
    other = Batch(theory, chosen, 8, limits=limits).play(
        net, episodes, seed=3, stream=1, record_all=True
    )
    assert not np.array_equal(other.actions, whole.actions)


def test_unsolved_episodes_are_recorded_on_request_only() -> None:
    chosen = problems(AIM)
    batch = Batch(AIM, chosen, 8)
    episodes = np.arange(60) % len(chosen)
    everything = batch.play(network(AIM), episodes, seed=1, record_all=True)
    some = batch.play(network(AIM), episodes, seed=1)
    assert some.actions.size == some.steps[some.solved].sum() < everything.actions.size
    for k in np.flatnonzero(some.solved):
        assert some.actions_of(int(k)) == everything.actions_of(int(k))


def test_a_dead_end_ends_an_episode() -> None:
    """Where nothing is legal nothing is chosen: with the cursor at c, below f(c), here."""
    f_c, d = app("f", app("c")), app("d")
    theory = Theory(
        "dead-end",
        "One rule",
        Signature({"f": 1, "c": 0, "d": 0}),
        (Equation("rule", f_c, d),),
        (Move(0), Rewrite((("rule", LEFT_TO_RIGHT),))),
        Goal.TARGET,
    )
    batch = Batch(theory, [Problem("p", app("f", f_c), app("f", d))], 8)
    played = batch.play(network(theory), [0] * 100, seed=1, record_all=True)
    assert set(played.end) == {End.SOLVED, End.DEAD_END}
    for k, end in enumerate(played.end):
        assert played.actions_of(k) == ([0, 1] if end == End.SOLVED else [0, 0])


# The distribution of actions


def some_state(theory: Theory) -> Problem:
    """A start with many legal actions."""
    start = term("(1 + 1) * (0 + 1)", theory)
    if theory is POLYNOMIAL:
        start = term("(x * y) ^ (2 + 1)", theory)
        return Problem("start", start, expand(start))
    return Problem("start", start)


def first_actions(
    problem: Problem, theory: Theory, net: Network, count: int, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    """(how often each action comes first, its probability by the network), both (A,).

    The vectors of random leaves, and so the probabilities, differ from episode to episode.
    """
    batch = Batch(theory, [problem], count, limits=Limits(steps=1))
    played = batch.play(net, [0] * count, seed=7, noise=noise, record_all=True)
    counts = np.bincount(played.actions, minlength=len(theory.actions))
    assert counts.sum() == count
    fresh = Batch(theory, [problem], count)
    for slot in range(count):
        fresh.reset(slot, 0)
    return counts, probabilities(fresh.logits(net, seed=7), fresh.masks()).mean(axis=0)


def assert_distributed(counts: np.ndarray, expected: np.ndarray) -> None:
    """Pearson's chi-square, six standard deviations of room."""
    assert not counts[expected == 0].any()
    possible = expected > 0
    wanted = counts.sum() * expected[possible]
    statistic = ((counts[possible] - wanted) ** 2 / wanted).sum()
    freedom = possible.sum() - 1
    assert freedom >= 1
    assert statistic < freedom + 6 * np.sqrt(2 * freedom)


@pytest.mark.parametrize(
    ("theory", "problem"),
    [
        (ROBINSON, some_state(ROBINSON)),
        (POLYNOMIAL, some_state(POLYNOMIAL)),
        (AIM, equation(r"T(x,y) = y \ (x * y)")),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_noise_mixes_the_softmax_with_uniform_actions(theory: Theory, problem: Problem) -> None:
    net = network(theory)
    shares = []
    for noise in (0.0, 0.3, 1.0):
        counts, softmax = first_actions(problem, theory, net, 3000, noise)
        uniform = (softmax > 0) / np.count_nonzero(softmax)
        assert np.abs(softmax - uniform).max() > 0.03  # else the test could not tell
        assert_distributed(counts, noise * uniform + (1 - noise) * softmax)
        shares.append(np.abs(counts / 3000 - uniform).max())
    assert shares[0] > shares[1] > shares[2]


@each_theory
def test_greedy_takes_the_most_probable_legal_action(theory: Theory) -> None:
    chosen = varied_problems(theory)
    net = network(theory)
    batch = Batch(theory, chosen, len(chosen))
    for slot in range(len(chosen)):
        batch.reset(slot, slot)
    best = probabilities(batch.logits(net, seed=5), batch.masks()).argmax(axis=1)
    one_step = Batch(theory, chosen, len(chosen), limits=Limits(steps=1))
    played = one_step.play(net, range(len(chosen)), seed=5, greedy=True, record_all=True)
    np.testing.assert_array_equal(played.actions, best[played.steps > 0])


def test_logits_that_are_not_numbers_lead_to_no_illegal_action() -> None:
    """As of a training that diverges: the weights are finite, what comes of them is not."""
    net = Network(ROBINSON, SMALL)
    weights = np.where(np.arange(net.parameters) % 2, 3e38, -3e38).astype(np.float32)
    net.load(weights)
    chosen = problems(ROBINSON)
    batch = Batch(ROBINSON, chosen, 4, limits=Limits(steps=10))
    played = batch.play(net, range(len(chosen)), seed=1, greedy=True, record_all=True)
    Batch(ROBINSON, chosen).replay_arrays(
        np.arange(len(chosen), dtype=np.uint32), played.actions, played.offsets
    )


UNLOADED = """\
from threesil.engine import Batch, Network, Shape
from threesil.problems.sets import sample_set
from threesil.theories.robinson import ROBINSON
Batch(ROBINSON, sample_set(ROBINSON, 4, seed=1), 4).play(Network(ROBINSON, Shape()), [0], seed=1)
"""


def test_a_network_without_weights_does_not_end_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", UNLOADED], capture_output=True, check=False)
    assert done.returncode >= 0


# Random vectors


def start_logits(theory: Theory, problem: Problem, net: Network, **key: int) -> np.ndarray:
    """Logits of the same start in four slots, that is as the episodes 0 to 3."""
    batch = Batch(theory, [problem], 4)
    for slot in range(4):
        batch.reset(slot, 0)
    return batch.logits(net, **key)


def test_random_vectors_are_drawn_anew_for_each_episode() -> None:
    net = network(AIM)
    problem = equation("x * y = y * x")
    drawn = [start_logits(AIM, problem, net, seed=s, stream=t) for s in (0, 1) for t in (0, 1)]
    rows = np.concatenate(drawn)
    for i in range(len(rows)):
        for j in range(i):
            assert np.abs(rows[i] - rows[j]).max() > 1e-3
    np.testing.assert_array_equal(start_logits(AIM, problem, net), drawn[0])


@pytest.mark.parametrize(
    ("theory", "problem"),
    [
        (ROBINSON, some_state(ROBINSON)),
        (POLYNOMIAL, some_state(POLYNOMIAL)),
        (AIM, equation("e * e = e / e")),
    ],
    ids=["robinson", "polynomial", "aim without constants"],
)
def test_without_random_leaves_all_episodes_are_alike(theory: Theory, problem: Problem) -> None:
    net = network(theory)
    rows = np.concatenate([start_logits(theory, problem, net, seed=s) for s in (0, 1)])
    np.testing.assert_array_equal(rows, np.repeat(rows[:1], 8, axis=0))


def test_names_of_constants_do_not_matter_but_which_are_equal_does() -> None:
    net = network(AIM)
    first = start_logits(AIM, equation("x * y = y * x"), net)
    np.testing.assert_array_equal(start_logits(AIM, equation("v * u = u * v"), net), first)
    assert not np.allclose(start_logits(AIM, equation("x * x = x * x"), net), first)


# Cached vectors


def test_other_weights_replace_cached_vectors() -> None:
    for theory in THEORIES:
        batch = walk(theory, 40, seed=12).batch
        net = network(theory, seed=1)
        before = batch.logits(net, seed=9)
        net.load(lively_parameters(theory, seed=2))
        after = batch.logits(net, seed=9)
        assert np.abs(after - before).max() > 0.01
        np.testing.assert_array_equal(after, batch.logits(network(theory, seed=2), seed=9))
        np.testing.assert_array_equal(before, batch.logits(network(theory, seed=1), seed=9))


@each_theory
def test_play_after_a_change_of_weights(theory: Theory) -> None:
    chosen = problems(theory)
    episodes = np.arange(64) % len(chosen)
    net = network(theory, seed=1)
    batch = Batch(theory, chosen, 64, limits=Limits(steps=15))
    batch.play(net, episodes, seed=4)
    net.load(lively_parameters(theory, seed=2))
    fresh = Batch(theory, chosen, 64, limits=Limits(steps=15))
    assert_same(
        batch.play(net, episodes, seed=4, record_all=True),
        fresh.play(network(theory, seed=2), episodes, seed=4, record_all=True),
    )


def test_another_seed_replaces_cached_random_vectors() -> None:
    net = network(AIM)
    chosen = problems(AIM)
    batch = Batch(AIM, chosen, 8)
    batch.play(net, range(8), seed=1)
    fresh = Batch(AIM, chosen, 8)
    assert_same(
        batch.play(net, range(8), seed=2, record_all=True),
        fresh.play(net, range(8), seed=2, record_all=True),
    )


BANK = {"robinson": 400, "polynomial": 1000, "aim": 1200}  # terms


def collections(batch: Batch) -> int:
    return batch.play_random([], seed=0).collections


@each_theory
def test_tidying_the_bank_replaces_cached_vectors(theory: Theory) -> None:
    """Terms move in a small bank that is tidied often; the logits stay right all the while."""
    random = Random(13)
    chosen = problems(theory)
    net = network(theory)
    batch = Batch(
        theory, chosen, 12, limits=Limits(steps=30, size=200, bank_terms=BANK[theory.name])
    )
    for slot in range(12):
        batch.reset(slot, slot % len(chosen))
    seen = 0
    for step in range(400):
        batch.logits(net, seed=3)
        actions = np.full(12, -1, dtype=np.int32)
        for slot, mask in enumerate(batch.masks()):
            if batch.end(slot) is not End.RUNNING:
                batch.reset(slot, random.randrange(len(chosen)))
            else:
                actions[slot] = random.choice(np.flatnonzero(mask).tolist())
        batch.step(actions)
        tidied = collections(batch)
        if tidied > seen or step % 100 == 99:
            seen = tidied
            store, states = stored(batch)
            done = store.forward(net, states, np.arange(12, dtype=np.uint64), seed=3)
            # An action that would break a limit is recorded, but the state stays.
            alive = batch.ends() == End.RUNNING
            np.testing.assert_allclose(
                batch.logits(net, seed=3)[alive], done.logits[alive], rtol=1e-5, atol=1e-5
            )
    assert seen > 1


@each_theory
def test_play_in_a_small_bank_equals_play_in_a_large_one(theory: Theory) -> None:
    chosen = problems(theory)
    net = network(theory)
    episodes = np.arange(1000) % len(chosen)

    def play(bank_terms: int) -> Played:
        limits = Limits(steps=25, size=200, bank_terms=bank_terms)
        batch = Batch(theory, chosen, 16, limits=limits)
        return batch.play(net, episodes, seed=6, noise=0.5, record_all=True)

    small, large = play(3 * BANK[theory.name]), play(8_000_000)
    assert small.collections > 2 > large.collections
    assert_same(small, large)
