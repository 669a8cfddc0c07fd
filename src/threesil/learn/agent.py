"""What every method shares: the problems in the engine, the network, the optimiser, chance.

Randomness is keyed by (seed, epoch, purpose), so that a run which is resumed draws the same
numbers as one that never stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from threesil.engine import (
    Batch,
    Limits,
    Played,
    ProblemList,
    Shape,
    States,
    Stop,
    Stopped,
)
from threesil.errors import InputError
from threesil.kernel.theory import Problem, Theory
from threesil.learn.config import Config
from threesil.nets.policy import Policy
from threesil.nets.tree_net import TreeNet
from threesil.runs.checkpoint import Arrays, take
from threesil.work.place import Make, Place

_CHUNK = 20_000  # episodes whose outcomes are held at once
_SENT = 1024  # episodes that are played elsewhere at once
_Episodes = tuple[int, NDArray[np.uint32]]  # the number of the first, and their problems
_Collected = tuple[int, list[tuple[int, list[int]]]]  # steps; problems with the actions that solve


class Purpose(IntEnum):
    """What random numbers are for; each has a stream of its own in every epoch."""

    PROBLEMS = 0
    COLLECT = 1
    SAMPLE = 2
    TRAIN = 3
    EVALUATE = 4
    EVALUATION_PROBLEMS = 5
    SEARCH = 6


class Agent:
    """A network that plays and learns.

    `epoch` is the current one, at first the one to begin with; `pool` says how many problems are
    open: those with a smaller index.
    """

    def __init__(
        self,
        theory: Theory,
        problems: Sequence[Problem],
        config: Config,
        seed: int,
        *,
        value: bool = False,
    ) -> None:
        torch.set_num_threads(1)  # the tensors are small, and sums keep their order
        self.theory = theory
        self.problems = ProblemList.of(theory, problems)
        self.config = config
        self.seed = seed
        shape = Shape(config.size, config.hidden, value)
        self.net = TreeNet(theory, shape, train_leaves=config.train_leaves, seed=seed)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=config.learning_rate)
        limits = Limits(steps=config.steps)
        self.batch = Batch(
            theory, self.problems, config.width, threads=config.threads, limits=limits
        )
        self.epoch = 0
        self.pool = len(problems)
        self.share: float | None = None  # of the time that is over, where time decides
        self.steps = 0  # taken in this epoch
        self.stop = Stop()
        self.elsewhere: Place | None = None  # where others play and search for it
        self._player: Callable[[], _Player] | None = None  # what they have of it
        self.informed = False  # the weights were trained before the first epoch

    def start_from(self, model: Policy) -> None:
        """Takes over weights of the same theory and shape."""
        if model.shape != self.net.shape:
            mine, its = self.net.shape, model.shape
            raise InputError(
                f"the weights to start from have size = {its.size}, hidden = {its.hidden}, the run "
                f"{mine.size} and {mine.hidden}; set these alike"
            )
        with torch.no_grad():
            self.net.flat.copy_(torch.from_numpy(np.array(model.parameters)))
        self.net.publish()
        self.informed = True

    def check(self) -> None:
        """Raises `Stopped` if `stop` has been set: what is under way shall end."""
        if self.stop.is_set():
            raise Stopped

    def epochs(self) -> Iterator[int]:
        """e = 0 to ME - 1, or what is left of them."""
        for e in range(self.epoch, self.config.ME):
            self.begin_epoch(e)
            yield e

    def random(self, purpose: Purpose) -> np.random.Generator:
        """The random numbers of this epoch for one purpose."""
        return np.random.Generator(np.random.Philox(key=[self.seed, self.stream(purpose)]))

    def stream(self, purpose: Purpose) -> int:
        return self.epoch * len(Purpose) + purpose

    def begin_epoch(self, epoch: int) -> None:
        self.epoch = epoch
        self.steps = 0
        config = self.config
        if config.final_learning_rate:
            share = epoch / max(1, config.ME - 1) if self.share is None else self.share
            turn = 0.5 * (1 + math.cos(math.pi * share))
            rate = config.final_learning_rate + turn * (
                config.learning_rate - config.final_learning_rate
            )
            for group in self.optimizer.param_groups:
                group["lr"] = rate

    def play(
        self,
        problems: NDArray[np.uint32],
        purpose: Purpose,
        *,
        first_episode: int = 0,
        greedy: bool = False,
        record_all: bool = False,
    ) -> Played:
        """An episode on each problem, with the noisy policy or greedily."""
        self.check()
        self.net.publish()
        return self.batch.play(
            self.net.engine,
            problems,
            seed=self.seed,
            stream=self.stream(purpose),
            first_episode=first_episode,
            noise=self.config.noise,
            greedy=greedy,
            record_all=record_all,
            stop=self.stop,
        )

    def collect(
        self, problems: NDArray[np.uint32], first_episode: int = 0, *, record_all: bool = False
    ) -> Played:
        """An episode on each problem with the noisy policy, to learn from."""
        played = self.play(
            problems, Purpose.COLLECT, first_episode=first_episode, record_all=record_all
        )
        self.steps += int(played.steps.sum())
        return played

    def solutions(self, problems: NDArray[np.uint32]) -> Iterator[tuple[int, list[int]]]:
        """Collects an episode on each problem; (problem, actions) of those that solve it."""
        away = self.elsewhere
        size = _CHUNK if away is None else _SENT
        jobs = [(k, problems[k : k + size]) for k in range(0, len(problems), size)]
        if away is None:
            each: Iterator[_Collected] = map(self.collect_some, jobs)
        else:
            self._player = self._player or away.keep(_Player(self))
            weights = self.net.parameters_array().copy()
            each = self.each(partial(_Collector, self._player, self.epoch, weights), jobs, away)
        for steps, solved in each:
            self.steps += steps
            yield from solved

    def collect_some(self, job: _Episodes) -> _Collected:
        """The episodes of a job."""
        first, problems = job
        played = self.play(problems, Purpose.COLLECT, first_episode=first)
        solved = played.solved.nonzero()[0].tolist()
        return int(played.steps.sum()), [(int(problems[i]), played.actions_of(i)) for i in solved]

    def each(self, make: Make[Any, Any], items: Sequence[Any], place: Place) -> Iterator[Any]:
        """What comes of the items, in their order."""
        yield from place.ordered(make, items, self.stop)
        self.check()  # those who were stopped are not done

    def evaluate(self) -> float:
        """Success rate on random open problems."""
        random = self.random(Purpose.EVALUATION_PROBLEMS)
        problems = random.integers(self.pool, size=self.config.evaluations).astype(np.uint32)
        greedy = self.config.greedy_evaluation
        return float(self.play(problems, Purpose.EVALUATE, greedy=greedy).solved.mean())

    def outputs(
        self, store: States, states: NDArray[np.uint32], first_draw: int
    ) -> tuple[Tensor, Tensor]:
        """Logits (B, A) and values (B,) of states; their random vectors are drawn anew."""
        draws = np.arange(first_draw, first_draw + len(states), dtype=np.uint64)
        logits, values = self.net(store, states, draws, self.seed, self.stream(Purpose.TRAIN))
        return logits, values

    def minibatches(
        self, NB: int, B: int, update: Callable[[int, np.random.Generator], float]
    ) -> float:
        """`update`, NB times, with its first draw of B and random numbers; the mean loss."""
        random = self.random(Purpose.SAMPLE)
        loss = 0.0
        for i in range(NB):
            loss += update(i * B, random)
        return loss / max(1, NB)

    def update(self, loss: Tensor, clip: float | None = None) -> float:
        """One step of the optimiser."""
        self.check()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), clip)
        self.optimizer.step()
        return float(loss.detach())

    def arrays(self) -> Arrays:
        """Weights and the optimiser's memory, for a checkpoint."""
        state = self.optimizer.state.get(self.net.flat, {})
        zeros = torch.zeros_like(self.net.flat)
        return {
            "agent.parameters": self.net.parameters_array().copy(),
            "agent.mean": state.get("exp_avg", zeros).detach().numpy().copy(),
            "agent.square": state.get("exp_avg_sq", zeros).detach().numpy().copy(),
            "agent.updates": np.array([float(state.get("step", 0.0))], dtype=np.float32),
        }

    def restore(self, arrays: Arrays) -> None:
        """Takes over the weights and the optimiser's memory of a checkpoint."""
        shape = (self.net.flat.numel(),)
        parameters, mean, square = (
            torch.from_numpy(take(arrays, f"agent.{name}", np.float32, shape).copy())
            for name in ("parameters", "mean", "square")
        )
        updates = float(take(arrays, "agent.updates", np.float32, (1,))[0])
        with torch.no_grad():
            self.net.flat.copy_(parameters)
        self.optimizer.state[self.net.flat] = {
            "step": torch.tensor(updates),
            "exp_avg": mean,
            "exp_avg_sq": square,
        }
        self.net.publish()


def masked(logits: Tensor, masks: NDArray[np.bool_]) -> Tensor:
    """Logits with those of illegal actions at minus infinity: their probability is 0."""
    return logits.masked_fill(~torch.from_numpy(masks), -torch.inf)


class _Player:
    """What an agent is made of; the agent itself, once it is made where this has travelled to.

    Theory and problems travel once, the weights once an epoch. An episode is decided by its number,
    the seed and the epoch alone, so that it is the same wherever it is played.
    """

    def __init__(self, agent: Agent) -> None:
        self._made = agent.theory, tuple(agent.problems), agent.config, agent.seed
        self._value = agent.net.shape.value
        self._agent: Agent | None = None

    def agent(self) -> Agent:
        if self._agent is None:
            self._agent = Agent(*self._made, value=self._value)
        return self._agent


class _Collector:
    """Collects episodes as an agent would in its epoch, with its weights."""

    def __init__(
        self, player: Callable[[], _Player], epoch: int, weights: NDArray[np.float32]
    ) -> None:
        self._agent = player().agent()
        self._agent.epoch = epoch
        self._agent.net.parameters_array()[:] = weights

    def __call__(self, job: _Episodes, give: Callable[[_Collected], None], stop: Stop) -> None:
        give(self._agent.collect_some(job))
