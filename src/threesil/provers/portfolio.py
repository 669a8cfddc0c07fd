"""The portfolio: our solver first, then all other provers at once, which our lemmas help."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from threesil.engine import Budget
from threesil.engine.meter import Meter
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem
from threesil.provers.outside import CLAIMED, Outside
from threesil.search.solver import CERTIFIED, Explorer, Facts, Solver

SHARE_AFTER: Final = 0.5  # as much again, at least, for what comes after our search


class Portfolio(Solver):
    """Our solver first; then all others at once, with lemmas, until one decides the problem.

    The outcome has the parts of all who tried, our own first. Seconds are of CPU time. Our search
    gets all of them, as if it were alone. After it there is what it left, or half as many if that
    is more: for finding lemmas, for each of the provers, for following their proofs.
    """

    name = "portfolio"

    def __init__(self, own: Solver, others: Sequence[Outside]) -> None:
        self.own, self.others, self.theory = own, tuple(others), own.theory
        self.note, self.untrained = own.note, own.untrained

    @property
    def explorer(self) -> Explorer | None:
        return self.own.explorer

    def solve(self, problem: Problem, budget: Budget) -> Outcome:
        return self._solve((problem,), budget)

    def solve_any(self, problems: Sequence[Problem], budget: Budget) -> Outcome:
        return self._solve(problems, budget)

    def _solve(self, problems: Sequence[Problem], budget: Budget) -> Outcome:
        begin, meter = time.perf_counter(), Meter(budget)
        one = len(problems) == 1
        own = self.own.solve(problems[0], budget) if one else self.own.solve_any(problems, budget)
        if own.status.decides or not self.others:
            return replace(own, parts=own.parts or (own,))
        from threesil.provers.team import with_help

        outcome, parts = own, [own]
        left = meter.left()
        seconds = max(left.seconds, SHARE_AFTER * budget.seconds)
        after = Meter(Budget(left.expansions, seconds, left.terms, left.stop))
        for number, problem in enumerate(problems):
            left = after.left()
            seconds = left.seconds / (len(problems) - number)
            each = replace(left, seconds=seconds, progress=budget.progress)
            outcome, others = with_help(self.own, self.others, replace(own, problem=problem), each)
            parts += others
            if outcome.status is SZS.THEOREM:
                break
        outcome = replace(outcome, seconds=time.perf_counter() - begin, parts=tuple(parts))
        spent = meter.seconds + sum(other.cpu_seconds for other in parts[1:])
        return replace(outcome, cpu_seconds=spent)

    def facts(self, seconds: float) -> Facts:
        own, others = self.own.facts(seconds), [one.facts(seconds) for one in self.others]
        names = [one.name for one in self.others]
        about = {
            "version": ", ".join(part.about["version"] for part in (own, *others)),
            "command": f"{own.about['command']} --with {','.join(names) or 'none'}",
            "proofs": f"{CERTIFIED}, or {CLAIMED}",
        }
        options = {name: dict(part.options) for name, part in zip(names, others, strict=True)}
        return Facts({"provers": options}, own.weights, about)
