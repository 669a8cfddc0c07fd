"""What has to be true of a certificate that was accepted: worked out anew, in small models."""

from __future__ import annotations

from random import Random
from typing import Final

from fuzz.mutation import (
    changed_problem,
    changed_theory,
)
from fuzz.truth import Interpretation, counterexample, refutes
from threesil.engine import Budget, Completion
from threesil.kernel.certificate import shows
from threesil.kernel.confluence import Convergent
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.proof import NotAProof, Proof
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term
from threesil.kernel.theory import (
    Problem,
    Theory,
)
from threesil.problems.generate import random_term, random_walk

LARGEST: Final = 400  # nodes of a statement that is worked out


def judge_proof(made: Proof) -> None:
    """What a proof says holds in the models of the equations that it rests on."""
    problem, theory = made.problem, made.theory
    target = problem.target or made.derivation.end
    symbols = theory.signature.symbols
    if problem.target is None:
        allowed = theory.constructors
        assert all(t.head in allowed and not t.is_variable for t in target.subterms())
    if problem.start.size + target.size <= LARGEST:
        wrong = counterexample(symbols, made.axioms, problem.start, target, problem.exists)
        assert wrong is None, f"{made!r} is false in {wrong}"
    assert shows(made, theory, problem)
    for lemma in made.lemmas:
        assert not lemma.problem.exists and lemma.problem.target is not None
    try:
        equation = made.equation()
    except NotAProof:
        return
    if equation.lhs.size + equation.rhs.size <= LARGEST:
        wrong = counterexample(symbols, made.axioms, equation.lhs, equation.rhs)
        assert wrong is None, f"the equation of {made!r} is false in {wrong}"


def judge_shown(made: Proof | Countermodel | Convergent, random: Random) -> None:
    """Where a certificate shows another problem, or one in another theory, that is true as well."""
    theory, other = made.theory, made.problem
    if random.random() < 0.7:
        theory = changed_theory(theory, random)
    if other is not None and random.random() < 0.7:
        other = changed_problem(other, theory, random)
    if not shows(made, theory, other):
        return
    equations = theory.equations
    if isinstance(made, Countermodel):
        assert refutes(interpretation(made.tables), equations, other, made.values)
    elif isinstance(made, Proof) and other is not None:
        target = other.target or made.derivation.end
        if _speaks(theory, other.start, target):
            wrong = counterexample(
                theory.signature.symbols, equations, other.start, target, other.exists
            )
            assert wrong is None, f"{made!r} does not show {other} in {theory}: {wrong}"
    elif isinstance(made, Convergent) and other is not None:
        assert not _proved(theory, other)


def _speaks(theory: Theory, *terms: Term) -> bool:
    symbols = theory.signature.symbols
    inner = (t for term in terms for t in term.subterms() if not t.is_variable)
    return all(symbols.get(t.head) == len(t.args) for t in inner)


def interpretation(tables: Tables) -> Interpretation:
    """The same for the evaluator; what is no table of so many values is an error."""
    n = tables.size
    functions: dict[str, dict[tuple[int, ...], int]] = {}
    for symbol, table in tables.of.items():
        function: dict[tuple[int, ...], int] = {}
        arity = 0
        while n > 1 and n**arity < len(table):
            arity += 1
        for place, value in enumerate(table):
            assert type(value) is int and 0 <= value < n
            function[tuple(place // n**k % n for k in reversed(range(arity)))] = value
        functions[symbol] = function
    return Interpretation(n, functions)


def judge_model(model: Countermodel) -> None:
    """All equations hold in it, and the problem fails for its values."""
    tables = model.tables
    if tables.size > 1:  # else all is equal
        assert refutes(interpretation(tables), model.theory.equations, model.problem, model.values)
    else:
        assert model.problem is None
    assert tables.of.keys() == model.theory.signature.symbols.keys()
    for symbol, arity in model.theory.signature.symbols.items():
        assert len(tables.of[symbol]) == tables.size**arity


def judge_system(system: Convergent, random: Random) -> None:
    """The rules hold in models of the theory; what is equal has one normal form; what is refuted
    has no proof, as far as a model or a short search tells."""
    theory, symbols = system.theory, system.theory.signature.symbols
    for rule in system.rules:
        lhs, rhs = rule.problem.start, rule.problem.target
        assert rhs is not None and not rule.problem.exists
        wrong = counterexample(symbols, theory.equations, lhs, rhs)
        assert wrong is None, f"the rule {rule.problem} does not hold in {theory}: {wrong}"
    for _ in range(2):
        walk = random_walk(theory, random_term(theory, random), 3, random, 30)
        assert system.normal_form(walk.start) == system.normal_form(walk.end)
    if system.problem is not None:
        problem = system.problem
        assert problem.target is not None and not problem.exists
        if counterexample(symbols, theory.equations, problem.start, problem.target) is None:
            assert not _proved(theory, problem)


def _proved(theory: Theory, problem: Problem) -> bool:
    """Whether a short search proves it."""
    found = Completion(theory).prove(problem, Budget(60, 0.2))
    return found.derivation is not None
