"""Expert iteration: search finds proofs, the shortest teach the policy that guides the search.

    for e = 0 to ME - 1:
        search for proofs of m (at first) or f problems, those without one first
        certify and shorten them; H keeps the shortest of each problem
        for i = 0 to NB - 1:     sample B tuples (s, a), each problem of H alike
                                 update pi to minimise - sum log pi(a | s)

Hindsight: a proof t_0, t_1, ..., t_n proves t_i = t_j for all i < j. Each of these theorems gives
two episodes, one that rewrites its left side all the way and one that rewrites its right side, as
the bidirectional search does. The first epoch searches without a policy, unless the run started
from a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from threesil.engine import Batch, Limits, States, Stop
from threesil.errors import IllegalAction, InputError
from threesil.kernel.certificate import shows
from threesil.kernel.lemmas import unfolded
from threesil.kernel.proof import Derivation, Proof
from threesil.kernel.theory import Goal, Move, Problem, Rewrite, Theory
from threesil.learn.agent import Agent, Purpose
from threesil.learn.config import ExpertConfig
from threesil.learn.history import Actions, Transitions
from threesil.learn.method import Imitation, Metrics
from threesil.nets.policy import Policy
from threesil.runs.checkpoint import Arrays, take
from threesil.search.prover import Prover
from threesil.work.threads import Threads

_LONGEST = 1000  # actions of an episode
_PROVED = "expert.proved"  # in a checkpoint
Theorem = tuple[Problem, Actions]


class Expert(Imitation[ExpertConfig]):
    def __init__(self, agent: Agent, config: ExpertConfig) -> None:
        if agent.theory.goal is not Goal.EQUATION:
            raise InputError(f"method expert proves equations; {agent.theory.name} has none")
        super().__init__(agent, config)
        self._numbers = action_numbers(agent.theory)
        self._theorems: dict[tuple[int, bytes], list[Theorem]] = {}
        self._proved = np.zeros(len(agent.problems), dtype=np.uint8)  # also what can't be played

    def train(self) -> Iterator[Metrics]:
        agent, config = self.agent, self.config
        for e in agent.epochs():
            num = config.m if e == 0 else config.f
            metrics = self.search_proofs(min(num, agent.pool))
            tuples = self.transitions()
            if len(tuples):
                metrics["loss"] = self.imitate(tuples)
                metrics["transitions"] = float(len(tuples))
            yield metrics

    def mastery(self, success: float) -> float:
        """Open problems with a proof: what search proves counts, not play alone.

        Nor need the proof be one that can be played: with lemmas, it may be far too long for that.
        """
        proved = self.H.solved() | self._proved.astype(np.bool_)
        return max(success, float(proved[: self.agent.pool].mean()))

    def search_proofs(self, num: int) -> Metrics:
        """Searches `num` problems: how many those were, the share that was proved, expansions for
        each, and how many proofs were kept."""
        agent, config = self.agent, self.config
        random = agent.random(Purpose.SEARCH)
        solved = self.H.solved()[: agent.pool]
        order = random.permutation(agent.pool)
        chosen = np.concatenate([order[~solved[order]], order[solved[order]]])[:num]
        model = agent.net.policy({}) if agent.epoch or agent.informed else None
        make = partial(_Search, agent.theory, config.expansions, agent.seed, model)
        kept = proved = expansions = 0
        problems = [agent.problems[p] for p in chosen.tolist()]
        with Threads(config.threads) as threads:
            each = agent.each(make, problems, agent.elsewhere or threads)
            for p, (derivation, proof, count) in zip(chosen, each, strict=True):
                is_proved = proof is not None and shows(proof, agent.theory, agent.problems[p])
                proved += is_proved
                self._proved[p] |= is_proved
                expansions += count
                if derivation is not None and derivation.steps:
                    kept += self._offer(int(p), derivation)
        return {
            "searched": float(len(chosen)),
            "proved": proved / max(1, len(chosen)),
            "expansions": expansions / max(1, len(chosen)),
            "solutions": float(kept),
        }

    def arrays(self) -> Arrays:
        return {**super().arrays(), _PROVED: self._proved}

    def restore(self, arrays: Arrays) -> list[str]:
        self._proved = take(arrays, _PROVED, np.uint8, self._proved.shape).copy()
        return super().restore(arrays)

    def _offer(self, problem: int, derivation: Derivation) -> bool:
        """Gives H a proof as an episode of the left side, if it can be played as one."""
        actions = episode(self._numbers, derivation, 0)
        if actions is None or len(actions) > _LONGEST:
            return False
        try:
            return self.H.offer(problem, actions)
        except (ValueError, InputError):  # a rewrite inside the value of an open variable
            return False

    def transitions(self) -> Transitions:
        """The transitions of all theorems that the proofs in H prove, grouped by problem."""
        known, self._theorems = self._theorems, {}
        for p, actions in self.H:  # in its order, so that a resumed run has the same
            key = p, actions.tobytes()
            self._theorems[key] = known[key] if key in known else self._hindsight(p, actions)
        theorems = [(p, theorem) for (p, _), listed in self._theorems.items() for theorem in listed]
        store = States(self.agent.theory, [problem for _, (problem, _) in theorems])
        return Transitions(
            store,
            ((p, store.add(k, actions), actions) for k, (p, (_, actions)) in enumerate(theorems)),
        )

    def _hindsight(self, p: int, actions: Actions) -> list[Theorem]:
        """The theorems of a proof with their episodes; the whole one comes first."""
        theory, problem = self.agent.theory, self.agent.problems[p]
        derivation = self.H.derivation(p, actions)
        terms = derivation.terms
        n = len(derivation.steps)
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
        pairs.sort(key=lambda pair: pair[0] - pair[1])
        wanted = self.config.hindsight
        if len(pairs) > wanted + 1:
            key = [self.agent.seed, p]
            random = np.random.Generator(np.random.Philox(key=key))
            some = random.permutation(len(pairs) - 1)[:wanted] + 1
            pairs = [pairs[0], *(pairs[i] for i in sorted(some))]
        theorems, episodes = [], []
        for i, j in pairs:
            part = Derivation(terms[i], derivation.steps[i:j])
            for side in (0, 1):
                found = episode(self._numbers, part, side)
                if found is not None:
                    theorems.append(Problem(problem.name, terms[i], terms[j]))
                    episodes.append(found)
        batch = Batch(theory, theorems, 1, limits=Limits(steps=_LONGEST))
        good = []
        for k, found in enumerate(episodes):
            try:
                batch.derivation_of(k, found)
            except (IllegalAction, InputError):
                continue
            good.append((theorems[k], np.array(found, dtype=np.uint16)))
        return good


_Searched = tuple[Derivation | None, Proof | None, int]  # a chain, the proof itself, expansions


class _Search:
    """A worker's search for proofs."""

    def __init__(self, theory: Theory, expansions: int, seed: int, model: Policy | None) -> None:
        solver = "best" if model else "unguided"
        self._prover = Prover(theory, solver=solver, weights=model, seed=seed, refute=False)
        self._expansions = expansions

    def __call__(self, problem: Problem, give: Callable[[_Searched], None], stop: Stop) -> None:
        outcome = self._prover.prove(
            problem, seconds=math.inf, expansions=self._expansions, stop=stop
        )
        chain = _chain(outcome.proof) if outcome.proof else None
        give((chain, outcome.proof, outcome.expansions))


def _chain(proof: Proof) -> Derivation | None:
    """The proof as one chain of rewrites, if that is not too long for an episode."""
    try:
        return unfolded(proof, _LONGEST)
    except InputError:
        return None


def action_numbers(theory: Theory) -> dict[object, int]:
    """The actions by what they do: move to an argument, rewrite with (equation, direction)."""
    numbers: dict[object, int] = {}
    for index, action in enumerate(theory.actions):
        if isinstance(action, Move):
            numbers.setdefault(action.argument, index)
        elif isinstance(action, Rewrite):
            for alternative in action.alternatives:
                numbers.setdefault(alternative, index)
    return numbers


def episode(numbers: dict[object, int], derivation: Derivation, side: int) -> list[int] | None:
    """The actions that rewrite one side into the other; None if an action for a step is missing."""
    if side == 1:
        derivation = derivation.backwards()
    actions = []
    for step in derivation.steps:
        wanted: list[object] = [side, *step.position, (step.equation, step.direction)]
        for key in wanted:
            if key not in numbers:
                return None
            actions.append(numbers[key])
    return actions
