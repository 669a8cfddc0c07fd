"""Proving or refuting what people type or have in files: a solver tries, a proof is finished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from threesil.engine import Budget, Hints, Stop
from threesil.engine.meter import Meter
from threesil.kernel.countermodel import check
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import Proof
from threesil.kernel.tables import Tables
from threesil.kernel.theory import Theory
from threesil.problems.targets import Target
from threesil.proofs.hints import about
from threesil.proofs.shorten import shortened
from threesil.provers.request import Request
from threesil.provers.solvers import Warm, takes_hints
from threesil.search.solver import Progress


@dataclass(frozen=True)
class Answer:
    """What came of a problem.

    `note` says which weights were used, where that is not plain; `untrained`: the solver would use
    weights of the theory, but there are none.
    """

    theory: Theory
    outcome: Outcome
    note: str = ""
    untrained: bool = False


def prove(
    targets: Sequence[Target],
    request: Request,
    stop: Stop | None = None,
    *,
    progress: Progress | None = None,
    warm: Warm | None = None,
) -> Iterator[Answer]:
    """The answers, in order, as they come: one a problem; one a target if any goal will do.

    `progress` hears of each turn of a search when it begins, and when it has ended. `warm` are
    solvers that were made for a request like this one.
    """
    warm = warm or Warm(request)
    for target in targets:
        solvers = _with_hints(target, request) or warm
        goals = [target.problems] if target.any_goal else [(one,) for one in target.problems]
        for problems in goals:
            meter = Meter(budget := request.budget(stop, progress))
            solver = solvers.take(target.theory)
            if target.any_goal:
                outcome = solver.solve_any(problems, budget)
            else:
                outcome = solver.solve(problems[0], budget)
            if outcome.proof is not None:
                with suppress(MemoryError):  # it is a proof as it is
                    proof = _finished(outcome.proof, request, meter.left())
                    outcome = replace(outcome, proof=proof)
            solvers.give(solver, outcome)
            if target.no_goal:
                outcome = _modelled(target.theory, outcome)
            yield Answer(target.theory, outcome, solver.note, solver.untrained)


def _with_hints(target: Target, request: Request) -> Warm | None:
    """Solvers that take the hints for a target, if there are any."""
    hints = Hints(about(target.theory, (*target.hints, *request.hints)))
    if not hints or not takes_hints(request, target.theory):
        return None
    return Warm(replace(request, options={**request.options, "hints": hints}))


def _finished(proof: Proof, request: Request, left: Budget) -> Proof:
    """The proof as it is wanted; what nobody asked for takes no more than what is left."""
    if request.from_axioms:
        from threesil.proofs.from_axioms import from_axioms

        proof = from_axioms(proof)
    polish = request.polish if proof.lemmas and request.expansions is None else 0.0
    seconds = max(request.shorten, min(polish, left.seconds))
    return shortened(proof, Budget(None, seconds, stop=left.stop)) if seconds > 0 else proof


def _modelled(theory: Theory, outcome: Outcome) -> Outcome:
    """What came of x = y says about the theory: it has a model, at least a trivial one."""
    reason = ""
    if outcome.model is not None:
        model = check(theory, None, outcome.model.tables)
    else:
        trivial = dict.fromkeys(theory.signature.symbols, (0,))
        model = check(theory, None, Tables(1, trivial))
        reason = "no model with two elements was found"
        if outcome.proved:
            reason = "its equations make all elements equal: there is no other model"
    found = replace(outcome, status=SZS.SATISFIABLE, model=model, proof=None, system=None)
    return replace(found, words=None, reason=reason)
