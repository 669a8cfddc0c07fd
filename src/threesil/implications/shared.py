"""One completion of an equation for all that it may imply.

Its shortest rules are lemmas for every goal. If it comes to an end with rules that are all
oriented, it decides all goals: those whose sides have different normal forms are refuted, also
where no finite model does it.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from threesil.engine import Budget, Completion, OrderChoice, Saturated, Status
from threesil.kernel.confluence import Convergent, NotConvergent
from threesil.kernel.naming import variable_names
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import var
from threesil.kernel.theory import Problem, Theory
from threesil.search.deciding import convergent
from threesil.search.learned import Learned

_RULES: Final = 40  # that become lemmas
_EFFORT: Final = 2.0  # seconds for the check of a convergent system, about


class Shared:
    """The theory of one equation after so many CPU seconds of completion."""

    def __init__(self, theory: Theory, seconds: float) -> None:
        self.theory = theory
        x, y = islice(variable_names(theory.signature.symbols), 2)
        run = Completion(theory, order=OrderChoice(flatten=False)).begin(
            Problem("all are equal", var(x), var(y))
        )
        status = run.run(Budget(None, seconds)).status
        self.system: Convergent | None = None
        if status is Status.EXHAUSTED:
            self.system = self._decided(run.saturated(seconds=seconds))
        proofs: dict[str, Proof] = {}
        rules = run.rules(_RULES)
        for lemma, derivation in run.lemmas(rules, seconds=seconds):
            cited = dict.fromkeys(step.equation for step in derivation.steps)
            known = [proofs[name] for name in cited if name in proofs]
            proofs[lemma.name] = certify(theory, lemma, derivation, known)
        names = [rule.equation.name for rule in rules]
        self.learned = Learned(theory, tuple(proofs[name] for name in names if name in proofs))

    def _decided(self, saturated: Saturated | None) -> Convergent | None:
        if saturated is None or saturated.unoriented:
            return None
        try:
            return convergent(self.theory, None, saturated, Budget(None, _EFFORT))
        except NotConvergent:
            return None

    def refutes(self, problem: Problem) -> bool:
        """Whether the two sides have different normal forms in a convergent system."""
        if self.system is None:
            return False
        try:
            self.system.refuting(problem)
        except NotConvergent:
            return False
        return True
