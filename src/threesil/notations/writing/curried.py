"""Chains of rewrites as terms of type theory, for checkers that never have to search.

An operation is a function, `(mul x y)` its value. The step at a position is a congruence: the
term around the position as a function, applied to the equation under the step's substitution,
turned round where the step reads it backwards. The steps of a chain are joined by transitivity,
in a balanced tree, so that a chain of thousands of steps is nested a dozen levels deep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import Chain
from threesil.kernel.proof import Step
from threesil.kernel.terms import Position, Term, var
from threesil.kernel.theory import RIGHT_TO_LEFT, Equation, Problem
from threesil.notations.renaming import Identifiers
from threesil.notations.writing.parts import arguments, occurring

HOLE = "_z"  # the argument of the function that a congruence applies


@dataclass(frozen=True)
class Syntax:
    """How a language writes claims and proofs of equations; `{left}` and the like are filled in.

    `congruence` has a function's `body`, the two sides that it is applied to and the `proof` that
    these are equal; `witness` a `predicate`, a `value` and the `proof` that the value has it.
    """

    for_all: str
    exists: str
    arrow: str
    congruence: str
    symmetry: str
    transitivity: str
    reflexivity: str
    witness: str


class Calculus:
    """Writes terms, claims and proofs under the identifiers that `names` gives to things.

    Nothing has the identifier `HOLE`, or `U`, which is the type of all values.
    """

    def __init__(self, syntax: Syntax, names: Identifiers) -> None:
        self.syntax, self.names = syntax, names

    def symbol(self, name: str) -> str:
        return self.names.of("op", name)

    def variable(self, name: str) -> str:
        return self.names.of("var", name)

    def equation(self, name: str) -> str:
        return self.names.of("eq", name)

    def term(self, term: Term, position: Position | None = None) -> str:
        """A term, with the hole at `position` if one is given."""
        parts: list[str] = []
        stack: list[tuple[Term, Position | None] | str] = [(term, position)]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            t, path = item
            if path == ():
                parts.append(HOLE)
            elif t.is_variable:
                parts.append(self.variable(t.head))
            elif not t.args:
                parts.append(self.symbol(t.head))
            else:
                parts.append(f"({self.symbol(t.head)}")
                stack.append(")")
                for index in range(len(t.args) - 1, -1, -1):
                    below = path[1:] if path and path[0] == index else None
                    stack.append((t.args[index], below))
                    stack.append(" ")
        return "".join(parts)

    def axiom(self, equation: Equation) -> str:
        """What an equation says."""
        return self._for_all(occurring(equation), self._equation(equation.lhs, equation.rhs))

    def statement(self, chain: Chain) -> str:
        """What a chain shows."""
        problem = chain.proof.problem
        return self.claim(problem, problem.target or chain.end)

    def claim(self, problem: Problem, target: Term) -> str:
        """What a problem asks, with this term on the right side."""
        said = self._exist(problem.exists, self._equation(problem.start, target))
        return self._for_all([v for v in problem.variables if v not in problem.exists], said)

    def proof(self, chain: Chain) -> str:
        """The term whose type that is: a function of the variables, witnesses before the chain."""
        problem = chain.proof.problem
        proof = self.chain(chain)
        sides = problem.start, problem.target or chain.end
        values = dict(chain.proof.derivation.witnesses)
        for number in range(len(problem.exists) - 1, -1, -1):
            # The witnesses before this one are in their places, those after it are still to come.
            name, *after = problem.exists[number:]
            value = values.pop(name)
            said = self._exist(after, self._equation(*(side.substitute(values) for side in sides)))
            predicate = f"(fun ({self.variable(name)} : U) => {said})"
            proof = self.syntax.witness.format(
                predicate=predicate, value=self.term(value), proof=proof
            )
        names = " ".join(map(self.variable, arguments(chain)))
        return f"fun ({names} : U) =>\n  {proof}" if names else proof

    def _equation(self, left: Term, right: Term) -> str:
        return f"{self.term(left)} = {self.term(right)}"

    def _for_all(self, variables: Sequence[str], said: str) -> str:
        names = " ".join(map(self.variable, variables))
        return f"{self.syntax.for_all} ({names} : U), {said}" if names else said

    def _exist(self, variables: Sequence[str], said: str) -> str:
        return "".join(f"{self.syntax.exists} ({self.variable(v)} : U), " for v in variables) + said

    def chain(self, chain: Chain) -> str:
        """The proof that the chain's first term equals its last."""
        derivation = chain.proof.derivation
        if not derivation.steps:
            return self.syntax.reflexivity.format(term=self.term(derivation.start))
        steps = zip(derivation.terms, derivation.steps, strict=False)
        return self._joined(
            [self._step(before, step, chain.cited[step.equation]) for before, step in steps]
        )

    def _joined(self, proofs: Sequence[str]) -> str:
        both = self.syntax.transitivity.format
        while len(proofs) > 1:
            pairs = zip(proofs[::2], proofs[1::2], strict=False)
            odd = proofs[len(proofs) // 2 * 2 :]
            proofs = [*(both(first=first, second=second) for first, second in pairs), *odd]
        return proofs[0]

    def _step(self, before: Term, step: Step, equation: Equation) -> str:
        values = [self.term(step.substitution[name]) for name in occurring(equation)]
        proof = self.equation(equation.name)
        if values:
            proof = f"({' '.join([proof, *values])})"
        if step.direction is RIGHT_TO_LEFT:
            proof = self.syntax.symmetry.format(proof=proof)
        if not step.position:
            return proof
        left, right = (self.term(t.at(step.position)) for t in (before, step.result))
        body = self.term(before, step.position)
        return self.syntax.congruence.format(body=body, left=left, right=right, proof=proof)


# What a counter-model shows: the equations do not imply the problem.


def refuted_problem(model: Countermodel) -> tuple[Problem, Sequence[int]]:
    """The problem, and the values of its variables for which it fails; without one, x = y."""
    problem = model.problem
    if problem is None:
        return Problem("one element", var("x"), var("y")), [0, 1]
    return problem, [model.values[v] for v in problem.variables if v not in problem.exists]


def implication(model: Countermodel, calculus: Calculus) -> str:
    """The claim that is refuted: all types with such operations and equations have the property.

    forall (U : Type) (mul : U -> U -> U) (e : U),
      (forall (x : U), (mul e x) = x) -> forall (x y : U), (mul x y) = (mul y x)
    """
    problem, _ = refuted_problem(model)
    assert problem.target is not None
    arrow = calculus.syntax.arrow
    operations = "".join(
        f" ({calculus.symbol(symbol)} : {f'U {arrow} ' * arity}U)"
        for symbol, arity in model.theory.signature.symbols.items()
    )
    given = "".join(f"  ({calculus.axiom(e)}) {arrow}\n" for e in model.theory.equations)
    claim = calculus.claim(problem, problem.target)
    return f"{calculus.syntax.for_all} (U : Type){operations},\n{given}  {claim}"
