"""Convergent systems as JSON: everything that the kernel needs to check them again.

    {"format": "threesil-system-1", "theory": "groups", "digest": "3d5f...",
     "shows": ["i(e) -> e", "e * x -> x", ...],
     "order": {"weights": {"*": 1, "i": 0, "e": 1}, "variable": 1, "precedence": ["e", "*", "i"]},
     "problem": {"name": "p1", "start": 3, "target": 4, "exists": []},
     "equations": [...], "symbols": {...}, "infix": {...},
     "terms": [...], "lemmas": [{"problem": "rule 7", "start": 7, "steps": [...]}, ...],
     "rules": [4, 0, ...]}

`equations`, `symbols` and `infix` are the theory, `terms` and `lemmas` as in a proof
(`proof_json`); `rules` are numbers in the list of lemmas. `problem` is null where nothing is
refuted. `shows` is there for people.
"""

from __future__ import annotations

from typing import Any

from threesil.files import limits
from threesil.files.json_text import is_count
from threesil.kernel.confluence import Convergent, NotConvergent, Order, check
from threesil.kernel.lemmas import chains, in_order
from threesil.kernel.naming import variable_names
from threesil.kernel.proof import Proof
from threesil.kernel.terms import var
from threesil.kernel.theory import Theory
from threesil.notations.infix import format_term
from threesil.notations.proof_json import ChainReader, StoredJson, TermNumbers, TermTable, typed
from threesil.notations.tokens import shown_symbol

FORMAT = "threesil-system-1"


def shown_rules(system: Convergent) -> list[str]:
    """The rules as people read them."""
    signature = system.theory.signature
    shown = []
    for rule in system.rules:
        names = zip(rule.problem.variables, variable_names(signature.symbols), strict=False)
        usual = {name: var(new) for name, new in names}
        equation = rule.equation()
        left, right = (t.substitute(usual) for t in (equation.lhs, equation.rhs))
        shown.append(f"{format_term(left, signature)} -> {format_term(right, signature)}")
    return shown


def shown_order(system: Convergent) -> str:
    """Weights and precedence as people read them."""
    order = system.order
    weights = ", ".join(f"{shown_symbol(f)} {weight}" for f, weight in order.weights.items())
    precedence = " < ".join(map(shown_symbol, order.precedence))
    return f"{precedence}; weights {weights}, variables {order.variable}"


def refuted(system: Convergent) -> str:
    """The two different normal forms of the problem's sides."""
    problem, signature = system.problem, system.theory.signature
    assert problem is not None and problem.target is not None
    forms = (system.normal_form(side) for side in (problem.start, problem.target))
    return " and ".join(format_term(form, signature) for form in forms) + " are different"


def system_to_json(system: Convergent) -> dict[str, Any]:
    """A system as a JSON object, with the proof of each rule."""
    table = TermTable()
    rules = {id(rule): number for number, rule in enumerate(system.rules)}
    ordered: dict[int, Proof] = {}
    for rule in system.rules:  # those that others cite come first, so that each is written once
        ordered |= {id(one): one for one in in_order(rule) if id(one) in rules}
    listed = chains(ordered.values())
    place = {id(chain.proof): k for k, chain in enumerate(listed) if not chain.is_lemma}
    order = system.order
    equations = [table.equation(equation) for equation in system.theory.equations]
    return {
        "format": FORMAT,
        "theory": system.theory.name,
        "digest": system.theory.digest,
        "shows": shown_rules(system),
        "order": {
            "weights": dict(order.weights),
            "variable": order.variable,
            "precedence": list(order.precedence),
        },
        "problem": table.problem(system.problem),
        "equations": equations,
        "symbols": dict(system.theory.signature.symbols),
        "infix": dict(system.theory.signature.infix),
        "terms": table.nodes,
        "lemmas": table.lemmas(listed),
        "rules": [place[id(rule)] for rule in system.rules],
    }


class StoredSystem(StoredJson):
    """A convergent system."""

    @property
    def name(self) -> str:
        return super().name if self.value.get("problem") else self.theory

    def certified(self, theory: Theory | None = None) -> Convergent:
        """The system, if the kernel takes it; `NotConvergent` or `NotAProof` if not.

        Without a theory, it is the one that the file describes.
        """
        if theory is None:
            theory = self._own_theory("equations", TermNumbers(self.value, self.source))
        elif self.digest != theory.digest:
            raise NotConvergent(self._of_another(theory))
        if self.value.get("format") != FORMAT:
            message = f"a system in the unknown format {self.value.get('format')}"
            raise self._fail(f"{message}; this threesil reads {FORMAT}")
        reader = ChainReader(self.value, theory, self.source, {})
        rules = self._get("rules", list, "a list")
        if not all(type(k) is int and 0 <= k < len(reader.own) for k in rules):
            raise self._fail("rules should be numbers of lemmas")
        problem, listed = self._problem(reader.terms), [reader.own[k] for k in rules]
        return check(theory, problem, self._order(), listed)

    def _order(self) -> Order:
        value = self._get("order", dict, "an object")
        weights = typed(value, "weights", dict, "an object", self.source)
        variable = typed(value, "variable", int, "a number", self.source)
        precedence = typed(value, "precedence", list, "a list", self.source)
        if not all(type(symbol) is str for symbol in precedence):
            raise self._fail("precedence should be a list of symbols")
        if not all(is_count(weight, limits.WEIGHT) for weight in (*weights.values(), variable)):
            raise self._fail(f"weights should be numbers, {limits.WEIGHT:,} at the most")
        return Order(weights, variable, tuple(precedence))
