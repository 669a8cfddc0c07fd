"""The tree network three times: as a policy, as a pass for training, and in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nets.reference import reference
from nets.walks import LIVELY, SHAPES, SMALL, Walk, network, walk
from samples import AIM, ROBINSON, THEORIES
from threesil.engine import Network, Shape, layout
from threesil.kernel.theory import Theory
from threesil.nets.policy import Policy, initial_parameters
from threesil.nets.tree_net import TreeNet

each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"n={shape.size}")
SEED, STREAM = 17, 5


def assert_close(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def tree_net(theory: Theory, shape: Shape, *, train_leaves: bool = True) -> TreeNet:
    net = TreeNet(theory, shape, train_leaves=train_leaves, seed=1)
    with torch.no_grad():
        net.flat.mul_(float(LIVELY))
    net.publish()
    return net


def loss_of(logits: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Any smooth function that all outputs matter to."""
    random = torch.Generator().manual_seed(3)
    weights = torch.randn(logits.shape, generator=random)
    return (weights * logits).sum() + torch.nn.functional.softplus(logits).sum() + values.sum() ** 2


# Outputs


@each_theory
@each_shape
def test_policy_pass_and_reference_agree(theory: Theory, shape: Shape) -> None:
    net = tree_net(theory, shape)
    walked = walk(theory, 150, seed=4)
    policy = walked.batch.logits(net.engine, seed=SEED, stream=STREAM)
    done = walked.store.forward(net.engine, walked.states, walked.draws, seed=SEED, stream=STREAM)
    with torch.no_grad():
        logits, values = reference(net, done)
    assert policy.std(axis=0).max() > 0.1  # the states do matter
    assert_close(done.logits, logits.numpy())
    assert_close(policy, logits.numpy())
    assert_close(done.values, values.numpy())
    assert bool(done.values.std() > 0) == shape.value


def test_the_walks_meet_what_is_rare() -> None:
    walked = walk(AIM, 150, seed=4)
    assert any(code < 0 for slot in range(150) for code in walked.batch.codes(slot))
    walked = walk(ROBINSON, 150, seed=4)
    assert max(len(walked.batch.codes(slot)) for slot in range(150)) > 300
    assert {len(walked.batch.cursor(slot)) for slot in range(150)} >= {0, 1, 2, 3}


@each_theory
def test_masks_of_stored_states_are_those_of_the_episodes(theory: Theory) -> None:
    walked = walk(theory, 150, seed=6)
    np.testing.assert_array_equal(walked.store.masks(walked.states), walked.batch.masks())


@each_theory
def test_outputs_depend_on_their_own_state_alone(theory: Theory) -> None:
    """Neither on the other states of the batch nor on their order, to the last bit."""
    net = network(theory, SHAPES[1])
    walked = walk(theory, 60, seed=7)

    def outputs(order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        states, draws = walked.states[order], walked.draws[order]
        done = walked.store.forward(net, states, draws, seed=SEED)
        return done.logits, done.values

    logits, values = outputs(np.arange(60))
    order = np.random.default_rng(0).permutation(60)
    for part in (order, order[:1], order[:17], np.repeat(order[:5], 3)):
        some_logits, some_values = outputs(part)
        np.testing.assert_array_equal(some_logits, logits[part])
        np.testing.assert_array_equal(some_values, values[part])


@each_theory
def test_policy_does_not_depend_on_the_threads(theory: Theory) -> None:
    net = network(theory)
    one = walk(theory, 50, seed=8, threads=1).batch.logits(net, seed=SEED)
    two = walk(theory, 50, seed=8, threads=2).batch.logits(net, seed=SEED)
    np.testing.assert_array_equal(one, two)


def test_no_states_at_all() -> None:
    walked = walk(ROBINSON, 3, seed=1)
    none = np.zeros(0, dtype=np.uint32)
    done = walked.store.forward(network(ROBINSON), none, none.astype(np.uint64), seed=0)
    assert done.logits.shape == (0, len(ROBINSON.actions))
    gradient = done.backward(done.logits, done.values)
    assert not gradient.any()


def test_states_that_are_not_there_are_refused() -> None:
    walked = walk(ROBINSON, 3, seed=1)
    beyond = np.array([len(walked.store)], dtype=np.uint32)
    with pytest.raises(IndexError):
        walked.store.forward(network(ROBINSON), beyond, beyond.astype(np.uint64), seed=0)
    with pytest.raises(IndexError):
        walked.store.masks(beyond)


def test_a_wrong_number_of_parameters_is_refused() -> None:
    made = Network(ROBINSON, SMALL)
    with pytest.raises(ValueError, match="wrong number of parameters"):
        made.load(np.zeros(made.parameters + 1, dtype=np.float32))


# Gradients


def gradients(net: TreeNet, walked: Walk) -> tuple[np.ndarray, np.ndarray]:
    """(the engine's, autograd's through the reference)."""
    net.flat.grad = None
    loss_of(*net(walked.store, walked.states, walked.draws, SEED, STREAM)).backward()
    assert net.flat.grad is not None
    done = walked.store.forward(net.engine, walked.states, walked.draws, seed=SEED, stream=STREAM)
    (expected,) = torch.autograd.grad(loss_of(*reference(net, done)), net.flat)
    return net.flat.grad.numpy().copy(), expected.numpy()


@each_theory
@each_shape
def test_gradients_are_those_of_autograd(theory: Theory, shape: Shape) -> None:
    net = tree_net(theory, shape)
    mine, expected = gradients(net, walk(theory, 80, seed=9))
    parts = Policy(theory, shape, mine).tensors
    untouched = {"constant", "variable"} if theory is not AIM else set()
    for name, want in Policy(theory, shape, expected).tensors.items():
        scale = np.linalg.norm(want)
        if name.split(".")[0] in untouched:
            assert scale == 0
        else:
            assert scale > 0, name
        assert np.linalg.norm(parts[name] - want) <= 1e-4 * scale, name


@each_theory
def test_fixed_leaf_vectors_have_no_gradient_and_never_move(theory: Theory) -> None:
    walked = walk(theory, 40, seed=10)
    leaves = sum("leaf." in name for name in layout(theory, SMALL)) * SMALL.size
    assert leaves > 0
    for train_leaves in (False, True):
        net = tree_net(theory, SMALL, train_leaves=train_leaves)
        before = net.parameters_array().copy()
        mine, expected = gradients(net, walked)
        assert mine[:leaves].any() == train_leaves
        assert expected[:leaves].any()
        np.testing.assert_allclose(mine[leaves:], expected[leaves:], rtol=1e-3, atol=1e-4)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            loss_of(*net(walked.store, walked.states, walked.draws, SEED)).backward()
            optimizer.step()
        moved = net.parameters_array() != before
        assert moved[:leaves].any() == train_leaves
        assert moved[leaves:].mean() > 0.2


def test_descent_makes_recorded_actions_likelier() -> None:
    walked = walk(ROBINSON, 64, seed=11)
    net = tree_net(ROBINSON, SMALL)
    target = torch.from_numpy(walked.store.masks(walked.states).argmax(axis=1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        logits, _ = net(walked.store, walked.states, walked.draws, SEED)
        loss = torch.nn.functional.cross_entropy(logits, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


# Weights


@each_theory
def test_initial_weights_depend_on_the_seed_alone(theory: Theory) -> None:
    first = initial_parameters(theory, SMALL, 5)
    np.testing.assert_array_equal(first, initial_parameters(theory, SMALL, 5))
    assert not np.array_equal(first, initial_parameters(theory, SMALL, 6))
    assert first.size == Network(theory, SMALL).parameters
    for name, part in Policy(theory, SMALL, first).tensors.items():
        if name.endswith(".weight"):
            assert np.abs(part).max() <= 1 / np.sqrt(part.shape[0])
            assert part.std() > 0.3 / np.sqrt(part.shape[0])
