"""An agent and 3SIL on it, epoch by epoch, in memory."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch

from samples import AIM, ROBINSON, THEORIES, easy_problems, term
from threesil.engine import Stop, Stopped
from threesil.kernel.proof import certify
from threesil.kernel.theory import Problem, Theory
from threesil.learn import agent as agent_module
from threesil.learn.agent import Agent, Purpose, masked
from threesil.learn.config import ThreeSILConfig, make_config
from threesil.learn.levin import SearchingThreeSIL
from threesil.learn.three_sil import ThreeSIL
from threesil.learn.training import method_of
from threesil.problems.sets import sample_set

each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
TINY = {"m": 60, "f": 40, "NB": 8, "B": 16, "ME": 10, "evaluations": 30, "width": 16, "threads": 1}


def config(**changes: Any) -> ThreeSILConfig:
    return make_config(ThreeSILConfig, {**TINY, **changes}, "")


def settings(theory: Theory, **changes: Any) -> ThreeSILConfig:
    more = {"m": 500, "f": 300, "steps": 8} if theory is AIM else {}  # chance seldom proves them
    return config(**{**more, **changes})


def agent(theory: Theory = ROBINSON, seed: int = 1, **changes: Any) -> Agent:
    return Agent(theory, easy_problems(theory), settings(theory, **changes), seed)


def learner(theory: Theory = ROBINSON, seed: int = 1, **changes: Any) -> ThreeSIL:
    wanted = settings(theory, **changes)
    method = method_of(wanted)(agent(theory, seed, **changes), wanted)
    assert isinstance(method, ThreeSIL)
    return method


def epochs(method: ThreeSIL, first: int, last: int) -> list[dict[str, float]]:
    """The metrics of some epochs, or of what is left of them."""
    method.agent.epoch = first
    return list(islice(method.train(), last - first))


# The agent


def test_masked_actions_have_no_probability() -> None:
    random = torch.Generator().manual_seed(1)
    logits = 30 * torch.randn(200, 12, generator=random)
    masks = np.random.default_rng(1).random((200, 12)) < 0.3
    masks[:, 5] = True
    p = torch.softmax(masked(logits, masks), dim=1).numpy()
    assert (p[~masks] == 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-5)
    wanted = np.where(masks, np.exp(logits.numpy().astype(np.float64)), 0)
    np.testing.assert_allclose(p, wanted / wanted.sum(axis=1, keepdims=True), rtol=1e-3, atol=1e-9)


def test_a_single_legal_action_is_certain_and_gives_no_gradient() -> None:
    logits = torch.randn(1, 4, requires_grad=True)
    mask = np.array([[False, True, False, False]])
    loss = torch.nn.functional.cross_entropy(masked(logits, mask), torch.tensor([1]))
    loss.backward()
    assert loss.item() == 0
    assert logits.grad is not None
    assert not logits.grad.any()


def test_random_numbers_of_one_purpose_are_nobody_elses() -> None:
    made = agent()
    streams = set()
    drawn = []
    for epoch in range(20):
        made.begin_epoch(epoch)
        for purpose in Purpose:
            streams.add(made.stream(purpose))
            drawn.append(made.random(purpose).random())
    assert len(streams) == len(set(drawn)) == 20 * len(Purpose)
    again = agent()
    again.begin_epoch(19)
    assert again.random(list(Purpose)[-1]).random() == drawn[-1]
    assert agent(seed=2).random(Purpose.COLLECT).random() not in drawn


@each_theory
def test_collection_in_pieces_is_collection_at_once(
    theory: Theory, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = np.arange(50, dtype=np.uint32) % len(easy_problems(theory))
    whole, pieces = agent(theory), agent(theory)
    solutions = list(whole.solutions(problems))
    monkeypatch.setattr(agent_module, "_CHUNK", 7)
    assert list(pieces.solutions(problems)) == solutions
    assert pieces.steps == whole.steps == whole.collect(problems).steps.sum()


def test_the_learning_rate_follows_a_cosine_or_stays() -> None:
    def rates(**changes: float) -> list[float]:
        made = agent(learning_rate=0.01, ME=11, **changes)
        found = []
        for epoch in range(11):
            made.begin_epoch(epoch)
            found.append(made.optimizer.param_groups[0]["lr"])
        return found

    assert rates() == [0.01] * 11
    falling = rates(final_learning_rate=0.001)
    assert falling[0] == pytest.approx(0.01)
    assert falling[5] == pytest.approx(0.0055)
    assert falling[10] == pytest.approx(0.001)
    assert falling == sorted(falling, reverse=True)


def stopped() -> Stop:
    stop = Stop()
    stop.set()
    return stop


def test_whoever_wants_to_stop_is_heard() -> None:
    method = learner()
    epochs(method, 0, 1)
    method.agent.stop = stopped()
    before = method.agent.net.parameters_array().copy()
    with pytest.raises(Stopped):
        method.agent.collect(np.zeros(1, dtype=np.uint32))
    tuples = method.H.transitions()
    with pytest.raises(Stopped):
        method.imitate(tuples)
    with pytest.raises(Stopped):
        epochs(method, 1, 2)
    np.testing.assert_array_equal(method.agent.net.parameters_array(), before)


def test_evaluation_counts_solved_episodes() -> None:
    solved = Agent(ROBINSON, [Problem("3", term("3", ROBINSON))], config(), 1)
    assert solved.evaluate() == 1.0
    hopeless = Agent(ROBINSON, [Problem("p", term("3 * 3", ROBINSON))], config(steps=1), 1)
    assert hopeless.evaluate() == 0.0


def test_an_evaluation_is_greedy_or_sampled() -> None:
    sampled, greedy = (
        [agent(seed=seed, greedy_evaluation=way).evaluate() for seed in range(5)]
        for way in (False, True)
    )
    assert sampled != greedy


# 3SIL


@each_theory
def test_epochs_find_certified_solutions_and_learn_them(theory: Theory) -> None:
    method = learner(theory)
    metrics = epochs(method, 0, 4)
    m, f = method.agent.config.m, method.agent.config.f
    assert [row["episodes"] for row in metrics] == [m, f, f, f]
    assert method.solved > 0
    assert all(row["solutions"] > 0 for row in metrics)
    losses = [row["loss"] for row in metrics]
    assert losses[-1] < losses[0] < 1.5 * np.log(len(theory.actions))
    for problem, actions in method.solutions():
        derivation = method.agent.batch.derivation_of(problem, actions)
        certify(theory, method.agent.problems[problem], derivation)


def test_learning_helps() -> None:
    wanted = config(NB=60, greedy_evaluation=False)
    method = ThreeSIL(Agent(ROBINSON, sample_set(ROBINSON, 30, seed=1), wanted, 1), wanted)
    before = method.agent.evaluate()
    epochs(method, 0, 8)
    assert method.agent.evaluate() > before + 0.1


@each_theory
def test_an_epoch_depends_on_the_seed_alone(theory: Theory) -> None:
    def weights(seed: int, **machine: int) -> np.ndarray:
        method = learner(theory, seed, bias=5.0, prune=True, k=2, **machine)
        epochs(method, 0, 2)
        return method.agent.net.parameters_array().copy()

    first = weights(1)
    np.testing.assert_array_equal(weights(1, width=5), first)
    np.testing.assert_array_equal(weights(1, threads=2), first)
    assert not np.array_equal(weights(2), first)


@each_theory
def test_what_is_restored_resumes_as_if_nothing_had_happened(theory: Theory) -> None:
    method = learner(theory, k=2)
    epochs(method, 0, 2)
    arrays = {**method.agent.arrays(), **method.arrays()}
    copies = {name: array.copy() for name, array in arrays.items()}
    later = epochs(method, 2, 4)
    for name, array in arrays.items():  # a checkpoint is a copy
        np.testing.assert_array_equal(array, copies[name])
    again = learner(theory, k=2)
    again.agent.restore(copies)
    again.restore(copies)
    assert epochs(again, 2, 4) == later
    np.testing.assert_array_equal(
        again.agent.net.parameters_array(), method.agent.net.parameters_array()
    )
    for name, array in {**method.agent.arrays(), **method.arrays()}.items():
        np.testing.assert_array_equal({**again.agent.arrays(), **again.arrays()}[name], array)


def test_an_agent_that_has_learnt_nothing_is_restored() -> None:
    first, again = learner(), learner()
    again.agent.restore(first.agent.arrays())
    assert epochs(again, 0, 2) == epochs(first, 0, 2)


def test_without_solutions_there_is_nothing_to_learn() -> None:
    problems = [Problem("p", term("3 * 3", ROBINSON))]
    method = ThreeSIL(Agent(ROBINSON, problems, config(steps=2), 1), config(steps=2))
    before = method.agent.net.parameters_array().copy()
    (metrics,) = epochs(method, 0, 1)
    assert metrics == {"episodes": 60.0, "solutions": 0.0}
    np.testing.assert_array_equal(method.agent.net.parameters_array(), before)


def test_no_batches_no_change() -> None:
    method = learner(NB=0)
    before = method.agent.net.parameters_array().copy()
    epochs(method, 0, 2)
    assert method.solved > 0
    np.testing.assert_array_equal(method.agent.net.parameters_array(), before)


def test_a_masked_loss_is_over_legal_actions() -> None:
    """Fewer actions share the probability, so the same actions are likelier from the start."""
    free = epochs(learner(AIM), 0, 1)[0]["loss"]
    legal = epochs(learner(AIM, masked_loss=True), 0, 1)[0]["loss"]
    assert 0 < legal < free - 0.5


def test_only_open_problems_are_played() -> None:
    method = learner()
    method.agent.pool = 3
    epochs(method, 0, 1)
    assert method.solved > 0
    assert max(problem for problem, _ in method.solutions()) < 3


# Search on top


@each_theory
def test_searches_find_what_play_does_not(theory: Theory) -> None:
    plain, searched = learner(theory, NB=0), learner(theory, NB=0, search=4, expansions=800)
    for method in (plain, searched):
        epochs(method, 0, 1)
    assert searched.solved > plain.solved
    assert searched.solved <= plain.solved + 4
    for problem, actions in searched.solutions():
        assert len(actions) <= searched.agent.config.steps
        derivation = searched.agent.batch.derivation_of(problem, actions)
        certify(theory, searched.agent.problems[problem], derivation)


@each_theory
def test_searches_depend_on_the_seed_alone(theory: Theory) -> None:
    def found(**machine: int) -> list[tuple[int, list[int]]]:
        method = learner(theory, search=3, expansions=300, **machine)
        epochs(method, 0, 2)
        return list(method.solutions())

    assert found() == found(threads=2, width=3)


def test_only_open_problems_without_a_solution_are_searched() -> None:
    method = learner(m=1, f=1, search=100, expansions=2000)
    assert isinstance(method, SearchingThreeSIL)
    method.agent.pool = 3
    epochs(method, 0, 1)
    assert {problem for problem, _ in method.solutions()} == {0, 1, 2}
    asked = []
    method.search = lambda problems: asked.extend(problems) or [None] * len(problems)
    method.agent.pool = 5
    epochs(method, 1, 2)
    assert set(asked) <= {3, 4}
    assert asked


def test_searches_can_be_stopped() -> None:
    method = learner(search=4)
    assert isinstance(method, SearchingThreeSIL)
    method.agent.stop = stopped()
    with pytest.raises(Stopped):
        method.search([0, 1, 2])
