"""3SIL with a search on top: Levin tree search on some open problems without a solution.

An extension of the paper's method, for the key `search` above 0: what the policy does not solve
by play, a search that it guides may; H takes the solution as if it had been played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from threesil.engine import Budget, Levin, Status, Stop
from threesil.learn.agent import Purpose
from threesil.learn.three_sil import ThreeSIL
from threesil.work.place import Job
from threesil.work.threads import Threads


class SearchingThreeSIL(ThreeSIL):
    def collect_episodes(self, num: int) -> int:
        return super().collect_episodes(num) + self.search_unsolved()

    def search_unsolved(self) -> int:
        """The number of solutions found, of at most `search` problems."""
        agent, H = self.agent, self.H
        unsolved = (~H.solved()[: agent.pool]).nonzero()[0]
        if not len(unsolved):
            return 0
        random = agent.random(Purpose.SEARCH)
        chosen = random.permutation(unsolved)[: self.config.search]
        found = 0
        for p, actions in zip(chosen, self.search(chosen.tolist()), strict=True):
            if actions is not None:
                H.offer(int(p), actions)
                found += 1
        return found

    def search(self, problems: Sequence[int]) -> list[list[int] | None]:
        """For each problem the actions of a solution, or None."""
        agent, config = self.agent, self.config
        agent.net.publish()

        def make() -> Job[int, list[int] | None]:
            levin = Levin(agent.net.engine)

            def solve(number: int, give: Callable[[list[int] | None], None], stop: Stop) -> None:
                budget = Budget(config.expansions, seconds=None, stop=stop)
                problem = agent.problems[problems[number]]
                key = agent.stream(Purpose.SEARCH) << 32 | number
                found = levin.solve(
                    problem, budget, steps=config.steps, seed=agent.seed, episode=key
                )
                give(found.actions if found.status is Status.PROVED else None)

            return solve

        with Threads(config.threads) as threads:
            return list(agent.each(make, range(len(problems)), threads))
