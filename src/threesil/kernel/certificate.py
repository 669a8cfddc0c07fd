"""What a certificate shows: the one question that everybody asks who uses one.

A `Proof` shows that a problem holds in a theory; a `Countermodel` and a `Convergent` system show
that it does not follow. Each was made by a kernel, for a problem in a theory of its own. It shows
the same of another one that differs in nothing but what people read: the problem's name,
columns and line; the theory's names and actions.

Equations are the same if they have the same name, kind and sides. A proof stays one where the
equations that it rests on are all there, a refutation where there are no others than it satisfies.
"""

from __future__ import annotations

from dataclasses import replace

from threesil.kernel.confluence import Convergent
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Equation, Goal, Problem, Theory

Certificate = Proof | Countermodel | Convergent


def shows(certificate: Certificate, theory: Theory, problem: Problem | None) -> bool:
    """Whether it proves, or refutes, exactly this problem in exactly this theory.

    Without a problem: whether it is a model of the theory, or a system that decides it.
    """
    if not (_same(certificate.problem, problem) and _speaks(theory, problem)):
        return False
    own = certificate.theory
    if isinstance(certificate, Proof):
        normal = problem is not None and problem.target is None
        if normal and (own.goal, own.constructors) != (theory.goal, theory.constructors):
            return False
        return _has(theory, certificate.axioms)
    if isinstance(certificate, Convergent) and problem is None:
        return _has(own, theory.equations) and _has(theory, own.equations)
    return _has(own, theory.equations)


def same_theory(one: Theory, other: Theory) -> bool:
    """Whether what certificates show in one is shown in the other, and the other way round."""
    return (
        one.signature.symbols == other.signature.symbols
        and (one.goal is Goal.NORMAL_FORM) == (other.goal is Goal.NORMAL_FORM)
        and one.constructors == other.constructors
        and _has(one, other.equations)
        and _has(other, one.equations)
    )


def _same(one: Problem | None, other: Problem | None) -> bool:
    """Whether two problems ask the same: whatever a problem has is compared but what is listed."""
    if one is None or other is None:
        return one is other
    return replace(one, name=other.name, columns=other.columns, line=other.line) == other


def _speaks(theory: Theory, problem: Problem | None) -> bool:
    """Whether a problem is made of the theory's symbols, with as many arguments."""
    if problem is None:
        return True
    symbols = theory.signature.symbols
    sides = (problem.start,) if problem.target is None else (problem.start, problem.target)
    terms = (t for side in sides for t in side.distinct() if not t.is_variable)
    return all(symbols.get(t.head) == len(t.args) for t in terms)


def _has(theory: Theory, equations: tuple[Equation, ...]) -> bool:
    return all(theory.by_name.get(equation.name) == equation for equation in equations)
