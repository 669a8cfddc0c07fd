"""Strategies: one protocol for all ways to solve a problem.

A strategy has a name, says what it needs (a model never, if there is one, or always; which kinds
of goals), and searches. What a search finds is shortened if that makes sense for it, and certified;
only then it is called proved. `prove` takes one problem, `prove_all` many, which some strategies
work on together.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import ClassVar, Protocol

from threesil.engine import Budget, Found, Network, Status, Stopped, TermSearch
from threesil.engine.meter import Meter
from threesil.errors import InputError, MissingTool
from threesil.kernel.confluence import Convergent, NotConvergent
from threesil.kernel.outcome import OUT_OF_MEMORY, SZS, Outcome, failure
from threesil.kernel.proof import Derivation, Proof, certify
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.proofs.shorten import shorten
from threesil.search.deciding import convergent
from threesil.search.learned import Learned

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


class Need(StrEnum):
    """Whether a strategy wants a trained model."""

    NEVER = "never"
    IF_ANY = "if any"
    ALWAYS = "always"
    GENERAL = "general"
    """one that selects critical pairs, in whatever theory"""


class Search(Protocol):
    """A search for one problem that can be given time again and again."""

    def run(self, budget: Budget) -> Found:
        """Goes on; what it finds is not certified yet."""


class Strategy(ABC):
    """A way to solve problems of one theory; it keeps what is slow to make.

    `options` names the keywords that it takes besides the seed. A proof is shortened as long as
    it took to find, or for `polish` CPU seconds if that is longer. `note` tells the user what is
    surprising about how it searches.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    needs_model: ClassVar[Need] = Need.NEVER
    goals: ClassVar[frozenset[Goal]] = frozenset({Goal.EQUATION})
    existential: ClassVar[bool] = False  # whether it looks for witnesses
    shortens: ClassVar[bool] = True
    options: ClassVar[tuple[str, ...]] = ()
    note: str = ""

    def __init__(self, theory: Theory, network: Network | None = None, *, seed: int = 0) -> None:
        if theory.goal not in self.goals:
            known = ", ".join(sorted(goal.value for goal in self.goals))
            message = f"strategy {self.name} is for goals of the kind {known}"
            raise InputError(f"{message}; that of {theory.name} is {theory.goal.value}")
        if network is None and self.needs_model is Need.ALWAYS:
            raise InputError(f"strategy {self.name} needs a model of {theory.name}")
        self.theory = theory
        self.network = network if self.needs_model is not Need.NEVER else None
        self.seed = seed
        self.polish = POLISH
        self._shortening = TermSearch(theory) if self.shortens else None
        self._library: Mapping[str, Proof] = {}

    def use(self, learned: Learned) -> None:
        """Lets derivations cite learned lemmas, whose proofs become part of the proof."""
        self._library = learned.by_name
        if self.shortens:
            self._shortening = TermSearch(learned.extended)

    @property
    def called(self) -> str:
        """Who it was, in outcomes: a strategy that wraps another speaks for it."""
        return self.name

    @abstractmethod
    def search(self, problem: Problem, budget: Budget) -> Found:
        """Looks for a derivation; what it finds is not certified yet."""

    def begin(self, problem: Problem, terms: int) -> Search:
        """A search for the problem that keeps at most so many terms or pairs of them.

        Unless a strategy can go on, each run begins anew.
        """
        del terms
        return _Anew(self, problem)

    def prove(self, problem: Problem, budget: Budget) -> Outcome:
        """Looks for a proof within the budget; a lack of memory is an outcome too."""
        begin, meter = time.perf_counter(), Meter(budget)
        try:
            return self._prove(problem, budget)
        except MemoryError as error:
            lack = error.with_traceback(None)  # what the search had is freed before all else
        outcome = failure(problem, lack, self.called, meter.seconds)
        return replace(outcome, seconds=time.perf_counter() - begin)

    def _prove(self, problem: Problem, budget: Budget) -> Outcome:
        begin, meter = time.perf_counter(), Meter(budget)
        reason = self._refusal(problem)
        if reason:
            return Outcome(problem, SZS.GAVE_UP, by=self.called, reason=reason)
        found = self.search(problem, budget)
        turns = found.turns or (meter.turn(self.called, found),)
        proof = self._certified(problem, found, meter)
        system, why = self._decided(problem, found, meter)
        status = SZS.COUNTER_SATISFIABLE if system else SZS_OF.get(found.status, SZS.GAVE_UP)
        return Outcome(
            problem,
            SZS.THEOREM if proof else status,
            time.perf_counter() - begin,
            meter.seconds,
            found.expansions,
            by=self.called,
            proof=proof,
            reason="" if proof or system else found.reason or why or REASONS.get(found.status, ""),
            turns=turns,
            system=system,
            model=found.model,
        )

    def prove_all(self, problems: Iterable[Problem], budget: Budget) -> Iterator[Outcome]:
        """The outcomes of many problems, in their order, as they come; each has the budget."""
        for problem in problems:
            yield self.prove(problem, budget)

    def _refusal(self, problem: Problem) -> str:
        """Why it can't work on a problem, if it can't."""
        if problem.exists and not self.existential:
            return f"strategy {self.called} does not look for witnesses"
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
        chains = [derivation, *(chain for _, chain in found.lemmas)]
        names = dict.fromkeys(step.equation for chain in chains for step in chain.steps)
        lemmas = [self._library[name] for name in names if name in self._library]
        for lemma, shown in found.lemmas:
            lemmas.append(certify(self.theory, lemma, shown, lemmas))
        return certify(self.theory, problem, derivation, lemmas)

    def _decided(
        self, problem: Problem, found: Found, meter: Meter
    ) -> tuple[Convergent | None, str]:
        """(rules that refute the problem, why there are none), where completion is saturated."""
        if found.derivation is not None or found.saturated is None:
            return None, ""
        try:
            left = meter.left()
            return convergent(self.theory, problem, found.saturated, left, self._library), ""
        except NotConvergent as error:
            return None, str(error)

    def _shortened(self, derivation: Derivation, meter: Meter) -> Derivation:
        if self._shortening is None:
            return derivation
        seconds = max(meter.seconds, self.polish)
        if math.isfinite(meter.budget.expansions):  # counts alone decide
            seconds = math.inf
        left = Budget(_SHORTEN, meter.left(seconds=seconds).seconds, stop=meter.budget.stop)
        return shorten(derivation, self._shortening, left)


def within_memory(run: Callable[[Budget], Found], budget: Budget) -> Found:
    """What a search finds, and that it ran out of memory if it did: others may go on then."""
    try:
        return run(budget)
    except MemoryError:
        pass  # what it had is freed before all else
    return Found(Status.MEMORY, 0, reason=OUT_OF_MEMORY)


class _Anew:
    """A search that begins anew with each run."""

    def __init__(self, strategy: Strategy, problem: Problem) -> None:
        self._strategy, self._problem = strategy, problem

    def run(self, budget: Budget) -> Found:
        return self._strategy.search(self._problem, budget)


def prove_each(
    make: Callable[[], Strategy],
    problems: Sequence[Problem],
    budget: Budget,
    by: str,
) -> Iterator[Outcome]:
    """An outcome for each problem, in their order, whatever happens to the strategy.

    What nobody expected is an error of one problem: if several were under way, each that has no
    outcome yet is tried by itself. `make` gives a strategy, another one after a failure. What is
    wrong with what the user gave comes through.
    """
    done = 0
    begin = time.thread_time()
    try:
        for outcome in make().prove_all(problems, budget):
            done += 1
            yield outcome
            begin = time.thread_time()
        return
    except (InputError, MissingTool, Stopped):
        raise
    except Exception as error:
        failed = error
    if len(problems) == 1:
        yield failure(problems[0], failed, by, time.thread_time() - begin)
        return
    for problem in problems[done:]:
        yield from prove_each(make, [problem], budget, by)
