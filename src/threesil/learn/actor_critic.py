"""What the baselines share: the record of solutions, whole episodes as arrays, returns, replay.

Letters: E episodes with N transitions in all, A actions. An episode has T transitions and T + 1
states. The reward is 1 for the step that solves the problem, else 0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from threesil.engine import End, States
from threesil.learn.agent import Agent, Arrays, Method, Purpose, masked
from threesil.learn.curriculum import draw_problems
from threesil.learn.history import History
from threesil.nets.tree_net import TreeNet
from threesil.theory import Problem, Theory

Floats = NDArray[np.float32]
Metrics = dict[str, float]
_ROOM = 100_000  # states that a store may hold in vain
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


def policy(logits: Tensor, masks: NDArray[np.bool_], noise: float = 0.0) -> Tensor:
    """Probabilities (B, A), a share `noise` of them uniform; those of illegal actions are 0."""
    legal = torch.from_numpy(masks).float()
    uniform = legal / legal.sum(dim=1, keepdim=True)
    return (1 - noise) * torch.softmax(masked(logits, masks), dim=1) + noise * uniform


def entropy(pi: Tensor) -> Tensor:
    """Entropy (B,) of distributions (B, A)."""
    return -(pi * pi.clamp_min(1e-8).log()).sum(dim=1)


def taken(of: Tensor, actions: NDArray[np.int64]) -> Tensor:
    """The entries (B,) of (B, A) that belong to the actions taken, (B,)."""
    return of.gather(1, torch.from_numpy(actions)[:, None]).squeeze(1)


class Baseline(Method):
    """A method with a record of what it solved: the shortest certified solution of each problem."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.H = History(agent.theory, agent.problems, 1, agent.config.prune)

    @property
    def solved(self) -> int:
        return len(self.H)

    def solutions(self) -> Iterator[tuple[int, list[int]]]:
        return ((p, actions.tolist()) for p, actions in self.H)

    def draw(self, pool: int) -> NDArray[np.uint32]:
        """The problems of this epoch's episodes."""
        config = self.agent.config
        num = config.m if self.agent.epoch == 0 else config.f
        random = self.agent.random(Purpose.PROBLEMS)
        return draw_problems(pool, num, self.H.solved(), config.bias, random)

    def arrays(self) -> Arrays:
        return dict(self.H.arrays())

    def restore(self, arrays: Arrays) -> None:
        self.H.restore(arrays)


class ActorCritic(Baseline):
    """A method that learns from all episodes, while the epoch's episodes are being played."""

    greedy_evaluation = False
    value = True

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self._store = States(agent.theory, agent.problems)
        self._counts: Metrics = {}

    def rollouts(self, pool: int, steps: int) -> Iterator[Rollout]:
        """The episodes of this epoch in pieces of `steps` transitions or a few more.

        Each piece is played when it is asked for, by the policy of that moment.
        """
        p = self.draw(pool)
        self._counts = {"episodes": float(len(p)), "solutions": 0.0}
        first = 0
        while first < len(p):
            if len(self._store) > _ROOM:
                self._store = States(self.agent.theory, self.agent.problems)
            episodes: list[Recorded] = []
            total = 0
            while total < steps and first < len(p):
                # No more than are missing, if they become as long as those before them.
                length = total / len(episodes) if episodes else self.agent.config.steps
                count = max(1, int((steps - total) / length))
                episodes += self._play(p[first : first + count], first)
                first += count
                total = sum(len(e.actions) for e in episodes)
            if episodes:
                yield Rollout(self._store, episodes)

    def metrics(self, updates: Sequence[Metrics]) -> Metrics:
        """What is worth logging of an epoch, from the same of each of its updates."""
        means = {k: float(np.mean([u[k] for u in updates])) for k in (updates or [{}])[0]}
        return {**self._counts, **means}

    def _play(self, problems: NDArray[np.uint32], first: int) -> list[Recorded]:
        """Episodes on the problems, numbered from `first`."""
        agent = self.agent
        agent.check()
        agent.net.publish()
        played = agent.batch.play(
            agent.net.engine,
            problems,
            seed=agent.seed,
            stream=agent.stream(Purpose.COLLECT),
            first_episode=first,
            noise=agent.config.noise,
            record_all=True,
        )
        agent.steps += int(played.steps.sum())
        episodes = []
        for i, problem in enumerate(problems.tolist()):
            actions = played.actions[int(played.offsets[i]) : int(played.offsets[i + 1])].copy()
            state = self._store.add(problem, actions, with_last=True)
            end = End(played.end[i])
            if end is End.SOLVED:
                self._counts["solutions"] += 1
                self.H.offer(problem, actions.tolist())
            if len(actions):
                episodes.append(Recorded(problem, actions, end, state, first + i))
        return episodes


class Replay:
    """The newest episodes, of at most `capacity` transitions together; the oldest leave first."""

    def __init__(self, theory: Theory, problems: Sequence[Problem], capacity: int) -> None:
        self._theory = theory
        self._problems = problems
        self._capacity = capacity
        self.episodes: deque[Recorded] = deque()
        self.store = States(theory, problems)
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
        if len(self.store) > 4 * self._size + _ROOM:
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

    def restore(self, arrays: Arrays, *names: str) -> None:
        """Takes over the episodes of a checkpoint, with the columns of these names."""
        if "replay.problem" not in arrays:
            return
        cuts = np.cumsum(arrays["replay.length"])[:-1]
        actions = np.split(arrays["replay.actions"], cuts)
        columns = {name: np.split(arrays[f"replay.{name}"], cuts) for name in names}
        for i, own in enumerate(actions):
            problem, end, number = (int(arrays[f"replay.{c}"][i]) for c in _FACTS)
            episode = Recorded(problem, own.copy(), End(end), 0, number)
            self.add(episode, **{name: parts[i].copy() for name, parts in columns.items()})
