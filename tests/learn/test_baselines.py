"""All methods learn and resume bit for bit; their arithmetic on numbers made by hand."""

from __future__ import annotations

from dataclasses import fields
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch

from threesil.engine import End, States
from threesil.kernel.proof import certify
from threesil.learn.a2c import A2C
from threesil.learn.acer import ACER, retrace, trust_region
from threesil.learn.actor_critic import entropy, policy, taken
from threesil.learn.agent import Agent, Purpose
from threesil.learn.bc import BehaviouralCloning
from threesil.learn.config import config_of
from threesil.learn.method import Method
from threesil.learn.ppo import PPO, normalised
from threesil.learn.replay import Recorded, Replay, Rollout
from threesil.learn.sil_paac import Priorities, SilPaac
from threesil.learn.three_sil import ThreeSIL
from threesil.learn.training import METHODS
from threesil.problems.files import parse_problem
from threesil.problems.sets import sample_set
from threesil.theories import get_theory

ROBINSON = get_theory("robinson")
PROBLEMS = sample_set(ROBINSON, 60, seed=1)
POLYNOMIALS = sample_set(get_theory("polynomial"), 30, seed=1)
EQUATIONS = ("e * x = x", "x * e = x", r"x * (x \ y) = y", "(x * e) / e = x")
LOOPS = [parse_problem(text, get_theory("aim")) for text in EQUATIONS]
CONFIG: dict[str, Any] = {
    "m": 300,
    "f": 300,
    "steps": 40,
    "train_leaves": False,
    "evaluations": 1000,
    "level_size": 0,
    "width": 64,
    "threads": 1,
}
# Few episodes, and buffers that overflow within two epochs.
SHORT = dict(CONFIG, m=40, f=30, NB=10, buffer=150, acer_buffer=300)

ON_POLICY = [A2C, PPO]
BASELINES = [BehaviouralCloning, *ON_POLICY, ACER, SilPaac]
every_method = pytest.mark.parametrize("kind", [ThreeSIL, *BASELINES])
every_baseline = pytest.mark.parametrize("kind", BASELINES)


def make(
    kind: type[Method[Any]], values: dict[str, Any], theory: str = "robinson"
) -> tuple[Agent, Method[Any]]:
    """With those of the values that the method has."""
    problems = {"robinson": PROBLEMS, "aim": LOOPS, "polynomial": POLYNOMIALS}[theory]
    config_kind = config_of(next(name for name, one in METHODS.items() if one is kind))
    own = {f.name for f in fields(config_kind)}
    config = config_kind(**{key: value for key, value in values.items() if key in own})
    agent = Agent(get_theory(theory), problems, config, seed=3, value=kind.value)
    return agent, kind(agent, config)


def train(agent: Agent, method: Method[Any], begin: int, end: int) -> dict[str, float]:
    """The metrics of the last of some epochs."""
    agent.epoch = begin
    *_, metrics = islice(method.train(), end - begin)
    return metrics


@every_method
def test_learns(kind: type[Method[Any]]) -> None:
    greedy = kind not in (A2C, ACER, SilPaac)
    agent, method = make(kind, dict(CONFIG, greedy_evaluation=greedy))
    everything = np.tile(np.arange(len(PROBLEMS), dtype=np.uint32), 10)
    chance = agent.batch.play_random(everything, seed=0).solved.mean()
    untrained = agent.evaluate()
    train(agent, method, 0, 12)
    success = agent.evaluate()
    assert success > max(chance, untrained) + 0.15


@every_method
def test_solved_problems_are_certified(kind: type[Method[Any]]) -> None:
    agent, method = make(kind, SHORT)
    metrics = train(agent, method, 0, 2)
    solutions = list(method.solutions())
    assert 0 < method.solved == len({p for p, _ in solutions})
    for p, actions in solutions:
        certify(ROBINSON, PROBLEMS[p], agent.batch.derivation_of(p, actions))
    assert metrics["episodes"] == SHORT["f"]
    assert 0 < metrics["solutions"] <= SHORT["f"]


@pytest.mark.parametrize("theory", ["robinson", "aim"])
@every_method
def test_resumed_run_equals_an_uninterrupted_one(kind: type[Method[Any]], theory: str) -> None:
    config = SHORT if theory == "robinson" else dict(SHORT, m=150, bias=5.0, prune=True)
    agent, method = make(kind, config, theory)
    train(agent, method, 0, 2)
    saved = {**agent.arrays(), **method.arrays()}
    copies = {name: array.copy() for name, array in saved.items()}
    train(agent, method, 2, 4)

    resumed_agent, resumed = make(kind, config, theory)
    resumed_agent.restore(copies)
    resumed.restore(copies)
    train(resumed_agent, resumed, 2, 4)

    expected = {**agent.arrays(), **method.arrays()}
    found = {**resumed_agent.arrays(), **resumed.arrays()}
    assert expected.keys() == found.keys()
    for name, array in expected.items():
        assert np.array_equal(array, found[name]), name
    assert not np.array_equal(saved["agent.parameters"], found["agent.parameters"])


@every_baseline
def test_polynomials_with_other_limits(kind: type[Method[Any]]) -> None:
    agent, method = make(kind, dict(SHORT, size=32, steps=15, noise=0.0), "polynomial")
    metrics = train(agent, method, 0, 2)
    assert np.isfinite(agent.net.parameters_array()).all()
    assert np.isfinite(list(metrics.values())).all()
    assert "loss" in metrics  # whatever it is made of


@every_baseline
def test_leaves_of_robinson_stay_as_drawn(kind: type[Method[Any]]) -> None:
    agent, method = make(kind, SHORT)
    leaves = agent.net.parameters_array()[: agent.net.leaf_parameters].copy()
    train(agent, method, 0, 1)
    assert np.array_equal(leaves, agent.net.parameters_array()[: len(leaves)])


# The policy.


@pytest.mark.parametrize("noise", [0.0, 0.05, 1.0])
def test_illegal_actions_have_probability_zero(noise: float) -> None:
    logits = torch.tensor([[1.0, 50.0, -2.0], [0.0, 0.0, 90.0]], requires_grad=True)
    masks = np.array([[True, False, True], [True, True, False]])
    pi = policy(logits, masks, noise)
    assert (pi.detach().numpy()[~masks] == 0.0).all()
    assert torch.allclose(pi.sum(dim=1), torch.ones(2))
    torch.autograd.backward(taken(pi, np.array([2, 0])).log().sum())
    assert logits.grad is not None and torch.isfinite(logits.grad).all()
    assert (logits.grad.numpy()[~masks] == 0.0).all()


def test_noise_is_a_share_of_uniform_actions() -> None:
    pi = policy(torch.tensor([[0.0, 0.0, 0.0, 9.0]]), np.array([[True, True, False, False]]), 0.5)
    assert pi.tolist() == [[0.5, 0.5, 0.0, 0.0]]
    pi = policy(torch.tensor([[40.0, 0.0, 0.0]]), np.array([[True, True, True]]), 0.3)
    assert torch.allclose(pi, torch.tensor([[0.8, 0.1, 0.1]]))


def test_entropy() -> None:
    pi = torch.tensor([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    assert torch.allclose(entropy(pi), torch.tensor([np.log(2.0), 0.0], dtype=torch.float32))


def test_rollouts_are_played_by_the_policy_they_are_evaluated_with() -> None:
    """Random vectors included."""
    agent, method = make(A2C, dict(SHORT, steps=8, noise=0.0), "aim")
    assert isinstance(method, A2C)
    agent.net.flat.data *= 3.0  # a confident policy
    frequencies, count = 0.0, 0
    for rollout in method.rollouts(50):
        logits, _ = rollout.evaluate(agent, agent.net)
        pi = policy(logits[: len(rollout)].detach(), rollout.store.masks(rollout.states))
        frequencies += float((taken(pi, rollout.actions) - pi.square().sum(dim=1)).sum())
        count += len(rollout)
    assert count == agent.steps
    # E[pi(a)] over a drawn from pi is the sum of squares.
    assert abs(frequencies / count) < 0.05


# Episodes.


def episode(problem: int, steps: int, end: End) -> Recorded:
    """An episode of some legal actions."""
    store = States(ROBINSON, PROBLEMS)
    actions: list[int] = []
    for _ in range(steps):
        first = store.add(problem, np.array(actions, dtype=np.uint16), with_last=True)
        mask = store.masks(np.array([first + len(actions)], dtype=np.uint32))[0]
        actions.append(int(np.flatnonzero(mask)[-1]))
    return Recorded(problem, np.array(actions, dtype=np.uint16), end, 0, number=problem)


def test_returns_bootstrap_behind_limits_only() -> None:
    replay = Replay(ROBINSON, PROBLEMS, 1000)
    for e in (
        episode(0, 3, End.SOLVED),
        episode(1, 2, End.STEPS),
        episode(2, 2, End.DEAD_END),
        episode(3, 1, End.SIZE),
    ):
        replay.add(e)
    rollout = replay.rollout()
    last_values = np.array([7.0, 4.0, 7.0, -2.0], dtype=np.float32)
    assert rollout.final(last_values, 0.5).tolist() == [1.0, 2.0, 0.0, -1.0]
    expected = [0.25, 0.5, 1.0, 1.0, 2.0, 0.0, 0.0, -1.0]
    assert rollout.returns(last_values, 0.5).tolist() == expected
    assert rollout.left.tolist() == [2, 1, 0, 1, 0, 1, 0, 0]
    assert rollout.states.tolist() == [0, 1, 2, 4, 5, 7, 8, 10]
    assert rollout.states_and_last[8:].tolist() == [3, 6, 9, 11]


def test_replay_drops_the_oldest_episodes() -> None:
    replay = Replay(ROBINSON, PROBLEMS, 10)
    for p, steps in enumerate((4, 4, 4, 2)):
        replay.add(episode(p, steps, End.STEPS), mark=np.full(steps, p, dtype=np.float32))
    assert [e.problem for e in replay.episodes] == [1, 2, 3]
    assert len(replay) == 10
    assert replay.rollout().column("mark").tolist() == [1] * 4 + [2] * 4 + [3] * 2


def test_replay_keeps_its_states_when_it_is_tidied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threesil.learn.replay.ROOM", 10)
    replay = Replay(ROBINSON, PROBLEMS, 12)
    for p in range(40):
        replay.add(episode(p, 4, End.STEPS))
        assert len(replay.store) < 100
        fresh = States(ROBINSON, PROBLEMS)
        for e in replay.episodes:
            first = fresh.add(e.problem, e.actions, with_last=True)
            states = np.arange(5, dtype=np.uint32)
            masks = replay.store.masks(states + np.uint32(e.first))
            assert np.array_equal(masks, fresh.masks(states + np.uint32(first)))


@pytest.mark.parametrize("steps", [1, 100, 10**6])
def test_pieces_hold_all_episodes_of_an_epoch(steps: int) -> None:
    agent, method = make(A2C, SHORT)
    assert isinstance(method, A2C)
    pieces = list(method.rollouts(steps))
    numbers = [e.number for piece in pieces for e in piece.episodes]
    assert numbers == list(range(SHORT["m"]))
    assert sum(len(piece) for piece in pieces) == agent.steps
    assert all(steps <= len(piece) < steps + SHORT["steps"] * 5 for piece in pieces[:-1])
    expected = agent.random(Purpose.PROBLEMS).integers(len(PROBLEMS), size=SHORT["m"])
    assert [e.problem for piece in pieces for e in piece.episodes] == expected.tolist()


# PPO, ACER, SIL-PAAC.


def test_normalised_advantage() -> None:
    assert torch.allclose(normalised(torch.tensor([1.0, 3.0])), torch.tensor([-1.0, 1.0]))
    assert torch.equal(normalised(torch.tensor([2.0])), torch.zeros(1))


def test_retrace_recursion() -> None:
    lengths = np.array([3, 1])
    final = np.array([1.0, 0.5], dtype=np.float32)
    q = torch.tensor([0.5, 0.25, 0.75, 0.0])
    v = torch.tensor([0.5, 0.5, 1.0, 0.0])
    c = torch.tensor([1.0, 0.5, 1.0, 1.0])
    # t = 2: 1; t = 1: 0.5 (1 (1 - 0.75) + 1) = 0.625; t = 0: 0.5 (0.5 (0.625 - 0.25) + 0.5)
    assert retrace(lengths, final, q, v, c, 0.5).tolist() == [0.34375, 0.625, 1.0, 0.5]


def test_retrace_on_policy_with_an_exact_critic_is_the_return() -> None:
    v = torch.tensor([0.25, 0.5, 1.0])
    q_ret = retrace(np.array([3]), np.ones(1, dtype=np.float32), v, v, torch.ones(3), 0.5)
    assert torch.equal(q_ret, v)


def test_trust_region() -> None:
    g = torch.tensor([[3.0, 1.0], [0.5, 1.0], [1.0, 1.0]])
    k = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    assert trust_region(g, k, 1.0).tolist() == [[1.0, 1.0], [0.5, 1.0], [1.0, 1.0]]


def test_acer_gradient_is_that_of_its_objective() -> None:
    config = dict(SHORT, acer_truncation=1.5, entropy_weight=0.1)
    _, method = make(ACER, config)
    assert isinstance(method, ACER)
    logits = torch.tensor([[0.5, -0.5, 1.0, 0.0]], requires_grad=True)
    masks = np.array([[True, True, True, False]])
    mu = torch.tensor([[0.7, 0.2, 0.1, 0.0]])
    q, q_ret = torch.tensor([[0.3, 0.9, 0.6, 0.0]]), torch.tensor([0.8])
    pi = policy(logits, masks)
    fixed = pi.detach()
    v = (fixed * q).sum(dim=1)
    rho = fixed / mu.clamp_min(1e-8)
    action = np.array([2])
    assert rho[0, 2] > 1.5  # so that the weight is truncated and the correction acts
    log_pi = pi.clamp_min(1e-8).log()
    objective = 1.5 * log_pi[0, 2] * (q_ret - v) + 0.1 * entropy(pi)
    correction = (1 - 1.5 / rho).clamp_min(0) * fixed * (q - v[:, None])
    torch.autograd.backward((objective + (correction * log_pi).sum()).sum())
    g = method.gradient(fixed, rho, q, v, q_ret, action)
    assert logits.grad is not None
    assert torch.allclose(g, logits.grad, atol=1e-6)


def test_average_policy_follows_slowly() -> None:
    agent, method = make(ACER, dict(SHORT, acer_decay=1.0))
    assert isinstance(method, ACER)
    begin = agent.net.parameters_array().copy()
    train(agent, method, 0, 1)
    assert np.array_equal(method.average.parameters_array(), begin)
    agent, method = make(ACER, dict(SHORT, acer_decay=0.0))
    assert isinstance(method, ACER)
    train(agent, method, 0, 1)
    assert np.array_equal(method.average.parameters_array(), agent.net.parameters_array())


def test_priorities() -> None:
    random = np.random.default_rng(0)
    priorities = Priorities(np.array([0.0, 1.0, 16.0, 0.0], dtype=np.float32), 0.5)
    chosen, weights = priorities.sample(20_000, random)
    shares = np.bincount(chosen, minlength=4) / 20_000
    assert np.allclose(shares, [0.0, 0.2, 0.8, 0.0], atol=0.01)
    assert weights[chosen == 1].max() == 1.0  # the rarest counts fully
    assert np.allclose(weights[chosen == 2], 4**-0.1)

    priorities.set(np.array([2]), np.array([1.0], dtype=np.float32))
    chosen, weights = priorities.sample(20_000, random)
    assert np.allclose(np.bincount(chosen, minlength=4) / 20_000, [0, 0.5, 0.5, 0], atol=0.02)
    assert (weights == 1.0).all()


def test_transitions_without_advantage_stay_within_reach() -> None:
    priorities = Priorities(np.ones(3, dtype=np.float32), 0.6)
    priorities.set(np.arange(3), np.zeros(3, dtype=np.float32))
    chosen, _ = priorities.sample(1000, np.random.default_rng(0))
    assert set(chosen.tolist()) == {0, 1, 2}


def test_sil_paac_keeps_successes_and_their_priorities() -> None:
    agent, method = make(SilPaac, SHORT)
    assert isinstance(method, SilPaac)
    train(agent, method, 0, 2)
    assert {e.end for e in method.buffer.episodes} == {End.SOLVED}
    priorities = method.buffer.rollout().column("priority")
    assert len(priorities) == len(method.buffer) <= SHORT["buffer"]
    assert (priorities > 0).all() and (priorities != 1).any()


def test_bc_keeps_all_solutions() -> None:
    agent, method = make(BehaviouralCloning, dict(SHORT, buffer=10**6))
    assert isinstance(method, BehaviouralCloning)
    found = train(agent, method, 0, 1)["solutions"]
    assert len(method.buffer.episodes) == found > method.solved


def test_rollout_of_nothing_legal_is_worth_nothing() -> None:
    """A limit may strike where no action is left; the critic must not see NaN there."""
    logits, masks = torch.zeros(1, 3), np.zeros((1, 3), dtype=np.bool_)
    assert (policy(logits, masks) * torch.ones(1, 3)).sum(dim=1).nan_to_num().tolist() == [0.0]


def test_rollout_needs_no_order_in_its_store() -> None:
    replay = Replay(ROBINSON, PROBLEMS, 1000)
    for p in range(3):
        replay.add(episode(p, 2, End.STEPS))
    mixed = Rollout(replay.store, [replay.episodes[2], replay.episodes[0]])
    assert mixed.states.tolist() == [6, 7, 0, 1]
    assert mixed.states_and_last.tolist() == [6, 7, 0, 1, 8, 2]


# Back towards the published setting


@pytest.mark.parametrize("kind", ON_POLICY)
@pytest.mark.parametrize(
    "change",
    [
        {"loss_masks": False},
        {"loss_noise": False},
        {"bootstrap": False},
        {"entropy_weight": 0.0},
        {"normal_returns": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_one_change_at_a_time(kind: type[Method[Any]], change: dict[str, bool | float]) -> None:
    """Each changes what is learned (returns are PPO's alone), and nothing becomes infinite."""
    learned = []
    for config in (SHORT, dict(SHORT, **change)):
        agent, method = make(kind, config)
        metrics = train(agent, method, 0, 2)
        assert all(np.isfinite(value) for value in metrics.values())
        learned.append(agent.net.parameters_array().copy())
    same = kind is A2C and "normal_returns" in change
    assert np.array_equal(*learned) == same


def test_the_policy_of_the_loss() -> None:
    logits = torch.tensor([[0.0, 0.0, 0.0, 0.0]])
    masks = np.array([[True, True, False, False]])
    for changes, expected in (
        ({}, [0.5, 0.5, 0, 0]),
        ({"loss_masks": False, "loss_noise": False}, [0.25] * 4),
        ({"loss_masks": False, "noise": 0.2}, [0.3, 0.3, 0.2, 0.2]),
    ):
        _, method = make(A2C, dict(SHORT, **changes))  # type: ignore[arg-type]
        assert isinstance(method, A2C)
        assert method.policy(logits, masks)[0].tolist() == pytest.approx(expected)
