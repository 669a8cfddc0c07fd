"""What completion has found, offered to a saturation: its shortest rules as further equations."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from threesil.engine import Budget, CompletionRun, Found, Rule, Saturation, Status
from threesil.naming import fresh_name
from threesil.proof import Derivation
from threesil.theory import Equation, Problem, Theory


class SharedRules:
    """A saturation that takes the shortest rules of a completion under way, anew with each run."""

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
            return Found(Status.EXPANSIONS, 0)
        theory = self._theory.extended(_equation(rule.equation) for rule in rules.values())
        found = Saturation(theory).prove(self._problem, budget)
        if found.derivation is None:
            return found
        chains = [found.derivation, *(chain for _, chain in found.lemmas)]
        cited = {step.equation for chain in chains for step in chain.steps}
        return self._with_lemmas(found, [rules[name] for name in rules if name in cited], budget)

    def _with_lemmas(self, found: Found, used: list[Rule], budget: Budget) -> Found:
        """The proof with the lemmas that prove the rules it cites; its own get other names."""
        lemmas = self._completion.lemmas(used, budget.stop)
        if used and not lemmas:
            return Found(Status.LENGTH, found.expansions)
        taken = {problem.name for problem, _ in lemmas}
        taken.update(equation.name for equation in self._theory.equations)
        names: dict[str, str] = {}
        own = []
        for problem, chain in found.lemmas:
            names[problem.name] = fresh_name(problem.name, taken)
            taken.add(names[problem.name])
            own.append((replace(problem, name=names[problem.name]), _renamed(chain, names)))
        assert found.derivation is not None
        derivation = _renamed(found.derivation, names)
        return replace(found, derivation=derivation, lemmas=lemmas + tuple(own))


def _equation(rule: Problem) -> Equation:
    assert rule.target is not None
    return Equation(rule.name, rule.start, rule.target, "known")


def _renamed(chain: Derivation, names: dict[str, str]) -> Derivation:
    steps = (replace(s, equation=names.get(s.equation, s.equation)) for s in chain.steps)
    return replace(chain, steps=tuple(steps))
