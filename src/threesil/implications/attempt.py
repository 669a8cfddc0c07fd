"""One pair: proofs and counter-models are looked for in turn, and certified.

Small interpretations come first, then short looks of saturation and completion, the rest of the
library, and then ever longer turns of completion, saturation and the finder of models.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from threesil.countermodel import Countermodel, check
from threesil.engine import Budget, Completion, CompletionRun, Found, Saturation, Status, Stop
from threesil.engine.laws import Laws
from threesil.implications.equations import EquationList, Pair
from threesil.implications.library import library
from threesil.models.finder import Finder
from threesil.outcome import SZS
from threesil.proof import Proof, certify
from threesil.theory import Problem, Theory

_TINY: Final = 64  # interpretations that are tried before anything else
_LOOK: Final = 0.002  # seconds of the first looks
_ENDED: Final = (Status.EXHAUSTED, Status.MEMORY, Status.LENGTH)


@dataclass(frozen=True)
class Decision:
    """What came of a pair, with its certificate if it is decided."""

    pair: Pair
    status: SZS
    cpu_seconds: float
    proof: Proof | None = None
    model: Countermodel | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        shown = (self.proof is not None, self.model is not None)
        if shown != (self.status is SZS.THEOREM, self.status is SZS.COUNTER_SATISFIABLE):
            raise ValueError(f"{self.status} without its certificate, or with another")


class Prover:
    """Looks for a proof of one pair, as long as it is given time."""

    def __init__(self, theory: Theory, problem: Problem) -> None:
        self.theory, self.problem = theory, problem
        self._completion: CompletionRun | None = Completion(theory).begin(problem)
        self._saturation: Saturation | None = Saturation(theory)

    @property
    def ended(self) -> bool:
        """Whether nothing is left to try."""
        return self._completion is None and self._saturation is None

    def run(self, seconds: float, stop: Stop | None = None) -> Proof | None:
        """A turn of each search, of so many CPU seconds."""
        budget = Budget(None, seconds, stop=stop)
        if self._completion is not None:
            found = self._completion.run(budget)
            if found.derivation is not None:
                return self._certified(found)
            if found.status in _ENDED:
                self._completion = None
        if self._saturation is not None:
            found = self._saturation.prove(self.problem, budget)
            if found.derivation is not None:
                return self._certified(found)
            if found.status in _ENDED:
                self._saturation = None
        return None

    def _certified(self, found: Found) -> Proof:
        assert found.derivation is not None
        lemmas: list[Proof] = []
        for lemma, derivation in found.lemmas:
            lemmas.append(certify(self.theory, lemma, derivation, lemmas))
        return certify(self.theory, self.problem, found.derivation, lemmas)


def prove(theory: Theory, problem: Problem, seconds: float) -> Proof | None:
    """Looks for a proof for so many CPU seconds."""
    begin = time.thread_time()
    prover, turn = Prover(theory, problem), _LOOK
    while not prover.ended and (left := seconds - (time.thread_time() - begin)) > 0:
        proof = prover.run(min(turn, left))
        if proof is not None:
            return proof
        turn *= 2
    return None


class Decider:
    """Decides pairs of a list, one after the other; it keeps the library of interpretations.

    One thread at a time.
    """

    def __init__(self, given: EquationList) -> None:
        self.given = given
        self._laws = Laws(given.signature, given.sides)
        self._tables = list(library(given.signature))
        for tables in self._tables:
            self._laws.add(tables)

    def decide(self, pair: Pair, seconds: float, stop: Stop | None = None) -> Decision:
        """Looks for a proof or a counter-model for so many CPU seconds."""
        begin = time.thread_time()

        def left() -> float:
            return seconds - (time.thread_time() - begin)

        def decision(proof: Proof | None, model: Countermodel | None, reason: str) -> Decision:
            status = SZS.TIMEOUT if left() <= 0 else SZS.GAVE_UP
            if stop is not None and stop.is_set():
                status = SZS.USER
            if proof is not None or model is not None:
                status = SZS.THEOREM if proof else SZS.COUNTER_SATISFIABLE
            return Decision(pair, status, time.thread_time() - begin, proof, model, reason)

        def over() -> bool:
            return left() <= 0 or (stop is not None and stop.is_set())

        theory, problem = self.given.theory(pair[0]), self.given.problem(pair)
        model = self._known(pair, 0, _TINY, left(), stop)
        if model is not None or over():
            return decision(None, model, "")
        prover = Prover(theory, problem)
        proof = prover.run(min(left(), _LOOK), stop)
        if proof is not None or over():
            return decision(proof, None, "")
        model = self._known(pair, _TINY, len(self._laws), left(), stop)
        if model is not None or over():
            return decision(None, model, "")
        finder: Finder | None = Finder(theory, [problem], smallest=3)
        turn = _LOOK
        reason = ""
        while not over() and not (prover.ended and finder is None):
            turn *= 2
            proof = prover.run(min(left(), turn), stop)
            if proof is not None:
                return decision(proof, None, "")
            if finder is not None and not over():
                sought = finder.run(Budget(None, min(left(), turn), stop=stop))
                if sought.models[0] is not None:
                    return decision(None, sought.models[0], "")
                if sought.status in _ENDED:
                    finder, reason = None, sought.reason
        return decision(None, None, reason)

    def _known(
        self, pair: Pair, first: int, last: int, seconds: float, stop: Stop | None
    ) -> Countermodel | None:
        """A model of the library, checked by the kernel."""
        number = self._laws.refuting(*pair, first, last, seconds=seconds, stop=stop)
        if number is None:
            return None
        values = self._laws.failing(pair[1], number, stop)
        theory, problem = self.given.theory(pair[0]), self.given.problem(pair)
        return check(theory, problem, self._tables[number], values)
