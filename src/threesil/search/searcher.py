"""What our searches have in common.

A search looks for a derivation. What it finds is shortened if that makes sense for it, and
certified; only then it is called proved.
"""

from __future__ import annotations

import math
import shlex
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

from threesil.engine import Budget, Found, Guided, Network, Status, TermSearch
from threesil.engine.meter import Meter
from threesil.errors import InputError
from threesil.kernel.confluence import NotConvergent
from threesil.kernel.outcome import OUT_OF_MEMORY, SZS, Outcome, failure
from threesil.kernel.proof import Derivation, Proof, certify
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.proofs.shorten import shorten
from threesil.search.deciding import convergent
from threesil.search.learned import Learned
from threesil.search.solver import CERTIFIED, Explorer, Facts, Solver
from threesil.search.weights import Uses, Weights

LARGEST = 1000  # nodes of both sides together
_SHORTEN = 20_000  # expansions for shortening a proof
POLISH = 0.002

SZS_OF = {
    Status.EXHAUSTED: SZS.GAVE_UP,
    Status.EXPANSIONS: SZS.GAVE_UP,
    Status.LENGTH: SZS.GAVE_UP,
    Status.SECONDS: SZS.TIMEOUT,
    Status.MEMORY: SZS.RESOURCE_OUT,
    Status.STOPPED: SZS.USER,
    Status.REFUTED: SZS.COUNTER_SATISFIABLE,
}
REASONS = {
    Status.EXHAUSTED: "nothing is left to try",
    Status.EXPANSIONS: "the expansions are spent",
    Status.LENGTH: "its proof is too long to be read out",
    Status.MEMORY: "there is no memory for more terms",
    Status.STOPPED: "stopped",
}


class Search(Protocol):
    """A search for one problem that can be given time again and again."""

    def run(self, budget: Budget) -> Found:
        """Continues; what it finds is not certified yet."""


class Searcher(Solver):
    """A search of ours for problems of one theory.

    `options` names the keywords that it takes besides the seed; `goals` the kinds of goals;
    `uses` what it takes of weights, `requires` what it can't do without. A proof is shortened as
    long as it took to find, or for `polish` CPU seconds if that is longer.
    """

    about: str
    uses: frozenset[Uses] = frozenset()
    requires: frozenset[Uses] = frozenset()
    goals: frozenset[Goal] = frozenset({Goal.EQUATION})
    existential: bool = False  # whether it looks for witnesses
    shortens: bool = True
    options: tuple[str, ...] = ()

    def __init__(self, theory: Theory, network: Network | None = None, *, seed: int = 0) -> None:
        if theory.goal not in self.goals:
            known = ", ".join(sorted(goal.value for goal in self.goals))
            message = f"solver {self.name} is for goals of the kind {known}"
            raise InputError(f"{message}; that of {theory.name} is {theory.goal.value}")
        if network is None and Uses.POLICY in self.requires:
            raise InputError(f"solver {self.name} needs weights of {theory.name}")
        self.theory = theory
        self.network = network if Uses.POLICY in self.uses else None
        self.seed = seed
        self.polish = POLISH
        self.weights = Weights()
        self._learned: Learned | None = None

    @classmethod
    def make(cls, theory: Theory, weights: Weights, seed: int, **options: Any) -> Searcher:
        """The search with what it uses of the weights."""
        del weights
        return cls(theory, seed=seed, **options)

    def use(self, learned: Learned) -> None:
        """Lets derivations cite learned lemmas, whose proofs become part of the proof."""
        self._learned = learned

    @property
    def library(self) -> Mapping[str, Proof]:
        """The learned lemmas by their names."""
        return self._learned.by_name if self._learned else {}

    @cached_property
    def _shortening(self) -> TermSearch:
        return TermSearch(self._learned.extended if self._learned else self.theory)

    @property
    def explorer(self) -> Explorer | None:
        if self.network is None or self.theory.goal is not Goal.EQUATION:
            return None
        return Guided(self.theory, self.network)

    def facts(self, seconds: float) -> Facts:
        from importlib.metadata import version  # it is slow to load

        digest = self.weights.digest
        command = ["threesil", "evaluate", "PROBLEMS", "--theory", self.theory.name]
        command += ["--solver", self.name, "--seconds", f"{seconds:g}"]
        command += ["--weights", self.weights.source] if self.weights.source else []
        weights = digest[:12] if digest else "none"
        about = {
            "version": f"threesil {version('threesil')}, weights {weights}",
            "command": shlex.join(command),
            "proofs": CERTIFIED,
        }
        return Facts({"solver": self.name}, digest, about)

    @abstractmethod
    def search(self, problem: Problem, budget: Budget) -> Found:
        """Looks for a derivation; what it finds is not certified yet."""

    def begin(self, problem: Problem, terms: int) -> Search:
        """A search for the problem that keeps at most so many terms or pairs of them.

        Unless a search can be resumed, each run starts again.
        """
        del terms
        return _Anew(self, problem)

    def solve(self, problem: Problem, budget: Budget) -> Outcome:
        begin, meter = time.perf_counter(), Meter(budget)
        try:
            return self._solve(problem, budget)
        except MemoryError as error:
            lack = error.with_traceback(None)  # what the search had is freed before all else
        outcome = failure(problem, lack, self.name, meter.seconds)
        return replace(outcome, seconds=time.perf_counter() - begin)

    def _solve(self, problem: Problem, budget: Budget) -> Outcome:
        begin, meter = time.perf_counter(), Meter(budget)
        reason = self._refusal(problem)
        if reason:
            return Outcome(problem, SZS.GAVE_UP, by=self.name, reason=reason)
        found = self.search(problem, budget)
        turns = found.turns or (meter.turn(self.name, found),)
        proof = self._certified(problem, found, meter)
        found = self._decided(problem, found, meter)
        status = SZS.COUNTER_SATISFIABLE if found.system else SZS_OF.get(found.status, SZS.GAVE_UP)
        return Outcome(
            problem,
            SZS.THEOREM if proof else status,
            time.perf_counter() - begin,
            meter.seconds,
            found.expansions,
            by=self.name,
            proof=proof,
            reason="" if proof or found.system else found.reason or REASONS.get(found.status, ""),
            turns=turns,
            system=found.system,
            model=found.model,
        )

    def _refusal(self, problem: Problem) -> str:
        """Why it can't work on a problem, if it can't."""
        if problem.exists and not self.existential:
            return f"solver {self.name} does not look for witnesses"
        size = problem.start.size + (problem.target.size if problem.target else 0)
        if size > LARGEST:
            return f"the problem has {size} nodes; at most {LARGEST} can be searched"
        return ""

    def _certified(self, problem: Problem, found: Found, meter: Meter) -> Proof | None:
        if found.derivation is None:
            return None
        derivation = found.derivation
        if not found.lemmas:
            derivation = self._shortened(derivation, meter)
        lemmas = self._cited(derivation, *(chain for _, chain in found.lemmas))
        for lemma, shown in found.lemmas:
            lemmas.append(certify(self.theory, lemma, shown, lemmas))
        return certify(self.theory, problem, derivation, lemmas)

    def certify(self, problem: Problem, derivation: Derivation) -> Proof:
        """A proof by a derivation that may cite learned lemmas."""
        return certify(self.theory, problem, derivation, self._cited(derivation))

    def _cited(self, *chains: Derivation) -> list[Proof]:
        """The learned lemmas that the chains cite."""
        names = dict.fromkeys(step.equation for chain in chains for step in chain.steps)
        return [self.library[name] for name in names if name in self.library]

    def _decided(self, problem: Problem, found: Found, meter: Meter) -> Found:
        """With rules that refute the problem, or why there are none, where completion has ended."""
        if found.derivation is not None or found.saturated is None or found.system is not None:
            return found
        try:
            left = meter.left()
            system = convergent(self.theory, problem, found.saturated, left, self.library)
        except NotConvergent as error:
            return replace(found, reason=found.reason or str(error), saturated=None)
        return replace(found, system=system)

    def _shortened(self, derivation: Derivation, meter: Meter) -> Derivation:
        if not self.shortens:
            return derivation
        seconds = max(meter.seconds, self.polish)
        if math.isfinite(meter.budget.expansions):  # counts alone decide
            seconds = math.inf
        left = Budget(_SHORTEN, meter.left(seconds=seconds).seconds, stop=meter.budget.stop)
        return shorten(derivation, self._shortening, left)


class WithLemmas(Searcher):
    """A search that uses learned lemmas like equations; its proofs hold the proofs of these."""

    def __init__(self, inner: Searcher, learned: Learned) -> None:
        super().__init__(learned.theory, seed=inner.seed)
        self.inner, self.name = inner, inner.name
        self.use(learned)

    @property
    def explorer(self) -> Explorer | None:
        return self.inner.explorer

    def search(self, problem: Problem, budget: Budget) -> Found:
        return self.inner.search(problem, budget)


def within_memory(run: Callable[[Budget], Found], budget: Budget) -> Found:
    """What a search finds, and that it ran out of memory if it did: others may continue then."""
    try:
        return run(budget)
    except MemoryError:
        pass  # what it had is freed before all else
    return Found(Status.MEMORY, 0, reason=OUT_OF_MEMORY)


class _Anew:
    """A search that starts again with each run."""

    def __init__(self, searcher: Searcher, problem: Problem) -> None:
        self._searcher, self._problem = searcher, problem

    def run(self, budget: Budget) -> Found:
        return self._searcher.search(self._problem, budget)
