"""3SIL, stratified shortest solution imitation learning (Algorithms 1 and 2).

    for e = 0 to ME - 1:
        num = m if e = 0 else f
        for i = 0 to num - 1:    CollectEpisode(sample(P), pi, H)
        for i = 0 to NB - 1:     sample B tuples (s, a), each problem of H alike
                                 update pi to minimise - sum log pi(a | s)

The loop over e is in `threesil.learn.run`. Biased sampling draws unsolved problems more often;
pruning cuts the loops out of an episode before it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from threesil.learn.agent import Agent, Arrays, Method, Purpose, masked
from threesil.learn.curriculum import draw_problems
from threesil.learn.history import History, Transitions


class ThreeSIL(Method):
    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        config = agent.config
        self.H = History(agent.theory, agent.problems, config.k, config.prune)

    @property
    def solved(self) -> int:
        return len(self.H)

    def epoch(self, pool: int) -> dict[str, float]:
        config = self.agent.config
        num = config.m if self.agent.epoch == 0 else config.f
        found = self.collect_episodes(num, pool) + self.search(pool)
        metrics = {"episodes": float(num), "solutions": float(found)}
        transitions = self.H.transitions()
        if len(transitions):
            losses = [self.train(transitions, i) for i in range(config.NB)]
            metrics["loss"] = sum(losses) / max(1, len(losses)) / config.B
        return metrics

    def collect_episodes(self, num: int, pool: int) -> int:
        """CollectEpisode, `num` times at once; the number of solutions found."""
        agent = self.agent
        random = agent.random(Purpose.PROBLEMS)
        p = draw_problems(pool, num, self.H.solved(), agent.config.bias, random)
        found = first = 0
        for played in agent.collect(p):
            for i in played.solved.nonzero()[0]:
                agent.check()
                self.H.offer(int(p[first + i]), played.actions_of(int(i)))
            found += int(played.solved.sum())
            first += len(played.end)
        return found

    def search(self, pool: int) -> int:
        """Levin tree search on some problems without a solution; the number of solutions found."""
        agent, config = self.agent, self.agent.config
        unsolved = (~self.H.solved()[:pool]).nonzero()[0]
        if not config.search or not len(unsolved):
            return 0
        random = agent.random(Purpose.SEARCH)
        chosen = random.permutation(unsolved)[: config.search]
        found = 0
        for p, actions in zip(chosen, agent.search(chosen.tolist()), strict=True):
            if actions is not None:
                self.H.offer(int(p), actions)
                found += 1
        return found

    def train(self, transitions: Transitions, i: int) -> float:
        """One batch of B transitions, stratified by problem."""
        agent, B = self.agent, self.agent.config.B
        if i == 0:
            self._random = agent.random(Purpose.SAMPLE)
        chosen = transitions.sample(B, self._random)
        s, a = transitions.states[chosen], torch.from_numpy(transitions.actions[chosen])
        logits, _ = agent.outputs(transitions.store, s, first_draw=i * B)
        if agent.config.masked_loss:
            logits = masked(logits, transitions.store.masks(s))
        return agent.update(torch.nn.functional.cross_entropy(logits, a, reduction="sum"))

    def solutions(self) -> Iterator[tuple[int, list[int]]]:
        return ((p, actions.tolist()) for p, actions in self.H)

    def arrays(self) -> Arrays:
        return dict(self.H.arrays())

    def restore(self, arrays: Arrays) -> None:
        self.H.restore(arrays)
