"""Problems as lines of JSON, which give them back exactly.

    {"name": "p1", "start": "* ?x e", "target": "?x"}

A term is written in prefix notation, a blank between two symbols; a variable has a `?` in front of
its name. Where problems have theories of their own, a line for a theory goes before the first
problem in it:

    {"theory": "groups", "symbols": {"*": 2, "e": 0}, "infix": {"*": 2},
     "equations": [["unit", "* e ?x", "?x", "axiom"], …]}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

from threesil.errors import InputError, ThreesilError
from threesil.files.json_text import json_object
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Goal, Problem, Theory
from threesil.notations.document import theory_of
from threesil.problems.sets import ProblemSet

DAMAGED = (ValueError, TypeError, KeyError, IndexError, RecursionError, ThreesilError)
"""what reading may raise"""


def digest_of(lines: str) -> str:
    """SHA-256 of problems as lines."""
    return hashlib.sha256(lines.encode()).hexdigest()


def problem_line(problem: Problem) -> str:
    facts: dict[str, Any] = {"name": problem.name, "start": _written(problem.start)}
    if problem.target is not None:
        facts["target"] = _written(problem.target)
    if problem.exists:
        facts["exists"] = problem.exists
    return json.dumps(facts) + "\n"


def read_problem(line: str, theory: Theory) -> Problem:
    return _problem(json_object(line), theory)


def _problem(facts: Mapping[str, Any], theory: Theory) -> Problem:
    symbols = theory.signature.symbols
    target = _read_term(facts["target"], symbols) if "target" in facts else None
    start = _read_term(facts["start"], symbols)
    return Problem(str(facts["name"]), start, target, exists=tuple(facts.get("exists", ())))


def set_lines(given: ProblemSet) -> str:
    """Equations to prove, with the theory of each."""
    lines, last = [], ""
    for problem in given.problems:
        theory = given.theory_of(problem)
        if theory.goal is not Goal.EQUATION or problem.target is None:
            raise InputError(f"{problem.name} is no equation to prove")
        if theory.digest != last:
            lines.append(_theory_line(theory))
            last = theory.digest
        lines.append(problem_line(problem))
    return "".join(lines)


def read_set(text: str) -> ProblemSet:
    """What `set_lines` wrote; the theories have the standard actions."""
    problems: list[Problem] = []
    own: dict[str, Theory] = {}
    theory: Theory | None = None
    for line in text.splitlines():
        facts = json_object(line)
        if "theory" in facts:
            theory = _theory(facts)
            continue
        if theory is None:
            raise ValueError("a problem without a theory")
        problems.append(_problem(facts, theory))
        own[problems[-1].name] = theory
    if theory is None or not problems:
        raise ValueError("there are no problems")
    return ProblemSet(theory, tuple(problems), own=own)


def _theory_line(theory: Theory) -> str:
    facts = {
        "theory": theory.name,
        "symbols": dict(theory.signature.symbols),
        "infix": dict(theory.signature.infix),
        "equations": [(e.name, _written(e.lhs), _written(e.rhs), e.kind) for e in theory.equations],
    }
    return json.dumps(facts) + "\n"


def _theory(facts: Mapping[str, Any]) -> Theory:
    symbols: dict[str, int] = dict(facts["symbols"])
    equations = (
        Equation(str(name), _read_term(lhs, symbols), _read_term(rhs, symbols), str(kind))
        for name, lhs, rhs, kind in facts["equations"]
    )
    name = str(facts["theory"])
    return theory_of(name, name, symbols, dict(facts["infix"]), equations)


@cache
def _token(head: str, is_variable: bool) -> str:
    return ("?" if is_variable else "") + quote(head, safe="*+/\\^-=()[],'")


def _written(term: Term) -> str:
    return " ".join(_token(t.head, t.is_variable) for t in term.subterms())


def _read_term(text: object, symbols: Mapping[str, int]) -> Term:
    operands: list[Term] = []
    for token in reversed(str(text).split(" ")):
        if token.startswith("?"):
            operands.append(var(unquote(token[1:])))
        else:
            symbol = unquote(token)
            operands.append(app(symbol, *(operands.pop() for _ in range(symbols[symbol]))))
    (term,) = operands
    return term
