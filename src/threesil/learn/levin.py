"""3SIL with a search on top: Levin tree search on some open problems without a solution.

An extension of the paper's method, for the key `search` above 0: what the policy does not solve
by play, a search that it guides may; H takes the solution as if it had been played.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from threesil.engine import Budget, Found, Levin, Status
from threesil.learn.agent import Purpose
from threesil.learn.three_sil import ThreeSIL


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
        budget = Budget(config.expansions, seconds=None, stop=agent.stop)
        own = threading.local()  # a search belongs to one thread

        def solve(number: int) -> list[int] | None:
            agent.check()
            if not hasattr(own, "levin"):
                own.levin = Levin(agent.net.engine)
            problem = agent.problems[problems[number]]
            key = agent.stream(Purpose.SEARCH) << 32 | number
            found: Found = own.levin.solve(
                problem, budget, steps=config.steps, seed=agent.seed, episode=key
            )
            agent.check()
            return found.actions if found.status is Status.PROVED else None

        with ThreadPoolExecutor(config.threads) as pool:
            return list(pool.map(solve, range(len(problems))))
