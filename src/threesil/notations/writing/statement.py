"""What a problem asks and a proof says, as a sentence: `for all x, y exists z: x * z = y`."""

from __future__ import annotations

from collections.abc import Iterable

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term
from threesil.kernel.theory import Problem, Signature
from threesil.notations.infix import format_term
from threesil.notations.tokens import written_variable

_LARGEST = 5_000  # nodes of a term that is written out


def statement(of: Proof | Countermodel) -> str:
    """The equation with its variables; for a normal form, what the chain ends with.

    Of a model it is what the model refutes, "" if there is no such problem.
    """
    problem = of.problem
    target = problem.target if problem is not None else None
    if isinstance(of, Proof):
        target = target or of.derivation.end
    return sentence(problem, target, of.theory.signature) if problem and target else ""


def sentence(problem: Problem, target: Term, signature: Signature) -> str:
    """The problem, with this term on the right side."""
    names = dict.fromkeys((*problem.variables, *target.variables()))
    arbitrary = listed((name for name in names if name not in problem.exists), signature)
    words = f"for all {arbitrary}" if arbitrary else ""
    if problem.exists:
        words = f"{words} exists {listed(problem.exists, signature)}".strip()
    sides = (_text(term, signature) for term in (problem.start, target))
    return (f"{words}: " if words else "") + " = ".join(sides)


def listed(variables: Iterable[str], signature: Signature) -> str:
    """Variables with commas between them."""
    return ", ".join(written_variable(name, signature) for name in variables)


def _text(term: Term, signature: Signature) -> str:
    return format_term(term, signature) if term.size <= _LARGEST else f"[{term.size} nodes]"
