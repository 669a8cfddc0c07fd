"""Completion of a theory without a goal: rules that decide its equations, where it ends.

Several orders are tried in turn, each with more and more critical pairs, until one leads to a set
of rules that completion has nothing to add to and that the kernel accepts. The goal x = y stands
in for none: if it is proved, all equations hold, and there is nothing to decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, islice, product

from threesil.engine import Budget, Completion, OrderChoice, Status, Stop
from threesil.engine.meter import Meter
from threesil.kernel.confluence import Convergent, NotConvergent
from threesil.kernel.naming import variable_names
from threesil.kernel.outcome import Turn
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import var
from threesil.kernel.theory import Problem, Theory
from threesil.search.deciding import convergent, relevant

_PAIRS = 500  # critical pairs of the first turn of an order
_ORDERS = tuple(OrderChoice(last, light) for last, light in product((True, False), repeat=2))


@dataclass(frozen=True)
class Completed:
    """What came of it: a system, or a proof that all elements are equal, or a reason why not."""

    theory: Theory
    system: Convergent | None = None
    trivial: Proof | None = None
    reason: str = ""
    turns: tuple[Turn, ...] = ()


def complete(
    theory: Theory,
    seconds: float = 60.0,
    stop: Stop | None = None,
    progress: Callable[[Turn], None] | None = None,
) -> Completed:
    """Looks for rules that decide the theory, for so many seconds of CPU time."""
    first, second = (var(name) for name in islice(variable_names(theory.signature.symbols), 2))
    goal = Problem(f"{first.head} = {second.head}", first, second)
    base = relevant(theory)
    meter = Meter(Budget(None, seconds, stop=stop, progress=progress))
    waiting = {
        _called(order): Completion(base, order=order).begin(goal) for order in reversed(_ORDERS)
    }
    reason = "no order led to rules that are complete"
    for turn in count():
        if not waiting:
            return Completed(theory, reason=reason, turns=tuple(meter.turns))
        for name, run in reversed(list(waiting.items())):
            if meter.spent is not None:
                why = "stopped" if meter.spent is Status.STOPPED else f"{reason} in the time"
                return Completed(theory, reason=why, turns=tuple(meter.turns))
            found = run.run(meter.left(_PAIRS << turn))
            meter.turn(name, found)
            if found.derivation is not None:
                proofs: list[Proof] = []
                for lemma, derivation in found.lemmas:
                    proofs.append(certify(theory, lemma, derivation, proofs))
                proof = certify(theory, goal, found.derivation, proofs)
                return Completed(theory, trivial=proof, turns=tuple(meter.turns))
            saturated = run.saturated(stop) if found.status is Status.EXHAUSTED else None
            if saturated is not None:
                try:
                    system = convergent(theory, None, saturated, meter.left())
                    return Completed(theory, system, turns=tuple(meter.turns))
                except NotConvergent as error:
                    reason = str(error)
            if found.status not in (Status.EXPANSIONS, Status.SECONDS):
                del waiting[name]
    raise AssertionError("it ends in the loop")


def _called(order: OrderChoice) -> str:
    places = "frequent symbols last" if order.frequent_last else "frequent symbols first"
    return f"{places}, a light unary one" if order.light_unary else places
