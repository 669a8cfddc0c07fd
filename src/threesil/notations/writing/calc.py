"""Proofs as people write them in Lean 4: a `calc` block with a reason for each step.

    calc x * T y x
      _ = x * (x \\ (y * x)) := congrArg (fun t => x * t) (T_def y x)
      _ = y * x := b2 x (y * x)

A reason is an equation with the values of its variables, read backwards with `.symm`, under
`congrArg` where it is used inside a term. Nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from threesil.kernel.lemmas import Chain
from threesil.kernel.proof import Step
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import RIGHT_TO_LEFT, Equation

WIDTH = 100  # of a line, where it can be broken


@dataclass(frozen=True)
class Spelled:
    """How a symbol is written: before its arguments, or as an infix, prefix or postfix operator.

    The type of a `literal`, such as 1, is known from what stands beside it alone.
    """

    text: str
    place: str = ""
    literal: bool = False


@dataclass(frozen=True)
class Cited:
    """How an equation is cited: applied to the values of these variables, in this order.

    What is `implicit` is given by name.
    """

    text: str
    variables: tuple[str, ...]
    implicit: Collection[str] = ()


@dataclass(frozen=True)
class Calc:
    """Writes terms and chains with these words for things.

    `hole` is a name that nothing else has, `kind` the type of all elements, `filler` an element,
    for variables that an equation takes and does not mention.
    """

    symbols: Mapping[str, Spelled]
    variable: Callable[[str], str]
    cite: Callable[[Equation], Cited]
    hole: str
    kind: str
    filler: str = ""

    def term(self, term: Term, position: Position | None = None) -> str:
        """A term, with the hole at `position` if one is given."""
        parts: list[str] = []
        stack: list[str | tuple[Term, Position | None, str]] = [(term, position, "")]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            t, path, around = item
            if path == ():
                parts.append(self.hole)
                continue
            if t.is_variable:
                parts.append(self.variable(t.head))
                continue
            spelled = self.symbols[t.head]
            below = [
                (arg, path[1:] if path and path[0] == index else None)
                for index, arg in enumerate(t.args)
            ]
            if not below:
                parts.append(spelled.text)
                continue
            place = spelled.place
            if around and not (around == "infix" and place in ("", "postfix")):
                parts.append("(")
                stack.append(")")
            if place == "infix":
                (left, at_left), (right, at_right) = below
                stack += [(right, at_right, place), f" {spelled.text} ", (left, at_left, place)]
            elif place == "postfix":
                stack += [spelled.text, (*below[0], place)]
            elif place == "prefix":
                stack += [(*below[0], place), spelled.text]
            else:
                for one in reversed(below):
                    stack += [(*one, "applied"), " "]
                stack.append(spelled.text)
        return "".join(parts)

    def typed(self, term: Term) -> str:
        """A term that stands where nothing else says what type it has."""
        text = self.term(term)
        if any(t.is_variable for t in term.distinct()):
            return text
        return f"({text} : {self.kind})"

    def for_all(self, variables: Sequence[str]) -> str:
        names = " ".join(map(self.variable, variables))
        return f"∀ {names} : {self.kind}, " if names else ""

    def claim(self, chain: Chain) -> str:
        """What a chain shows about its variables."""
        problem = chain.proof.problem
        there = "".join(f"∃ {self.variable(name)} : {self.kind}, " for name in problem.exists)
        return f"{there}{self.equation(problem.start, problem.target or chain.end)}"

    def equation(self, left: Term, right: Term) -> str:
        return f"{self.typed(left)} = {self.term(right)}"

    def chain(self, chain: Chain, indent: str) -> str:
        """The proof that the first term of the chain is the last one, and its witnesses."""
        derivation = chain.proof.derivation
        exists = chain.proof.problem.exists
        opened = "".join(f"{self.term(derivation.witnesses[name])}, " for name in exists)
        before, after = ("⟨" + opened, "⟩") if exists else ("", "")
        steps = derivation.steps
        reasons = [
            self._reason(term, step, chain.cited[step.equation])
            for term, step in zip(derivation.terms, steps, strict=False)
        ]
        if len(steps) < 2:
            return f"{before}{reasons[0] if steps else 'rfl'}{after}"
        lines = [f"{before}calc {self.typed(derivation.start)}"]
        for step, reason in zip(steps, reasons, strict=True):
            said = f"{indent}_ = {self.term(step.result)} :="
            fits = len(said) + 1 + len(reason) <= WIDTH
            lines.append(f"{said} {reason}" if fits else f"{said}\n{indent}    {reason}")
        return "\n".join(lines) + after

    def _reason(self, before: Term, step: Step, equation: Equation) -> str:
        cited = self.cite(equation)
        values = [self._value(step, name, name in cited.implicit) for name in cited.variables]
        proof = " ".join([cited.text, *values])
        applied = f"({proof})" if values else proof
        if step.direction is RIGHT_TO_LEFT:
            proof = applied = f"{applied}.symm"
        if not step.position:
            return proof
        body = self.term(before, step.position)
        literal = any(spelled.literal for spelled in self.symbols.values())
        typed = f"{self.hole} : {self.kind}" if literal else self.hole
        return f"congrArg (fun {typed} => {body}) {applied}"

    def _value(self, step: Step, name: str, implicit: bool) -> str:
        value = step.substitution.get(name)
        text = self.filler if value is None else self.term(value)
        if implicit:
            return f"({name} := {text})"
        return f"({text})" if value is not None and value.args else text
