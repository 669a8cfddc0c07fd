"""One pair: proofs and counter-models are looked for in turn, and certified.

Where completion comes to an end with oriented rules, different normal forms refute the pair.

Small interpretations come first, then short looks of saturation and completion, the rest of the
library, and then ever longer turns of completion, saturation and the finder of models.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from threesil.engine import (
    Budget,
    Completion,
    CompletionRun,
    Found,
    Saturation,
    Status,
    Stop,
    Stopped,
)
from threesil.engine.laws import Laws
from threesil.implications.equations import EquationList, Pair
from threesil.implications.library import library
from threesil.kernel.confluence import Convergent, NotConvergent
from threesil.kernel.countermodel import Countermodel, check
from threesil.kernel.outcome import OUT_OF_MEMORY, SZS, told
from threesil.kernel.proof import Derivation, Proof, certify
from threesil.kernel.theory import Problem, Theory
from threesil.search.deciding import convergent
from threesil.search.finite.finder import Finder

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
    model: Countermodel | Convergent | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        shown = (self.proof is not None, self.model is not None)
        if shown != (self.status is SZS.THEOREM, self.status is SZS.COUNTER_SATISFIABLE):
            raise ValueError(f"{self.status} without its certificate, or with another")


class Prover:
    """Looks for a proof of one pair, as long as it is given time.

    The search may know further equations, if their proofs are given as `lemmas`.
    """

    def __init__(
        self,
        theory: Theory,
        problem: Problem,
        extended: Theory | None = None,
        lemmas: Mapping[str, Proof] = MappingProxyType({}),
    ) -> None:
        self.theory, self.problem, self.lemmas = theory, problem, lemmas
        self.system: Convergent | None = None  # that refutes the problem
        searched = extended or theory
        self._completion: CompletionRun | None = Completion(searched).begin(problem)
        self._saturation: Saturation | None = Saturation(searched)
        self.full = False
        """whether one of them ran out of memory"""

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
            if found.status is Status.EXHAUSTED:
                self._decide(self._completion, seconds)
            if found.status in _ENDED:
                self._completion = None
                self.full |= found.status is Status.MEMORY
        if self._saturation is not None and self.system is None:
            found = self._saturation.prove(self.problem, budget)
            if found.derivation is not None:
                return self._certified(found)
            if found.status in _ENDED:
                self._saturation = None
                self.full |= found.status is Status.MEMORY
        return None

    def _decide(self, completion: CompletionRun, seconds: float) -> None:
        """A completion that came to an end may refute the problem."""
        saturated = None if self.lemmas else completion.saturated(seconds=seconds)
        if saturated is not None and not saturated.unoriented:
            with suppress(NotConvergent):
                budget = Budget(None, seconds)
                self.system = convergent(self.theory, self.problem, saturated, budget)

    def _certified(self, found: Found) -> Proof:
        assert found.derivation is not None
        proofs = dict(self.lemmas)

        def certified(problem: Problem, derivation: Derivation) -> Proof:
            cited = dict.fromkeys(step.equation for step in derivation.steps)
            known = [proofs[name] for name in cited if name in proofs]
            return certify(self.theory, problem, derivation, known)

        for lemma, derivation in found.lemmas:
            proofs[lemma.name] = certified(lemma, derivation)
        return certified(self.problem, found.derivation)


def prove(
    theory: Theory,
    problem: Problem,
    seconds: float,
    extended: Theory | None = None,
    lemmas: Mapping[str, Proof] = MappingProxyType({}),
) -> Proof | None:
    """Looks for a proof for so many CPU seconds."""
    begin = time.thread_time()
    prover, turn = Prover(theory, problem, extended, lemmas), _LOOK
    while (
        prover.system is None
        and not prover.ended
        and (left := seconds - (time.thread_time() - begin)) > 0
    ):
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
        """Looks for a proof or a counter-model for so many CPU seconds.

        A lack of memory, or what nobody expected, leaves the pair open, and says why.
        """
        begin = time.thread_time()
        try:
            return self._decide(pair, seconds, stop)
        except Stopped:
            status, reason = SZS.USER, ""
        except MemoryError:
            status, reason = SZS.RESOURCE_OUT, OUT_OF_MEMORY
        except Exception as error:
            status, reason = SZS.ERROR, told(error)
        return Decision(pair, status, time.thread_time() - begin, reason=reason)

    def _decide(self, pair: Pair, seconds: float, stop: Stop | None) -> Decision:
        begin = time.thread_time()

        def left() -> float:
            return seconds - (time.thread_time() - begin)

        def decision(
            proof: Proof | None, model: Countermodel | Convergent | None, reason: str
        ) -> Decision:
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
        if proof is not None or prover.system is not None or over():
            return decision(proof, prover.system, "")
        model = self._known(pair, _TINY, len(self._laws), left(), stop)
        if model is not None or over():
            return decision(None, model, "")
        finder: Finder | None = Finder(theory, [problem], smallest=3)
        turn = _LOOK
        reason = ""
        while not over() and not (prover.ended and finder is None):
            turn *= 2
            proof = prover.run(min(left(), turn), stop)
            if proof is not None or prover.system is not None:
                return decision(proof, prover.system, "")
            if finder is not None and not over():
                sought = finder.run(Budget(None, min(left(), turn), stop=stop))
                if sought.models[0] is not None:
                    return decision(None, sought.models[0], "")
                if sought.status in _ENDED:
                    finder, reason = None, sought.reason
        found = decision(None, None, reason)
        if found.status is SZS.GAVE_UP and prover.full:
            return replace(found, status=SZS.RESOURCE_OUT, reason=OUT_OF_MEMORY)
        return found

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
