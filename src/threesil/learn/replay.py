"""Whole episodes as arrays, their returns, and the replay buffer.

Letters: E episodes with N transitions in all, A actions. An episode has T transitions and T + 1
states. The reward is 1 for the step that solves the problem, else 0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from threesil.engine import End, ProblemList, States
from threesil.errors import InputError
from threesil.kernel.theory import Problem, Theory
from threesil.learn.agent import Agent, Purpose
from threesil.nets.tree_net import TreeNet
from threesil.runs.checkpoint import Arrays, take

Floats = NDArray[np.float32]
ROOM = 100_000  # states that a store may hold in vain
_FACTS = ("problem", "end", "number")  # of an episode in the replay buffer


@dataclass
class Recorded:
    """An episode: `actions` (T,), the states `first` to `first + T` of a store."""

    problem: int
    actions: NDArray[np.uint16]
    end: End
    first: int
    number: int  # within its epoch; its random vectors depend on it
    columns: dict[str, Floats] = field(default_factory=dict)  # (T, ...): more about each step


class Rollout:
    """E episodes, one after the other.

    `states` (N,), `actions` (N,); `states_and_last` (N + E,): the states behind the episodes too;
    `lengths` (E,); `left` (N,): steps that follow in the episode; `solved` (E,); `cut` (E,): ended
    by a limit, so that a reward might have followed.
    """

    def __init__(self, store: States, episodes: Sequence[Recorded]) -> None:
        self.store = store
        self.episodes = episodes
        self.lengths = np.array([len(e.actions) for e in episodes])
        self.left = np.repeat(np.cumsum(self.lengths), self.lengths) - np.arange(len(self)) - 1
        last = np.array([e.first for e in episodes]) + self.lengths
        self.states = (np.repeat(last, self.lengths) - self.left - 1).astype(np.uint32)
        self.states_and_last = np.concatenate([self.states, last.astype(np.uint32)])
        self.actions = np.concatenate([e.actions for e in episodes]).astype(np.int64)
        ends = np.array([e.end for e in episodes])
        self.solved = ends == End.SOLVED
        self.cut = ends > End.DEAD_END
        numbers = np.array([e.number for e in episodes], dtype=np.uint64)
        self._draws = np.concatenate([np.repeat(numbers, self.lengths), numbers])

    def __len__(self) -> int:
        """N."""
        return int(self.lengths.sum())

    def sample(
        self, count: int, random: np.random.Generator
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """States and actions of some transitions, all of them alike."""
        chosen = random.integers(len(self), size=count)
        return self.states[chosen], self.actions[chosen]

    def column(self, name: str) -> Floats:
        """What the episodes keep about each step, (N, ...)."""
        return np.concatenate([e.columns[name] for e in self.episodes])

    def evaluate(self, agent: Agent, net: TreeNet) -> tuple[Tensor, Tensor]:
        """Logits (N + E, A) and values (N + E,) of `states_and_last`.

        Random vectors are those of play in this epoch, by the number of the episode.
        """
        stream = agent.stream(Purpose.COLLECT)
        logits, values = net(self.store, self.states_and_last, self._draws, agent.seed, stream)
        return logits, values

    def final(self, last_values: Floats, gamma: float) -> Floats:
        """What the last steps earn, (E,): the reward, or the discounted value behind a limit."""
        earned = np.where(self.cut, gamma * last_values, 0.0)
        return np.where(self.solved, 1.0, earned).astype(np.float32)

    def returns(self, last_values: Floats, gamma: float) -> Floats:
        """V_t^n with n = T - t, (N,)."""
        discount = gamma ** self.left.astype(np.float32)
        return np.repeat(self.final(last_values, gamma), self.lengths) * discount


class Replay:
    """The newest episodes, of at most `capacity` transitions together; the oldest leave first."""

    def __init__(
        self, theory: Theory, problems: Sequence[Problem], capacity: int, *columns: str
    ) -> None:
        """`columns` are kept about each step, and restored with the episodes."""
        self._columns = columns
        self._theory = theory
        self._problems = ProblemList.of(theory, problems)
        self._capacity = capacity
        self.episodes: deque[Recorded] = deque()
        self.store = States(theory, self._problems)
        self._size = 0

    def __len__(self) -> int:
        """Transitions."""
        return self._size

    def add(self, episode: Recorded, **columns: Floats) -> None:
        """Keeps an episode, and `columns` (T, ...) with it."""
        problem, actions = episode.problem, episode.actions
        first = self.store.add(problem, actions, with_last=True)
        self.episodes.append(replace(episode, first=first, columns=columns))
        self._size += len(actions)
        while self._size > self._capacity and len(self.episodes) > 1:
            self._size -= len(self.episodes.popleft().actions)
        if len(self.store) > 4 * self._size + ROOM:
            self._rebuild()

    def _rebuild(self) -> None:
        """Drops the states of the episodes that left."""
        self.store = States(self._theory, self._problems)
        for e in self.episodes:
            e.first = self.store.add(e.problem, e.actions, with_last=True)

    def rollout(self) -> Rollout:
        """All episodes."""
        return Rollout(self.store, list(self.episodes))

    def choose(self, count: int, random: np.random.Generator) -> Rollout:
        """Some of the episodes, drawn with replacement."""
        chosen = random.integers(len(self.episodes), size=count)
        return Rollout(self.store, [self.episodes[int(i)] for i in chosen])

    def arrays(self) -> Arrays:
        """All episodes as arrays, for a checkpoint."""
        if not self.episodes:
            return {}
        episodes = self.rollout()
        return {
            **{f"replay.{c}": np.array([getattr(e, c) for e in self.episodes]) for c in _FACTS},
            "replay.length": episodes.lengths,
            "replay.actions": episodes.actions.astype(np.uint16),
            **{f"replay.{c}": episodes.column(c) for c in self.episodes[0].columns},
        }

    def restore(self, arrays: Arrays) -> list[str]:
        """Takes over the episodes of a checkpoint."""
        if "replay.length" not in arrays:
            return []
        lengths = take(arrays, "replay.length", np.int64)
        if (lengths < 0).any():
            raise InputError("a damaged checkpoint: replay.length is below 0")
        total, cuts = sum(lengths.tolist()), np.cumsum(lengths)[:-1]
        facts = [take(arrays, f"replay.{c}", np.int64, lengths.shape).tolist() for c in _FACTS]
        actions = np.split(take(arrays, "replay.actions", np.uint16, (total,)), cuts)
        columns = {}
        for name in self._columns:
            column = arrays.get(f"replay.{name}", np.zeros(0))
            take(arrays, f"replay.{name}", np.float32, (total, *column.shape[1:]))
            columns[name] = np.split(column, cuts)
        for i, (problem, end, number) in enumerate(zip(*facts, strict=True)):
            more = {name: parts[i].copy() for name, parts in columns.items()}
            try:
                self.add(Recorded(problem, actions[i].copy(), End(end), 0, number), **more)
            except (ValueError, TypeError, IndexError) as error:
                message = f"a damaged checkpoint: an episode can't be played: {error}"
                raise InputError(message) from None
        return []
