"""3SIL, stratified shortest solution imitation learning (Algorithms 1 and 2).

    for e = 0 to ME - 1:
        num = m if e = 0 else f
        for i = 0 to num - 1:    CollectEpisode(sample(P), pi, H)
        for i = 0 to NB - 1:     sample B tuples (s, a), each problem of H alike
                                 update pi to minimise - sum log pi(a | s)

    CollectEpisode(p, pi, H):
        generate an episode by following the noisy version of pi on p
        if it is a solution, add its tuples (s, a) to H[p]; keep the k shortest in H[p]

P are the problems of the curriculum's open levels. With a bias, unsolved ones are drawn more often;
with pruning, H cuts the loops out of an episode before it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator

from threesil.learn.config import ThreeSILConfig
from threesil.learn.method import Imitation, Metrics


class ThreeSIL(Imitation[ThreeSILConfig]):
    def train(self) -> Iterator[Metrics]:
        """Algorithm 2."""
        pi, H, m, f = self.agent, self.H, self.config.m, self.config.f
        for e in pi.epochs():
            num = m if e == 0 else f
            found = self.collect_episodes(num)
            metrics = {"episodes": float(num), "solutions": float(found)}
            tuples = H.transitions()
            if len(tuples):
                metrics["loss"] = self.imitate(tuples)  # the loop over NB
            yield metrics

    def collect_episodes(self, num: int) -> int:
        """Algorithm 1, `num` times at once; the number of solutions found."""
        found = 0
        for p, actions in self.agent.solutions(self.sample_problems(num, self.config.bias)):
            self.H.offer(p, actions)
            found += 1
        return found
