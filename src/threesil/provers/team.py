"""Solvers made of solvers: lemmas of ours help other provers (section 7 of the paper).

What another prover says is turned into a proof of ours and certified; where that fails it is a
claim, and the reason says why.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from typing import Final

from threesil.engine import Budget, Status, Stop, Stopped
from threesil.engine.meter import Meter
from threesil.kernel.outcome import OUT_OF_MEMORY, RUNNING, SZS, Outcome, Turn
from threesil.kernel.theory import Problem, Theory
from threesil.provers.base import Task
from threesil.provers.lemmas import (
    COUNT,
    Lemma,
    episode_lemmas,
    episode_network,
    find_lemmas,
    lemma_explorer,
    with_lemmas,
)
from threesil.provers.outside import CLAIMED, Outside
from threesil.provers.proofs import UnreadableProof, read_proof
from threesil.provers.reconstruct import NotReconstructed, reconstruct
from threesil.search.searcher import REASONS, Searcher
from threesil.search.solver import Explorer, Facts, Solver

USES: Final = {"lemmas": "assumptions", "hints": "hints", "both": "assumptions and hints"}
EPISODE: Final = "episode"
_LEMMA_SHARE: Final = 0.1  # of the time that is left, for lemmas
_CERTIFY_SHARE: Final = 0.5  # of it, for following another prover's proof
_TICK: Final = 0.05  # seconds between looks at the stop flag
_STOPPED: Final = REASONS[Status.STOPPED]


class Helped(Solver):
    """A policy finds lemmas in half of the time, another prover uses them in the rest."""

    def __init__(self, name: str, own: Searcher, other: Outside, use: str) -> None:
        """`use` is one of `USES`, or `EPISODE` for the paper's own lemmas.

        `InputError` if the prover can't use them, or if there are no weights that find them.
        """
        if use in ("hints", "both"):
            other.program.require_hints()
        episode_network(own) if use == EPISODE else lemma_explorer(own)
        self.name, self.theory, self.note = name, own.theory, own.note
        self._own, self._other, self._use = own, other, use

    @property
    def explorer(self) -> Explorer | None:
        return self._own.explorer

    def solve(self, problem: Problem, budget: Budget) -> Outcome:
        begin, cpu = time.perf_counter(), time.process_time()
        half = replace(budget, seconds=budget.seconds / 2, whole=budget.seconds / 2)
        try:
            if self._use == EPISODE:
                lemmas, use = episode_lemmas(self._own, problem), "lemmas"
            else:
                lemmas, use = find_lemmas(self._own, problem, half), self._use
        except Stopped:
            return Outcome(problem, SZS.USER, by=self.name, reason=_STOPPED)
        spent = time.process_time() - cpu
        outcome = self._other.run(with_lemmas(Task(self.theory, problem), lemmas, use), half)
        cpu_seconds = spent + outcome.cpu_seconds
        took = time.perf_counter() - begin
        return replace(outcome, by=self.name, seconds=took, cpu_seconds=cpu_seconds)

    def facts(self, seconds: float) -> Facts:
        own, other = self._own.facts(seconds / 2), self._other.facts(seconds / 2)
        if self._use == EPISODE:
            count, use = 2, "before = after for each side that one episode rewrites"
        else:
            count = COUNT
            use = f"{COUNT} lemmas at the most as {USES[self._use]}, found in {seconds / 2:g} s"
        about = {
            "version": f"{other.about['version']} with {own.about['version']}",
            "command": f"{other.about['command']}; {use}",
            "proofs": CLAIMED,
        }
        return Facts({**other.options, "lemmas": count, "use": self._use}, own.weights, about)


def with_help(
    own: Solver, others: Sequence[Outside], open_still: Outcome, budget: Budget
) -> tuple[Outcome, list[Outcome]]:
    """What came of a problem that our search left open, and the outcomes of the others."""
    problem, meter, lemmas = open_still.problem, Meter(budget), list[Lemma]()
    if isinstance(own, Searcher) and own.explorer is not None:
        left = meter.left(seconds=_LEMMA_SHARE * budget.seconds)
        left = replace(left, expansions=math.inf)  # those of the budget were for our search
        with suppress(MemoryError, Stopped):  # they are a help, no more
            lemmas = find_lemmas(own, problem, left)
    task = with_lemmas(Task(own.theory, problem), lemmas)
    if budget.progress is not None:
        budget.progress(Turn(", ".join(one.name for one in others), 0.0, 0, RUNNING))
    first, outcomes = race(others, task, meter.left())
    if first is None and budget.stop is not None and budget.stop.is_set():
        open_still = replace(open_still, status=SZS.USER, reason=_STOPPED)
    joint = replace(_joint(open_still, first, outcomes), given=len(lemmas))
    if joint.claimed and joint.status is SZS.THEOREM:
        left = meter.left(seconds=_CERTIFY_SHARE * budget.seconds)
        joint = certified(joint, own.theory, lemmas, left)
    return joint, outcomes


def race(
    solvers: Sequence[Outside], task: Task, budget: Budget
) -> tuple[Outcome | None, list[Outcome]]:
    """All at once; the first that decides the task ends the others, and so does the budget's stop.

    (the first, all in the order of the solvers)
    """
    end, first = Stop(), None
    rest = replace(budget, stop=end)
    with ThreadPoolExecutor(max(1, len(solvers))) as pool:
        under_way = [pool.submit(solver.run, task, rest) for solver in solvers]
        try:
            waiting: set[Future[Outcome]] = set(under_way)
            while waiting:
                ended, waiting = wait(waiting, _TICK, FIRST_COMPLETED)
                decided = (one.result() for one in ended if one.result().status.decides)
                if first is None:
                    first = next(decided, None)
                if first is not None or (budget.stop is not None and budget.stop.is_set()):
                    end.set()
        except BaseException:
            end.set()
            raise
    return first, [one.result() for one in under_way]


def certified(
    claim: Outcome, theory: Theory, lemmas: Sequence[Lemma] = (), budget: Budget | None = None
) -> Outcome:
    """The outcome with a proof of ours that follows the prover's words; as it is if that fails."""
    budget = budget or Budget(None, 10.0)
    try:
        skeleton = read_proof(claim.by, claim.words or "")
        given = [lemma.proof for lemma in lemmas]
        proof = reconstruct(theory, claim.problem, skeleton, budget, given)
    except (UnreadableProof, NotReconstructed) as error:
        return replace(claim, reason=f"its proof could not be certified: {error}")
    except MemoryError:
        return replace(claim, reason=f"its proof could not be certified: {OUT_OF_MEMORY}")
    return replace(claim, proof=proof)


def _joint(own: Outcome, first: Outcome | None, others: Sequence[Outcome]) -> Outcome:
    """The first claim, unless another prover claims the opposite; our own outcome if none."""
    if first is None:
        return own
    claims = [other for other in others if other.claimed]
    if len({claim.status for claim in claims}) > 1:
        said = ", ".join(f"{claim.by} says {claim.status}" for claim in claims)
        return replace(own, status=SZS.UNKNOWN, by="", reason=f"the provers disagree: {said}")
    return replace(own, status=first.status, by=first.by, words=first.words, reason=first.reason)
