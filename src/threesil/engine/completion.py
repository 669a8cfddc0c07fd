"""Completion in the core: from equations and a goal to a proof with lemmas."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from threesil import _native
from threesil.engine.arrays import np
from threesil.engine.completion_task import Codes, CompletionTask, OrderChoice
from threesil.engine.control import Stop, checks_itself
from threesil.engine.hints import Hints
from threesil.engine.search import Budget, Found, Lemmas, Saturated, Status
from threesil.engine.selection import Selecting, Selection
from threesil.kernel.confluence import Order
from threesil.kernel.proof import Proof, certify
from threesil.kernel.theory import Problem, Theory

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.uint32]"
_LEFT_OUT = "nothing is left to try but equations with thousands of symbols"
_PIECE = 50  # facts that are certified at a time, at the least
_READING = 0.5  # CPU seconds in which proofs are read out, if no more are left of the budget


@dataclass(frozen=True)
class CompletionStatistics:
    """What a completion has done so far."""

    pairs: int
    """critical pairs made"""
    considered: int
    """critical pairs taken from the queue"""
    rewrites: int
    active: int
    """rules and equations in use"""
    queue: int
    """critical pairs that wait"""
    distance: int
    """nodes of the goal's two sides, simplified"""
    dropped: bool
    """something was left out, so that an empty queue means nothing"""
    hints: int
    """hints that a critical pair has matched"""


@dataclass(frozen=True)
class Rule:
    """An active equation; where it is oriented, the left side is the larger under any values."""

    equation: Problem
    oriented: bool
    fact: int
    """its number in the run"""


@dataclass(frozen=True)
class Judged:
    """Critical pairs that became facts: numbers, overlaps that were tried, needed by the proof."""

    pairs: Numbers
    overlaps: Numbers
    needed: NDArray[np.bool_]


class Completion:
    """Unfailing completion of a theory's equations until a goal is proved."""

    def __init__(
        self,
        theory: Theory,
        *,
        order: OrderChoice | None = None,
        selection: Selection | None = None,
        fair: int = 0,
        hints: Hints | None = None,
        self_check: bool | None = None,
    ) -> None:
        """Critical pairs are taken by size, or as the selection says; if `fair` is not 0, after so
        many by size comes the one that has waited the longest. Those that match hints come early.

        `self_check` certifies every equation that it makes, default: as the variable says.
        """
        self.theory = theory
        self.order = order or OrderChoice()
        self.selection = selection
        self.fair = fair
        self.hints = hints
        self.self_check = checks_itself(self_check)

    def begin(self, problem: Problem, *, pairs: int = 20_000_000) -> CompletionRun:
        """A completion for this goal that has done nothing yet; `pairs` may wait at once."""
        task = CompletionTask(self.theory, problem, self.order)
        return CompletionRun(task, pairs, self.selection, self.fair, self.self_check, self.hints)

    def prove(self, problem: Problem, budget: Budget) -> Found:
        """Looks for a proof; what it finds is not certified yet."""
        return self.begin(problem, pairs=budget.terms).run(budget)


class CompletionRun:
    """A completion under way: it can be given time again and again."""

    def __init__(
        self,
        task: CompletionTask,
        pairs: int,
        selection: Selection | None = None,
        fair: int = 0,
        self_check: bool = False,
        hints: Hints | None = None,
    ) -> None:
        self._task = task
        self._checked = 0 if self_check else None  # facts
        self.ended = False
        """whether nothing is left to do, or no memory to do it"""
        self.selecting: Selecting | None = None
        if selection is not None:
            axioms = task.equations[: len(task.theory.equations)]
            setting = task.order(), axioms, task.aim, task.scaffolding
            self.selecting = selection.prepare(*setting, task.eq)
        self._native = _native.Completion(
            *task.order(),
            task.choice.by_path,
            task.equations,
            task.goals,
            pairs,
            task.meaning,
            task.scaffolding,
            task.eq,
            self.selecting.native if self.selecting else None,
            fair,
            hints.table(task) if hints else None,
        )
        self._hints = hints

    def run(self, budget: Budget) -> Found:
        """Resumes where it stopped; what it finds is not certified yet."""
        before, begin = self.statistics.considered, time.thread_time()
        status = Status(self._native.run(*budget.counts(), budget.stop))
        self.ended = status in (Status.EXHAUSTED, Status.MEMORY)
        self._check(budget)
        expansions = self.statistics.considered - before
        if status is not Status.PROVED:
            reason = _LEFT_OUT if status is Status.EXHAUSTED and self.statistics.dropped else ""
            return Found(status, expansions, figures=self._figures(), reason=reason)
        if self._task.lacks_witnesses:
            reason = "there is no constant, so no term can be written that is a witness"
            return Found(Status.LENGTH, expansions, figures=self._figures(), reason=reason)
        left = budget.whole - (time.thread_time() - begin)
        chains = self._native.proof(max(left, _READING), budget.stop)
        if not chains:
            return Found(Status.LENGTH, expansions, figures=self._figures())
        lemmas, derivation = self._task.read(chains)
        if derivation is None:
            return self._with_any_witness(budget, expansions)
        return Found(
            status, expansions, derivation=derivation, lemmas=lemmas, figures=self._figures()
        )

    def _figures(self) -> dict[str, float]:
        """What the run has counted so far, for people."""
        now = self.statistics
        hints: dict[str, float] = {"hints": now.hints} if self._hints else {}
        return hints | {
            "pairs": now.pairs,
            "rules": now.active,
            "rewrites": now.rewrites,
            "distance": now.distance,
        }

    @property
    def arity(self) -> list[int]:
        """Of the symbols as the core numbers them."""
        return self._task.arity

    @property
    def aim(self) -> tuple[Codes, Codes]:
        """The goal's sides: symbols by number, variables that it looks for as ~index."""
        return self._task.aim

    def judged(self, stop: Stop | None = None) -> Judged:
        """Which critical pairs that were taken the proof needs, once there is one."""
        pairs, overlaps, needed = self._native.judged(stop)
        return Judged(pairs, overlaps, needed.astype(bool))

    def _with_any_witness(self, budget: Budget, expansions: int) -> Found:
        """All terms are equal, whatever the witnesses are: a proof with the first that comes."""
        closed, witnesses = self._task.closed()
        run = CompletionRun(
            CompletionTask(self._task.theory, closed, self._task.choice), budget.terms
        )
        found = run.run(replace(budget, progress=None))
        if found.derivation is None:
            return replace(found, expansions=expansions + found.expansions)
        derivation = replace(found.derivation, witnesses=witnesses)
        return replace(found, expansions=expansions + found.expansions, derivation=derivation)

    def _check(self, budget: Budget) -> None:
        """Certifies the facts that are new, in as much time as the search had.

        What is left comes first the next time.
        """
        end = time.thread_time() + budget.seconds

        def left() -> float:
            stopped = budget.stop is not None and budget.stop.is_set()
            return 0.0 if stopped else end - time.thread_time()

        while self._checked is not None and self._checked < self._native.facts and left() > 0:
            last = min(2 * self._checked + _PIECE, self._native.facts)
            fresh = list(range(self._checked, last))
            chains = self._native.lemmas(fresh, left(), budget.stop)
            proofs: list[Proof] = []
            lemmas = self._task.each_lemma(chains)
            for (lemma, derivation), (*_, fact) in zip(lemmas, chains, strict=True):
                proofs.append(certify(self._task.theory, lemma, derivation, proofs))
                self._checked = max(self._checked, fact + 1)
                if left() <= 0:
                    return
            if chains or left() > 0:  # what there is no lemma of is too long, or scaffolding
                self._checked = last

    @property
    def statistics(self) -> CompletionStatistics:
        return CompletionStatistics(**self._native.statistics)

    @property
    def order(self) -> Order:
        """The reduction order on the theory's symbols."""
        return self._task.reduction_order()

    def saturated(self, stop: Stop | None = None, seconds: float = math.inf) -> Saturated | None:
        """What an exhausted run came to; None if it left something out or looks for witnesses.

        Its lemmas are read out in so many CPU seconds, or there are none.
        """
        if self.statistics.dropped or self._task.problem.exists or self._task.choice.by_path:
            return None
        rules = self.rules()
        unoriented = sum(not rule.oriented for rule in rules)
        lemmas = () if unoriented else self.lemmas(rules, stop, seconds)
        names = tuple(rule.equation.name for rule in rules)
        return Saturated(self.order, unoriented, names, lemmas)

    def rules(self, limit: int | None = None) -> tuple[Rule, ...]:
        """The active equations in the theory's own symbols, the smallest first."""
        known = [row for row in self._native.active() if self._task.is_known((*row[1], *row[2]))]
        known.sort(key=lambda row: (len(row[1]) + len(row[2]), row[0]))
        return tuple(
            Rule(self._task.rule_of(fact, lhs, rhs), oriented, fact)
            for fact, lhs, rhs, oriented in known[:limit]
        )

    def lemmas(
        self, rules: Sequence[Rule], stop: Stop | None = None, seconds: float = math.inf
    ) -> Lemmas:
        """What proves these rules, each after those that it cites.

        A rule's own lemma has its name; the others are those that it needs. None at all if they
        are too long to be read out, or take longer than so many CPU seconds, or a little more.
        """
        names = {rule.fact: rule.equation.name for rule in rules}
        chains = self._native.lemmas(list(names), max(seconds, _READING), stop)
        return self._task.lemmas(chains, names)
