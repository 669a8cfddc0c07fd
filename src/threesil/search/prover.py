"""Proving equations: the searches in turn, the proof shortened, the kernel last."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from threesil.engine import Budget, Found, Saturation, Status, TermSearch
from threesil.errors import InputError
from threesil.problems import parse_problem
from threesil.proof import Proof, certify
from threesil.search.shorten import shorten
from threesil.theories import get_theory
from threesil.theory import Goal, Problem, Theory

MODES = ("best", "plain", "saturate")
LARGEST = 1000  # nodes of both sides together
_FIRST_LOOK = 6  # expansions of plain search before saturation begins
# (cost of a generation, cost of bringing in a value): saturations that mode `best` tries in turn,
# each with twice the expansions of its last turn. Chosen on the AIM dev split.
_SETTINGS = ((6, 12.0), (10, 20.0), (4, 12.0), (10, 8.0))
_FIRST_TURN = 1500  # expansions
_SHORTEN_AT_LEAST = 0.02  # seconds


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


class Prover:
    """Keeps the engine warm and proves one equation after the other.

    Modes: `plain` is bidirectional best-first search over terms, `saturate` grows a congruence
    closure, `best` looks with the first for a moment, then takes turns between saturations that
    weigh depth and new values differently.
    """

    def __init__(self, theory: str | Path | Theory = "aim", *, mode: str = "best") -> None:
        self.theory = get_theory(theory)
        if self.theory.goal is not Goal.EQUATION:
            raise InputError(
                f"{self.theory.name} has no equations to prove; use: threesil evaluate"
            )
        if mode not in MODES:
            raise InputError(f"unknown mode {mode!r}; expected {', '.join(MODES)}")
        self.mode = mode
        self._plain = TermSearch(self.theory)
        self._saturations = [
            Saturation(self.theory, depth_cost=depth, own_cost=own) for depth, own in _SETTINGS
        ]

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
        found, spent = self._search(problem, Budget(expansions or 2**62, seconds))
        proof = None
        if found.derivation is not None:
            used = time.perf_counter() - begin
            left = min(max(seconds - used, 0.0), max(used, _SHORTEN_AT_LEAST))
            derivation = found.derivation
            if self.mode != "plain":
                derivation = shorten(derivation, self._plain, left)
            proof = certify(self.theory, problem, derivation)
        return Result(
            problem,
            "Theorem" if proof else _SZS[found.status],
            time.perf_counter() - begin,
            time.thread_time() - cpu,
            spent,
            proof,
        )

    def _search(self, problem: Problem, budget: Budget) -> tuple[Found, int]:
        if self.mode == "plain":
            found = self._plain.prove(problem, budget)
            return found, found.expansions
        if self.mode == "saturate":
            found = self._saturations[0].prove(problem, budget)
            return found, found.expansions
        return self._take_turns(problem, budget)

    def _take_turns(self, problem: Problem, budget: Budget) -> tuple[Found, int]:
        end = time.perf_counter() + budget.seconds
        first = Budget(min(_FIRST_LOOK, budget.expansions), budget.seconds)
        found = self._plain.prove(problem, first)
        spent = found.expansions
        turn, waiting = _FIRST_TURN, list(self._saturations)
        while waiting and found.status is not Status.PROVED:
            for saturation in list(waiting):
                left = Budget(min(turn, budget.expansions - spent), end - time.perf_counter())
                if left.expansions <= 0 or left.seconds <= 0:
                    status = Status.SECONDS if left.expansions > 0 else Status.EXPANSIONS
                    return Found(status, spent), spent
                found = saturation.prove(problem, left)
                spent += found.expansions
                if found.status is Status.PROVED:
                    break
                if found.status in (Status.EXHAUSTED, Status.MEMORY):
                    waiting.remove(saturation)
            turn *= 2
        return found, spent


def prove(equation: str, *, theory: str | Path | Theory = "aim", seconds: float = 60.0) -> Result:
    """Proves one equation: `.status`, `.proof`, `.seconds`. A `Prover` is faster for many."""
    return Prover(theory).prove(equation, seconds=seconds)
