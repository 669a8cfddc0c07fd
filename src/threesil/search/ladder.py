"""Episodes of a trained policy, from the cheapest attempt to the dearest.

    greedy     one episode, the most probable action each time
    sample     then episodes that sample their actions, with some noise
    tree       a Levin tree search over the states
    ladder     all three, each for what is still unsolved

Many problems are played together, in lockstep. Each has the seconds of the budget for itself: what
episodes take is charged to their problems by their steps. The expansions of sampled episodes are
those of all problems together, as many for each; a tree search has them for itself. An episode may
have as many steps as the problem's stratum allows, or the theory, or the option `steps`; the option
`attempts` bounds the sampled episodes of a problem, and `greedy=False` leaves out the greedy one
before them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Any

from threesil.engine import Batch, Budget, Found, Levin, Limits, Network, Status
from threesil.engine.meter import Meter
from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome, Turn
from threesil.kernel.proof import Proof, certify
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.search.searcher import REASONS, SZS_OF, Searcher
from threesil.search.translated import with_policy
from threesil.search.weights import Uses, Weights
from threesil.theories import benchmark_of

NOISE = 0.05  # share of uniformly random actions in a sampled episode
_CHUNK = 256  # problems at a time, and episodes in lockstep
_ATTEMPTS = 32  # sampled episodes, where nothing else bounds them


class Ladder(Searcher):
    name = "ladder"
    about = "a greedy episode, then sampled ones, then tree search"
    uses = frozenset({Uses.POLICY})
    requires = frozenset({Uses.POLICY})
    goals = frozenset(Goal)
    shortens = False
    options: tuple[str, ...] = ("attempts", "steps", "greedy")
    rungs: tuple[str, ...] = ("greedy", "sample", "tree")

    def __init__(
        self,
        theory: Theory,
        network: Network | None = None,
        *,
        seed: int = 0,
        attempts: int | None = None,
        steps: int | None = None,
        greedy: bool = True,
    ) -> None:
        super().__init__(theory, network, seed=seed)
        assert self.network is not None
        if self.network.theory.digest != theory.digest:
            message = f"solver {self.name} can't leave equations out"
            raise InputError(f"{message}; use best or guided")
        self.attempts = attempts
        self.chosen = [rung for rung in self.rungs if greedy or rung != "greedy"]
        self.steps = steps

    @classmethod
    def make(cls, theory: Theory, weights: Weights, seed: int, **options: Any) -> Searcher:
        if weights.policy is None:
            return cls(theory, seed=seed, **options)
        return with_policy(cls, theory, weights.policy, seed, **options)

    def search(self, problem: Problem, budget: Budget) -> Found:
        """The derivation of one problem; it is certified already."""
        outcome = self.solve(problem, budget)
        status = next((s for s, word in SZS_OF.items() if word is outcome.status), Status.PROVED)
        derivation = outcome.proof.derivation if outcome.proof else None
        return Found(status, outcome.expansions, derivation=derivation)

    def _solve(self, problem: Problem, budget: Budget) -> Outcome:
        (outcome,) = self.solve_all([problem], budget)
        return outcome

    def solve_all(self, problems: Iterable[Problem], budget: Budget) -> Iterator[Outcome]:
        waiting = iter(problems)
        for number in count():
            chunk = list(islice(waiting, _CHUNK))
            if not chunk:
                return
            limits: dict[int, list[int]] = {}
            for index, problem in enumerate(chunk):
                limit = self.steps or step_limit(self.theory, problem)
                limits.setdefault(limit, []).append(index)
            outcomes: dict[int, Outcome] = {}
            for steps, indices in sorted(limits.items()):
                group = _Group(self, [chunk[i] for i in indices], budget, steps, number)
                outcomes |= dict(zip(indices, group.solve(), strict=True))
            yield from (outcomes[index] for index in range(len(chunk)))


class Greedy(Ladder):
    name = "greedy"
    about = "one episode of the policy"
    options = ("steps",)
    rungs = ("greedy",)


class Sample(Ladder):
    name = "sample"
    about = "episodes of the policy with some noise, after a greedy one"
    rungs = ("greedy", "sample")


class Tree(Ladder):
    name = "tree"
    about = "tree search over the moves of the cursor, by the policy"
    options = ("steps",)
    rungs = ("tree",)


class _Group:
    """Problems with the same step limit."""

    def __init__(
        self, ladder: Ladder, problems: Sequence[Problem], budget: Budget, steps: int, number: int
    ) -> None:
        self._clocks = time.perf_counter(), time.thread_time()
        assert ladder.network is not None
        self.ladder, self.network, self.problems = ladder, ladder.network, problems
        self.budget, self.steps, self.number = budget, steps, number
        self.endless = math.isinf(budget.expansions) and math.isinf(budget.seconds)
        self.proofs: dict[int, tuple[Proof, int]] = {}
        self.status = [Status.EXHAUSTED] * len(problems)
        self.tries = [0] * len(problems)
        self.expansions = [0] * len(problems)
        self.wall = [0.0] * len(problems)
        self.cpu = [0.0] * len(problems)

    def solve(self) -> list[Outcome]:
        meter = Meter(self._shared())
        try:
            limits = Limits(steps=self.steps)
            self.batch = Batch(self.ladder.theory, self.problems, _CHUNK, limits=limits)
            rungs = {"greedy": self.greedy, "sample": self.sample, "tree": self.tree}
            for rung in self.ladder.chosen:
                rungs[rung](meter)
        except MemoryError:
            waiting = self.waiting()
            for index in waiting:
                self.status[index] = Status.MEMORY
            self._charge(dict.fromkeys(waiting, 1))
        return [self._outcome(index) for index in range(len(self.problems))]

    def _shared(self) -> Budget:
        """What the problems may spend together."""
        expansions = self.budget.expansions * len(self.problems)
        return Budget(expansions, math.inf, self.budget.terms, self.budget.stop)

    def _charge(self, steps: Mapping[int, int]) -> None:
        """Divides the time since the last charge among the problems, by the steps of each."""
        clocks = time.perf_counter(), time.thread_time()
        wall, cpu = (now - before for now, before in zip(clocks, self._clocks, strict=True))
        self._clocks = clocks
        whole = sum(steps.values())
        for index, own in steps.items():
            part = own / whole if whole else 1 / len(steps)
            self.wall[index] += wall * part
            self.cpu[index] += cpu * part

    def _outcome(self, index: int) -> Outcome:
        wall, cpu = self.wall[index], self.cpu[index]
        proof, steps = self.proofs.get(index, (None, None))
        ended = (Status.PROVED if proof else self.status[index]).name.lower()
        return Outcome(
            self.problems[index],
            SZS.THEOREM if proof else SZS_OF[self.status[index]],
            wall,
            cpu,
            self.expansions[index],
            by=self.ladder.name,
            proof=proof,
            reason="" if proof else REASONS.get(self.status[index], ""),
            steps=steps,
            attempts=self.tries[index],
            turns=(Turn(self.ladder.name, cpu, self.expansions[index], ended),),
        )

    def waiting(self) -> list[int]:
        return [i for i in range(len(self.problems)) if i not in self.proofs]

    def accept(self, index: int, actions: list[int]) -> None:
        derivation = self.batch.derivation_of(index, actions)
        proof = certify(self.ladder.theory, self.problems[index], derivation)
        self.proofs[index] = proof, len(actions)

    def greedy(self, meter: Meter) -> None:
        self.play(self.waiting(), 0, meter, greedy=True)

    def sample(self, meter: Meter) -> None:
        """More and more episodes of each problem at a time, as long as there is room for them."""
        allowed = self.ladder.attempts
        if allowed is None:
            allowed = _ATTEMPTS if self.endless or "tree" in self.ladder.rungs else 2**62
        played, tried, width = 0, 0, 1
        while tried < allowed:
            waiting = []
            for index in self.waiting():
                if self.cpu[index] < self.budget.seconds:
                    waiting.append(index)
                else:
                    self.status[index] = Status.SECONDS
            if not waiting:
                return
            if meter.spent is not None:
                for index in waiting:
                    self.status[index] = meter.spent
                return
            each = min(width, allowed - tried, max(1, _CHUNK // len(waiting)))
            self.play(waiting * each, played, meter, greedy=False)
            played += each * len(waiting)
            tried += each
            width *= 4

    def play(self, indices: list[int], first: int, meter: Meter, *, greedy: bool) -> None:
        """An episode for each entry of the list; `first` numbers the first of them."""
        if not indices:
            return
        played = self.batch.play(
            self.network,
            indices,
            seed=self.ladder.seed,
            stream=2 * self.number + int(not greedy),
            first_episode=first,
            noise=NOISE,
            greedy=greedy,
            stop=self.budget.stop,
        )
        meter.expansions += int(played.steps.sum())
        steps = dict.fromkeys(indices, 0)
        for i, (index, solved) in enumerate(zip(indices, played.solved.tolist(), strict=True)):
            if index not in self.proofs:
                self.tries[index] += 1
                self.expansions[index] += int(played.steps[i])
                if solved:
                    self.accept(index, played.actions_of(i))
            steps[index] += int(played.steps[i])
        self._charge(steps)

    def tree(self, meter: Meter) -> None:
        levin = Levin(self.network)
        for index in self.waiting():
            seconds = max(0.0, self.budget.seconds - self.cpu[index])
            allowed = replace(self.budget, seconds=seconds)
            problem, seed = self.problems[index], self.ladder.seed
            found = levin.solve(problem, allowed, steps=self.steps, seed=seed)
            self.tries[index] += 1
            self.expansions[index] += found.expansions
            meter.expansions += found.expansions
            self.status[index] = found.status
            if found.status is Status.PROVED:
                self.accept(index, found.actions)
            self._charge({index: found.expansions})


def step_limit(theory: Theory, problem: Problem) -> int:
    """The step limit of the problem's stratum, or the theory's."""
    benchmark = benchmark_of(theory)
    return benchmark.steps.get(benchmark.stratum(problem), theory.step_limit)
