"""What one search has found, offered to another as further equations.

A saturation takes the shortest rules of a completion, a completion the shortest equations of a
saturation. A proof that cites any of these is given their proofs as lemmas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from threesil.engine import (
    Budget,
    CompletionRun,
    Derived,
    Found,
    Lemmas,
    Saturation,
    SaturationRun,
    Status,
)
from threesil.engine.meter import Meter
from threesil.kernel.naming import fresh_name, is_instance
from threesil.kernel.proof import Derivation
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.search.searcher import Search


class SharedRules:
    """A saturation that takes the shortest rules of a completion under way, again with each run."""

    name: Final = "saturate with rules"

    def __init__(
        self, theory: Theory, problem: Problem, completion: CompletionRun, count: int
    ) -> None:
        self._theory, self._problem = theory, problem
        self._completion, self._count = completion, count

    def run(self, budget: Budget) -> Found:
        known = {(equation.lhs, equation.rhs) for equation in self._theory.equations}
        rules = {
            rule.equation.name: rule
            for rule in self._completion.rules(self._count)
            if (rule.equation.start, rule.equation.target) not in known
        }
        if not rules:
            return Found(Status.EXHAUSTED if self._completion.ended else Status.EXPANSIONS, 0)
        theory = _extended(self._theory, (rule.equation for rule in rules.values()))
        found = Saturation(theory).prove(self._problem, budget)
        used = [rules[name] for name in rules if name in _cited(found)]
        lemmas = self._completion.lemmas(used, budget.stop, budget.whole) if used else ()
        if used and not lemmas:
            return Found(Status.LENGTH, found.expansions)
        return _with_lemmas(self._theory, found, lemmas)


class SharedEquations:
    """A completion that begins with the shortest equations of a saturation under way."""

    name: Final = "complete with equations"

    def __init__(
        self,
        theory: Theory,
        problem: Problem,
        saturation: SaturationRun,
        begin: Callable[[Theory], Search],
        count: int,
        size: int,
    ) -> None:
        """At most `count` equations, of `size` nodes; `begin` is a completion in a theory."""
        self._theory, self._problem, self._saturation = theory, problem, saturation
        self._begin, self._count, self._size = begin, count, size
        self.offered: list[Derived] = []
        self._search: Search | None = None

    def run(self, budget: Budget) -> Found:
        meter = Meter(budget)
        if self._search is None:
            self.offered = self._found(budget)
            if not self.offered:
                return Found(Status.EXHAUSTED, 0)
            theory = _extended(self._theory, (derived.equation for derived in self.offered))
            self._search = self._begin(theory)
        found = self._search.run(meter.left())
        cited = _cited(found)
        used = (derived.lemmas() for derived in self.offered if derived.equation.name in cited)
        found = _with_lemmas(self._theory, found, tuple(one for lemmas in used for one in lemmas))
        return replace(found, saturated=None)  # it would be about another theory

    def _found(self, budget: Budget) -> list[Derived]:
        """Without instances of the theory's equations and of one another."""
        known = [(equation.lhs, equation.rhs) for equation in self._theory.equations]
        kept = []
        for derived in self._saturation.equations(self._count, self._size, budget):
            equation = derived.equation
            assert equation.target is not None
            sides = equation.start, equation.target
            if not any(is_instance(sides, other) for other in known):
                known.append(sides)
                kept.append(derived)
        return kept


def _extended(theory: Theory, equations: Iterable[Problem]) -> Theory:
    known = []
    for equation in equations:
        assert equation.target is not None
        known.append(Equation(equation.name, equation.start, equation.target, "known"))
    return theory.extended(known)


def _cited(found: Found) -> set[str]:
    if found.derivation is None:
        return set()
    chains = [found.derivation, *(chain for _, chain in found.lemmas)]
    return {step.equation for chain in chains for step in chain.steps}


def _with_lemmas(theory: Theory, found: Found, lemmas: Lemmas) -> Found:
    """The proof with lemmas that it cites besides its own, which get other names."""
    if found.derivation is None:
        return found
    taken = {problem.name for problem, _ in lemmas}
    taken.update(equation.name for equation in theory.equations)
    names: dict[str, str] = {}
    own = []
    for problem, chain in found.lemmas:
        names[problem.name] = fresh_name(problem.name, taken)
        taken.add(names[problem.name])
        own.append((replace(problem, name=names[problem.name]), _renamed(chain, names)))
    derivation = _renamed(found.derivation, names)
    return replace(found, derivation=derivation, lemmas=lemmas + tuple(own))


def _renamed(chain: Derivation, names: dict[str, str]) -> Derivation:
    steps = (replace(s, equation=names.get(s.equation, s.equation)) for s in chain.steps)
    return replace(chain, steps=tuple(steps))
