"""Theories as a page shows them: equations, proofs of the known ones, finite models, counts."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from threesil.engine import Budget, Status
from threesil.errors import InputError
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Equation, Move, Problem, Theory
from threesil.notations.infix import format_equation
from threesil.notations.reading.typed import understood
from threesil.notations.writing.view import model_view, proof_view
from threesil.problems.files import format_problem
from threesil.proofs.factoring import readable
from threesil.proofs.from_axioms import proofs_of_known
from threesil.runs.weights import bundled_policy
from threesil.search.finite.finder import find
from threesil.theories import all_theories, benchmark_of

Value = dict[str, Any]

_SECONDS: Final = 8.0  # CPU time for a model
_MOST: Final = 2_000  # equations, and goals, that are listed


def theories(task: Value) -> Value:
    """The bundled theories, each with its counts."""
    return {"theories": [{**_counts(theory), "title": theory.title} for theory in all_theories()]}


def _counts(theory: Theory) -> Value:
    kinds = Counter(equation.kind for equation in theory.equations)
    model = bundled_policy(theory)
    return {
        "name": theory.name,
        "goal": theory.goal.value,
        "symbols": len(theory.signature.symbols),
        "axioms": kinds["axiom"],
        "definitions": kinds["definition"],
        "known": kinds["known"],
        "moves": sum(isinstance(action, Move) for action in theory.actions),
        "actions": len(theory.actions),
        "goals": len(benchmark_of(theory).goals),
        "sets": sorted(benchmark_of(theory).sets),
        "parameters": None if model is None else len(model.parameters),
    }


def theory(task: Value, of: Theory) -> Value:
    """All of a theory: symbols, equations with their actions, bundled goals."""
    proved = proofs_of_known(of)
    goals = benchmark_of(of).goals
    return {
        **_counts(of),
        "title": of.title,
        "arities": dict(of.signature.symbols),
        "equations": [_equation(of, e, e.name in proved) for e in of.equations[:_MOST]],
        "theorems": [_theorem(of, problem) for problem in goals[:_MOST]],
    }


def _theorem(of: Theory, problem: Problem) -> Value:
    text = format_problem(problem, of).split("\t")[-1]
    return {"name": problem.name, "understood": understood(problem, of), "text": text}


def _equation(of: Theory, equation: Equation, proved: bool) -> Value:
    numbers = [of.number(equation.name, way) for way in (LEFT_TO_RIGHT, RIGHT_TO_LEFT)]
    return {
        "name": equation.name,
        "kind": equation.kind,
        "equation": format_equation(equation, of.signature),
        "actions": numbers,
        "proved": proved,
    }


def known(task: Value, of: Theory) -> Value:
    """The proof of a known equation, from the axioms alone."""
    proof = proofs_of_known(of).get(task["equation"])
    if proof is None:
        raise InputError(f"no proof of {task['equation'][:80]!r} is bundled")
    return {"proof": proof_view(readable(proof))}


def finite(task: Value, of: Theory) -> Value:
    """A model with so many elements, or why there is none to show."""
    n = int(task["size"])
    sought = find(of, [None], Budget(None, _SECONDS), smallest=n, largest=n)
    (model,) = sought.models
    if model is not None:
        return {"size": n, "model": model_view(model), "reason": ""}
    if sought.status is not Status.EXHAUSTED:
        reason = f"none was found in {_SECONDS:g} s"
    elif sought.excluded:
        reason = f"there is none with {n} elements"
    else:
        reason = sought.reason
    return {"size": n, "model": None, "reason": reason}
