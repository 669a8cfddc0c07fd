"""Proving equations: the searches in turn, the proof shortened, the kernel last."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from threesil.engine import (
    Batch,
    Budget,
    Found,
    Guided,
    Levin,
    Limits,
    Network,
    Saturation,
    Status,
    TermSearch,
)
from threesil.errors import InputError
from threesil.nets.find import bundled_model, find_model
from threesil.nets.model import Model
from threesil.problems import parse_problem
from threesil.proof import Proof, certify
from threesil.search.shorten import shorten
from threesil.theories import get_theory
from threesil.theory import Goal, Problem, Theory

MODES = {
    "best": "the learned search and saturations in turn",
    "unguided": "as best, but without a model",
    "guided": "bidirectional search over terms with learned costs",
    "plain": "the same with fixed costs, no learning",
    "saturate": "a congruence closure that grows, no learning",
    "levin": "tree search over the moves of the cursor, by the policy",
    "sample": "episodes of the policy with some noise, after a greedy one",
    "greedy": "one episode of the policy",
}
NEED_MODEL = ("guided", "levin", "sample", "greedy")
LARGEST = 1000  # nodes of both sides together
# Mode `best` begins with a look at so many expansions: of the learned search, or of the plain one
# where there is no model.
_LOOK_GUIDED = 25
_LOOK_PLAIN = 6
# Then the searches take turns, two of them in the first round, all in the later ones, each with
# twice the expansions of its last turn. Saturations: (cost of a generation, cost of bringing in a
# value). Chosen on the AIM dev split.
_SETTINGS = ((6, 12.0), (10, 20.0), (4, 12.0), (10, 8.0))
_TURN = 800  # expansions of a saturation in the first round
_TURN_GUIDED = 1000
# A saturation's proof may be long: one of more rewrites than this has the learned search look
# again for so many expansions.
_SHORT = 4
_LOOK_AGAIN = 500
_SHORTEN = 20_000  # expansions for shortening a proof
_SHORTEN_AT_LEAST = 0.02  # seconds for it, or as long as the search took
_NOISE = 0.05  # of sampled episodes
_WIDEST = 256  # sampled episodes at a time


@dataclass(frozen=True)
class Result:
    """What came of a problem. `status` is an SZS status; `rewrites` the length of the proof."""

    problem: Problem
    status: str
    seconds: float
    cpu_seconds: float
    expansions: int
    proof: Proof | None = None

    @property
    def proved(self) -> bool:
        return self.proof is not None

    @property
    def rewrites(self) -> int | None:
        return len(self.proof.derivation.steps) if self.proof else None


_SZS = {
    Status.EXHAUSTED: "GaveUp",
    Status.EXPANSIONS: "GaveUp",
    Status.SECONDS: "Timeout",
    Status.MEMORY: "ResourceOut",
}
_Search = Callable[[Problem, Budget], Found]


class Prover:
    """Keeps the engine and the model warm and proves one equation after the other.

    `mode` is one of MODES. `model` is a model, a run's directory or a file; without it, the
    bundled model of the theory is used if there is one. Budgets in expansions and `seed` make the
    outcome repeatable.
    """

    def __init__(
        self,
        theory: str | Path | Theory = "aim",
        *,
        mode: str = "best",
        model: str | Path | Model | None = None,
        seed: int = 0,
    ) -> None:
        self.theory = get_theory(theory)
        if self.theory.goal is not Goal.EQUATION:
            raise InputError(
                f"{self.theory.name} has no equations to prove; use: threesil evaluate"
            )
        if mode not in MODES:
            raise InputError(f"unknown mode {mode!r}; expected {', '.join(MODES)}")
        self.mode = mode
        self.seed = seed
        self.model = self._find(model)
        self._network = self.model.network() if self.model else None
        self._plain = TermSearch(self.theory)
        self.guided = Guided(self.theory, self._network) if self._network else None
        self._saturations = [
            Saturation(self.theory, depth_cost=depth, own_cost=own) for depth, own in _SETTINGS
        ]
        searches: dict[str, _Search] = {
            "best": self._take_turns,
            "unguided": self._take_turns,
            "guided": self._search_guided,
            "plain": self._plain.prove,
            "saturate": self._saturations[0].prove,
            "levin": self._search_states,
            "sample": self._play,
            "greedy": self._play,
        }
        self._search = searches[mode]

    def _find(self, model: str | Path | Model | None) -> Model | None:
        base = self.theory.base or self.theory
        if isinstance(model, Model):
            if model.theory.digest != base.digest:
                raise InputError(f"a model of {model.theory.name}, not of {base.name}")
            return model
        if model is not None:
            return find_model(str(model), base)
        if self.mode in NEED_MODEL:
            return find_model(None, base)
        return bundled_model(base) if self.mode == "best" else None

    def prove(
        self,
        problem: str | Problem,
        *,
        seconds: float = 60.0,
        expansions: int | None = None,
    ) -> Result:
        """Looks for a proof for so many seconds, or expansions of the search."""
        if isinstance(problem, str):
            problem = parse_problem(problem, self.theory)
        size = problem.start.size + (problem.target.size if problem.target else 0)
        if size > LARGEST:
            raise InputError(f"the equation has {size} nodes; at most {LARGEST} can be searched")
        begin, cpu = time.perf_counter(), time.thread_time()
        found = self._search(problem, Budget(expansions or 2**62, seconds))
        proof = None
        if found.derivation is not None:
            derivation = found.derivation
            if self.mode in ("best", "unguided", "guided", "saturate"):
                used = time.perf_counter() - begin
                left = min(max(seconds - used, 0.0), max(used, _SHORTEN_AT_LEAST))
                if expansions is not None:  # counts alone decide
                    left = float("inf")
                derivation = shorten(derivation, self._plain, Budget(_SHORTEN, left))
            proof = certify(self.theory, problem, derivation)
        return Result(
            problem,
            "Theorem" if proof else _SZS[found.status],
            time.perf_counter() - begin,
            time.thread_time() - cpu,
            found.expansions,
            proof,
        )

    def prove_all(
        self,
        problems: Iterable[str | Problem],
        *,
        seconds: float = 60.0,
        expansions: int | None = None,
    ) -> Iterator[Result]:
        """The results of many problems, in their order, as they come."""
        for problem in problems:
            yield self.prove(problem, seconds=seconds, expansions=expansions)

    def _search_guided(self, problem: Problem, budget: Budget) -> Found:
        assert self.guided is not None
        return self.guided.prove(problem, budget, seed=self.seed)

    def _take_turns(self, problem: Problem, budget: Budget) -> Found:
        """One search after the other, with more and more expansions."""
        end = time.perf_counter() + budget.seconds
        spent = 0

        def left(turn: int) -> Budget:
            return Budget(min(turn, budget.expansions - spent), end - time.perf_counter())

        waiting: list[tuple[_Search, int]] = [(s.prove, _TURN) for s in self._saturations]
        if self.guided is None:
            found = self._plain.prove(problem, left(_LOOK_PLAIN))
        else:
            found = self._search_guided(problem, left(_LOOK_GUIDED))
            waiting.insert(1, (self._search_guided, _TURN_GUIDED))
        spent += found.expansions
        number = 0
        while waiting and found.status is not Status.PROVED:
            for search, turn in waiting[: None if number else 2]:
                allowed = left(turn << number)
                if allowed.expansions <= 0 or allowed.seconds <= 0:
                    status = Status.SECONDS if allowed.expansions > 0 else Status.EXPANSIONS
                    return Found(status, spent)
                found = search(problem, allowed)
                spent += found.expansions
                if found.status is Status.PROVED:
                    if search != self._search_guided and self.guided is not None:
                        other = self._second_look(problem, found, left(_LOOK_AGAIN))
                        spent += other.expansions
                        found = other if other.derivation else found
                    break
                if found.status in (Status.EXHAUSTED, Status.MEMORY):
                    waiting.remove((search, turn))
            number += 1
        return Found(found.status, spent, derivation=found.derivation)

    def _second_look(self, problem: Problem, found: Found, budget: Budget) -> Found:
        """What the learned search finds, if a saturation's long proof can be beaten by it."""
        assert found.derivation is not None
        length = len(found.derivation.steps)
        if length <= _SHORT or budget.expansions <= 0 or budget.seconds <= 0:
            return Found(Status.EXHAUSTED, 0)
        other = self._search_guided(problem, budget)
        if other.derivation is None or len(other.derivation.steps) >= length:
            return Found(Status.EXHAUSTED, other.expansions)
        return other

    def _search_states(self, problem: Problem, budget: Budget) -> Found:
        network = self._whole_network()
        steps = self.theory.step_limit
        found = Levin(network).solve(problem, budget, steps=steps, seed=self.seed)
        if found.status is not Status.PROVED:
            return found
        batch = Batch(self.theory, [problem], 1, limits=Limits(steps=steps))
        derivation = batch.derivation_of(0, found.actions)
        return Found(found.status, found.expansions, found.actions, derivation)

    def _play(self, problem: Problem, budget: Budget) -> Found:
        """A greedy episode; in mode `sample`, noisy ones until the budget is spent."""
        network = self._whole_network()
        end = time.perf_counter() + budget.seconds
        limits = Limits(steps=self.theory.step_limit)
        batch = Batch(self.theory, [problem], _WIDEST, limits=limits)
        spent = episodes = 0
        width, greedy = 1, True
        while True:
            played = batch.play(
                network,
                [0] * width,
                seed=self.seed,
                stream=int(not greedy),
                first_episode=episodes,
                noise=_NOISE,
                greedy=greedy,
            )
            spent += int(played.steps.sum())
            for i in played.solved.nonzero()[0][:1]:
                actions = played.actions_of(int(i))
                return Found(Status.PROVED, spent, actions, batch.derivation_of(0, actions))
            if self.mode == "greedy":
                return Found(Status.EXHAUSTED, spent)
            if spent >= budget.expansions:
                return Found(Status.EXPANSIONS, spent)
            if time.perf_counter() >= end:
                return Found(Status.SECONDS, spent)
            if not greedy:
                episodes += width
            width, greedy = min(4 * width, _WIDEST), False

    def _whole_network(self) -> Network:
        assert self._network is not None
        if self._network.theory.digest != self.theory.digest:
            raise InputError(f"mode {self.mode} can't leave equations out; use best or guided")
        return self._network


def prove(equation: str, *, theory: str | Path | Theory = "aim", seconds: float = 60.0) -> Result:
    """Proves one equation: `.status`, `.proof`, `.seconds`. A `Prover` is faster for many."""
    return Prover(theory).prove(equation, seconds=seconds)
