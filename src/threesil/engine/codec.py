"""Terms as prefix codes, the language of the native core.

Codes are numbered in this order: the symbols of the signature; the equality symbol, for theories
whose goal is an equation; the cursor, a unary node, where a state is one term; the problem's own
variables as constants, by first appearance. An introduced variable X_i is -(i + 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from threesil.errors import InputError
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Goal, Problem, Theory

EQUALITY = "="
CURSOR = "<cursor>"


class Codec:
    """Translates between terms of a theory and prefix codes."""

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.symbols: list[str] = list(theory.signature.symbols)
        self.arity: list[int] = list(theory.signature.symbols.values())
        self.equality = -1
        if theory.goal is Goal.EQUATION:
            self.equality = len(self.symbols)
            self.symbols.append(EQUALITY)
            self.arity.append(2)
        self.symbols.append(CURSOR)
        self.arity.append(1)
        self._number = {symbol: number for number, symbol in enumerate(self.symbols)}

    def constants(self, problem: Problem) -> tuple[str, ...]:
        """The problem's variables, which the core treats as constants."""
        names = dict.fromkeys(problem.start.variables())
        if problem.target is not None:
            names |= dict.fromkeys(problem.target.variables())
        return tuple(names)

    def encode(self, term: Term, variables: Mapping[str, int]) -> list[int]:
        """Prefix codes of a term; `variables` gives the code of each variable."""
        codes = []
        for t in term.subterms():
            if t.is_variable:
                if t.head not in variables:
                    raise InputError(f"the variable {t.head} is not allowed here")
                codes.append(variables[t.head])
            else:
                if self.theory.signature.symbols.get(t.head) != len(t.args):
                    raise InputError(
                        f"{t.head} with {len(t.args)} arguments is not a symbol of "
                        f"{self.theory.name}"
                    )
                codes.append(self._number[t.head])
        return codes

    def problem(self, problem: Problem) -> tuple[list[int], list[int]]:
        """(start, target) codes of a problem; for an equation both sides make the start."""
        names = self.constants(problem)
        if names and self.theory.goal is not Goal.EQUATION:
            raise InputError(f"problem {problem.name}: unknown symbol {names[0]}")
        codes = {name: len(self.symbols) + i for i, name in enumerate(names)}
        start = self.encode(problem.start, codes)
        if self.theory.goal is Goal.NORMAL_FORM:
            return start, []
        if problem.target is None:
            raise InputError(
                f"problem {problem.name}: a problem of {self.theory.name} needs a target"
            )
        target = self.encode(problem.target, codes)
        if self.theory.goal is Goal.EQUATION:
            return [self.equality, *start, *target], []
        return start, target

    def decode(
        self, codes: Iterable[int], constants: Sequence[str], introduced: Mapping[int, str]
    ) -> Term:
        """The term of prefix codes. `introduced` names the variables X_i."""
        operands: list[Term] = []
        for code in reversed(list(codes)):
            if code < 0:
                operands.append(var(introduced[-code - 1]))
            elif code < len(self.symbols):
                args = [operands.pop() for _ in range(self.arity[code])]
                operands.append(app(self.symbols[code], *args))
            else:
                operands.append(var(constants[code - len(self.symbols)]))
        (term,) = operands
        return term
