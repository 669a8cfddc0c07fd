"""Wrong use of the core, at its own entries and at the engine's: an error, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nets.walks import SMALL, network
from samples import AIM, POLYNOMIAL, ROBINSON, equation, problems, term, written
from threesil import _native
from threesil.engine import (
    Batch,
    Budget,
    Guided,
    Limits,
    Network,
    ProblemList,
    Saturation,
    Shape,
    States,
    TermSearch,
)
from threesil.engine.compiled import compile_theory
from threesil.errors import IllegalAction, InputError
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Goal, Problem, Signature, Theory, moves_of

ERRORS = (ValueError, TypeError, IndexError, OverflowError)
UNSOLVED = equation(r"T(T(x,y),T(y,z)) = R(K(x,y) * z,y \ x,L(z,y,x))")


def rules_of(theory: Any) -> Any:
    return compile_theory(theory)[1]


# Codes


def bad_codes() -> list[tuple[str, list[int], list[int]]]:
    """(what is wrong, start, target) for AIM, where a problem is one equation."""
    codec, _ = compile_theory(AIM)
    good, _ = codec.problem(equation("x * y = z"))
    times, equality = good[1], codec.equality
    cursor, constants = len(codec.symbols) - 1, len(codec.symbols)
    return [
        ("empty", [], []),
        ("no equation", good[1:4], []),
        ("truncated", good[:-1], []),
        ("one symbol", [equality], []),
        ("trailing", [*good, constants], []),
        ("two problems", [*good, *good], []),
        ("a variable", [*good[:-1], -1], []),
        ("the smallest number", [*good[:-1], -(2**31)], []),
        ("the largest number", [*good[:-1], 2**31 - 1], []),
        ("a constant far too large", [*good[:-1], constants + 100], []),
        ("the cursor", [equality, cursor, constants, constants], []),
        ("equality below", [equality, equality, *[constants] * 3], []),
        ("equality on the right", [equality, constants, equality, *[constants] * 2], []),
        ("a target", good, [constants]),
        ("wrong arity", [equality, times, constants, constants], []),
    ]


each_bad_code = pytest.mark.parametrize(
    ("start", "target"), [case[1:] for case in bad_codes()], ids=[case[0] for case in bad_codes()]
)


@each_bad_code
def test_bad_codes_are_refused_everywhere(start: list[int], target: list[int]) -> None:
    rules, net = rules_of(AIM), network(AIM).native
    with pytest.raises(ValueError, match="problem"):
        _native.Problems(rules, [(start, target)])
    batch = Batch(AIM, problems(AIM))
    with pytest.raises(ValueError, match="problem"):
        batch._native.replace(0, start, target)
    with pytest.raises(ValueError, match="problem"):
        _native.LevinSearch(rules, net, True).solve(start, target, 10, 1.0, 100, 10, 0, 0)
    if target:
        return
    for prover in (_native.TermSearch(rules, True), _native.Saturation(rules, True)):
        with pytest.raises(ValueError, match="problem"):
            prover.prove(start, 10, 1.0, 20, 6, 1000, 10)
    guided = _native.GuidedSearch(rules, net, list(range(len(AIM.actions))), True)
    with pytest.raises(ValueError, match="problem"):
        guided.solve(start, 10, 1.0, 1000, 0, 0)
    with pytest.raises(ValueError, match="problem"):
        guided.explore(start, 10, 1.0, 1000, 0, 5, len(compile_theory(AIM)[0].symbols))


def test_a_goal_with_a_target_needs_one() -> None:
    codec, rules = compile_theory(POLYNOMIAL)
    start = codec.encode(term("x + 0", POLYNOMIAL), {})
    with pytest.raises(ValueError, match="target"):
        _native.Problems(rules, [(start, [])])
    with pytest.raises(ValueError, match="target"):
        _native.Problems(rules_of(ROBINSON), [([0], [0])])


def test_numbers_that_are_no_codes_are_refused() -> None:
    for codes in ([2**31], [2**70], [1.5], ["x"], [None]):
        with pytest.raises(ERRORS):
            _native.Problems(rules_of(AIM), [(codes, [])])  # type: ignore[list-item]


def test_problems_of_another_theory_are_refused() -> None:
    foreign = ProblemList(ROBINSON, problems(ROBINSON))
    with pytest.raises(ValueError, match="another theory"):
        Batch(AIM, [])._native.load(foreign.native)
    with pytest.raises(ValueError, match="another theory"):
        States(AIM, [])._native.load(foreign.native)
    with pytest.raises(InputError, match="not a symbol of aim"):
        Batch(AIM, foreign)


# Theories


def test_a_symbol_with_too_many_arguments_is_named(tmp_path: Path) -> None:
    for count in (255, 256):
        many = ",".join(["x"] * count)
        if count > 255:
            signature = Signature({"wide": count})
            wide = Theory("wide", "", signature, (), tuple(moves_of(signature)), Goal.EQUATION)
            with pytest.raises(InputError, match=r"wide has 256 arguments.* at most 255"):
                compile_theory(wide)
            continue
        theory = written(tmp_path, f"Axiom one: wide({many}) = x.", name=f"wide{count}")
        asked = Problem("wide", app("wide", *[var("x")] * count), var("x"))
        for search in (
            TermSearch(theory, growth=count),
            Saturation(theory),
            Guided(theory, network(theory), growth=count),
        ):
            assert search.prove(asked, Budget(50)).derivation is not None


Rule = tuple[list[int], list[int], int, int, bool]
IDENTITY: Rule = ([-1], [-1], 1, 0, True)


def native_rules(
    rules: list[Rule], arity: tuple[int, ...] = (2, 2, 1), goal: int = 0, equality: int = 1
) -> Any:
    actions = [(False, 0, [rule]) for rule in rules]
    return _native.Rules(list(arity), [0] * len(arity), actions, goal, equality, True, False)


def test_rules_that_no_theory_has_are_refused() -> None:
    native_rules([IDENTITY])
    for bad in (
        ([], [-1], 1, 0, True),
        ([-2], [-1], 1, 0, True),
        ([0, -1], [-1], 1, 0, True),
        ([-1, -1], [-1], 1, 0, True),
        ([1, -1, -1], [-1], 1, 0, True),  # the equality
        ([2, -1], [-1], 1, 0, True),  # the cursor
        ([3], [-1], 1, 0, True),
        ([2**31 - 1], [-1], 1, 0, True),
        ([-(2**31)], [-1], 1, 0, True),
        ([-1], [-1], 2**31, 0, True),
    ):
        with pytest.raises(ValueError):
            native_rules([bad])
    for options in (
        {"arity": (2, 2, 0)},
        {"arity": ()},
        {"arity": (2, 3, 1)},
        {"goal": 3},
        {"goal": 1},
        {"equality": 2},
        {"equality": -1},
        {"equality": -7},
    ):
        with pytest.raises(ValueError):
            native_rules([IDENTITY], **options)  # type: ignore[arg-type]


def test_more_rules_than_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="65535 actions"):
        native_rules([IDENTITY] * 65536)
    both = [(False, 0, [IDENTITY, IDENTITY])] * 40000
    with pytest.raises(ValueError, match="65535 rules"):
        _native.Rules([2, 2, 1], [0, 0, 0], both, 0, 1, True, False)


# Networks


def test_a_network_of_another_theory_is_refused() -> None:
    other = network(ROBINSON)
    batch = Batch(AIM, problems(AIM), 4)
    store = States(AIM, problems(AIM))
    none = np.zeros(0, dtype=np.uint32)
    for use in (
        lambda: batch.play(other, [0], seed=1),
        lambda: batch.logits(other),
        lambda: store.forward(other, none, none.astype(np.uint64), seed=1),
        lambda: Guided(AIM, other),
        lambda: batch._native.play_guided(
            other.native, np.zeros(1, np.uint32), 1, 0, 0, 0.0, False, False
        ),
        lambda: batch._native.logits(
            other.native, 0, 0, np.zeros((4, len(AIM.actions)), np.float32)
        ),
        lambda: store._native.forward(other.native, none, none.astype(np.uint64), 1, 0),
        lambda: _native.LevinSearch(rules_of(AIM), other.native, True),
        lambda: _native.GuidedSearch(rules_of(AIM), other.native, [0] * len(AIM.actions), True),
    ):
        with pytest.raises(ValueError, match="another theory"):
            use()


def test_a_network_with_the_same_arities_but_other_symbols_is_refused(tmp_path: Path) -> None:
    one = written(tmp_path, "Axiom one: f(x) = g(x).", name="one")
    two = written(tmp_path, "Axiom one: h(x) = k(x).", name="two")
    for use in (
        lambda: Batch(one, []).play(network(two), [], seed=1),
        lambda: Guided(one, network(two)),
    ):
        with pytest.raises(ValueError, match="another theory"):
            use()


def test_weights_that_are_not_finite_are_refused() -> None:
    net = Network(AIM, SMALL)
    for bad in (np.nan, np.inf, -np.inf):
        weights = np.zeros(net.parameters, dtype=np.float32)
        weights[-1] = bad
        with pytest.raises(ValueError, match="not a finite number"):
            net.load(weights)
    with pytest.raises(ValueError, match="no weights yet"):
        Batch(AIM, problems(AIM)).play(net, [0], seed=1)


def test_weights_of_another_kind_or_number_are_refused() -> None:
    net = Network(AIM, SMALL)
    right = np.zeros(net.parameters, dtype=np.float32)
    for bad in (right[:-1], right[None], right.astype(str), right.astype(complex)):
        with pytest.raises(ERRORS):
            net.load(bad)
    net.load(np.zeros(2 * net.parameters, dtype=np.float32)[::2])
    for bad in (right.astype(np.float64), np.zeros(2 * net.parameters, np.float32)[::2]):
        with pytest.raises(TypeError):
            net.native.load(bad)


@pytest.mark.parametrize(
    "shape", [(0, 16), (16, 0), (15, 16), (2**31, 16), (16, 2**31), (8192, 16)]
)
def test_absurd_networks_are_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="multiples of 16"):
        Network(AIM, Shape(*shape))


# Arrays


def test_arrays_that_observe_cannot_fill_are_refused() -> None:
    batch = Batch(AIM, problems(AIM), 3)
    for slot in range(3):
        batch.reset(slot, slot)
    tokens = np.empty((3, 40), dtype=np.int32)
    row = np.empty(3, dtype=np.int32)
    batch.observe(tokens, row, row.copy(), 4)
    assert tokens.any()
    frozen = tokens.copy()
    frozen.flags.writeable = False
    for bad in (
        np.empty((40, 3), dtype=np.int32).T,
        np.asfortranarray(tokens),
        np.empty((3, 80), dtype=np.int32)[:, ::2],
        tokens.astype(np.int64),
        tokens.astype(np.uint32),
        tokens.astype(np.float32),
        tokens.astype(">i4"),
        tokens[:2],
        tokens[0],
        frozen,
        tokens.tolist(),
    ):
        with pytest.raises((TypeError, ValueError)):
            batch.observe(bad, row, row.copy(), 4)
        with pytest.raises((TypeError, ValueError)):
            batch.observe(tokens, bad, row, 4)
    for bad in (row.astype(np.int64), np.empty(6, dtype=np.int32)[::2], row[:2]):
        with pytest.raises((TypeError, ValueError)):
            batch.observe(tokens, row, bad, 4)
    for constants in (-1, 2**31 - 1, 2**40):
        with pytest.raises(ERRORS):
            batch.observe(tokens, row, row.copy(), constants)


def test_actions_that_step_cannot_take_are_refused() -> None:
    batch = Batch(AIM, problems(AIM), 3)
    for slot in range(3):
        batch.reset(slot, slot)
    before = [batch.codes(slot) for slot in range(3)]
    for bad in (
        np.array([0.0, 0.0, 0.0]),
        np.array([0.7, 0, 0]),
        np.array([True, False, False]),
        np.array([0, 0]),
        np.array([[0, 0, 0]]),
        np.array([0, 0, 2**40]),
        np.array([0, 0, -(2**40)]),
        np.array([0, 0, len(AIM.actions)]),
        np.array([0, 0, 2**31 - 1]),
    ):
        with pytest.raises(ERRORS):
            batch.step(bad)
    for bad in (
        np.zeros(3, dtype=np.int64),
        np.zeros(6, dtype=np.int32)[::2],
        np.zeros((3, 1), dtype=np.int32),
        np.zeros(4, dtype=np.int32),
    ):
        with pytest.raises(ERRORS):
            batch._native.step(bad)
    assert [batch.codes(slot) for slot in range(3)] == before


def test_an_empty_slot_takes_no_action() -> None:
    batch = Batch(AIM, problems(AIM), 2)
    with pytest.raises(IndexError, match="no episode"):
        batch.step(np.array([0, -1], dtype=np.int32))
    for ask in (batch.codes, batch.term):
        with pytest.raises(IndexError, match="no episode"):
            ask(0)
    for slot, problem in ((2, 0), (0, 99), (2**40, 0)):
        with pytest.raises(IndexError):
            batch.reset(slot, problem)
    with pytest.raises(TypeError):
        batch.reset(-1, 0)


def test_outputs_of_masks_and_logits_are_taken_as_they_are() -> None:
    batch = Batch(AIM, problems(AIM), 3)
    count, net = len(AIM.actions), network(AIM).native
    for shape in ((3, count + 1), (2, count), (count, 3)):
        with pytest.raises(ValueError):
            batch._native.masks(np.empty(shape, np.uint8))
        with pytest.raises(ValueError):
            batch._native.logits(net, 0, 0, np.empty(shape, np.float32))
    for bad in (np.empty((3, count), np.int32), np.empty((3, count), np.uint8, order="F")):
        with pytest.raises(TypeError):
            batch._native.masks(bad)
    for bad in (np.empty((3, count)), np.empty((3, count), np.float32, order="F")):
        with pytest.raises(TypeError):
            batch._native.logits(net, 0, 0, bad)


def test_problems_and_streams_that_are_out_of_range_are_refused() -> None:
    batch, net = Batch(AIM, problems(AIM), 2), network(AIM)
    last = len(problems(AIM))
    for bad in ([last], [-1], [2**32], [2**32 + 1], [0.5], [[0]], ["x"]):
        with pytest.raises(ERRORS):
            batch.play_random(bad, seed=1)
        with pytest.raises(ERRORS):
            batch.play(net, bad, seed=1)
    zero, none = np.zeros(1, np.uint32), np.zeros(0, np.uint16)
    for offsets in ([0], [0, 1], [1, 0], [0, 0, 0], [0, 2**63], []):
        with pytest.raises(ValueError):
            batch.replay_arrays(zero, none, np.array(offsets, dtype=np.uint64))
    with pytest.raises(TypeError):
        batch._native.replay(zero.astype(np.int64), none, np.zeros(2, np.uint64))
    for actions in ([len(AIM.actions)], [65535], [2**16], [-1], [2**70]):
        with pytest.raises(ERRORS):
            batch.replay([0], [actions])
    for noise in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="noise"):
            batch.play(net, [0], seed=1, noise=noise)


def test_a_store_of_states_refuses_what_it_does_not_have() -> None:
    store, net = States(AIM, problems(AIM)), network(AIM)
    first = store.add(0, np.zeros(0, np.uint16), with_last=True)
    one, draw = np.array([first], np.uint32), np.zeros(1, np.uint64)
    for bad in ([1], [2**31], [-1], [0.5]):
        with pytest.raises(ERRORS):
            store.masks(np.array(bad))
        with pytest.raises(ERRORS):
            store.forward(net, np.array(bad), draw, seed=1)
    with pytest.raises(ValueError, match="draw"):
        store.forward(net, one, np.zeros(2, np.uint64), seed=1)
    with pytest.raises(IndexError):
        store.add(99, np.zeros(0, np.uint16))
    with pytest.raises(IllegalAction):
        store.add(0, np.array([len(AIM.actions)], np.uint16))
    with pytest.raises(ERRORS):
        store.add(0, np.array([0.5]))
    assert len(store) == 1
    done = store.forward(net, one, draw, seed=1)
    right = done.backward(done.logits, done.values)
    np.testing.assert_array_equal(
        done.backward(np.asfortranarray(done.logits), done.values.astype(np.float64)), right
    )
    for logits, values in (
        (done.logits[:, :-1], done.values),
        (done.logits[0], done.values),
        (done.logits, np.zeros(2, np.float32)),
        (done.logits.astype(str), done.values),
    ):
        with pytest.raises(ERRORS):
            done.backward(logits, values)


# Sizes


def test_absurd_sizes_are_refused() -> None:
    for width in (0, -1, 2**20 + 1, 2**40, 2**64):
        with pytest.raises(ERRORS):
            Batch(AIM, [], width)
    for threads in (0, -1, 5000, 2**63):
        with pytest.raises(ERRORS):
            Batch(AIM, [], 4, threads=threads)
    for search in (TermSearch(AIM, growth=2**31), Saturation(AIM, depth_cost=2**20)):
        with pytest.raises(ValueError, match="too large"):
            search.prove(UNSOLVED, Budget(10))
    for options in ({"noise": 2.0}, {"size_cost": float("inf")}, {"variables": 2**21}):
        with pytest.raises(ValueError):
            Guided(AIM, network(AIM), **options)
    saturation = _native.Saturation(rules_of(AIM), True)
    count = len(saturation.rule_cost) or len(list(AIM.rewrites()))
    for cost in ([0.0], [float("nan")] * count, [-1.0] * count, [1e9] * count):
        with pytest.raises(ValueError):
            saturation.rule_cost = cost


def test_limits_of_absurd_size_are_no_limits() -> None:
    small = problems(AIM)[1]
    for budget in (Budget(2**100, terms=2**62), Budget(2**62, terms=2**64 - 1)):
        for search in (TermSearch(AIM), Saturation(AIM), Guided(AIM, network(AIM))):
            assert search.prove(small, budget).derivation is not None
    with pytest.raises(ValueError, match="below 2"):
        Limits(bank_terms=2**31)
