"""The proof kernel: it accepts what is right, and nothing that was made wrong on purpose."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Callable
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from samples import (
    AIM,
    POLYNOMIAL,
    ROBINSON,
    THEORIES,
    equation,
    left_nested,
    random_chain,
    random_term,
    successors,
    term,
)
from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify, close
from threesil.kernel.terms import Position, Term, app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Direction, Problem, Theory

DEPTH = 100_000
# Of each of 9 kinds, in each of 3 theories: 4050 in all; THREESIL_MUTANTS=3704 makes 100,000.
MUTANTS = int(os.environ.get("THREESIL_MUTANTS", "150"))


def step(
    theory: Theory,
    position: Position,
    name: str,
    direction: Direction,
    result: str,
    **substitution: str,
) -> Step:
    values = {variable: term(text, theory) for variable, text in substitution.items()}
    return Step(position, name, direction, values, term(result, theory))


# What is right


def test_a_computation() -> None:
    """2 * 1 = (2 * 0) + 2 = 0 + 2 = S(0 + 1) = S(S(0 + 0)) = 2."""
    fwd = LEFT_TO_RIGHT
    derivation = Derivation(
        term("2 * 1", ROBINSON),
        (
            step(ROBINSON, (), "mul-succ", fwd, "(2 * 0) + 2", x="2", y="0"),
            step(ROBINSON, (0,), "mul-zero", fwd, "0 + 2", x="2"),
            step(ROBINSON, (), "add-succ", fwd, "S(0 + 1)", x="0", y="1"),
            step(ROBINSON, (0,), "add-succ", fwd, "S(S(0 + 0))", x="0", y="0"),
            step(ROBINSON, (0, 0), "add-zero", fwd, "2", x="0"),
        ),
    )
    proof = certify(ROBINSON, Problem("2", derivation.start), derivation)
    assert proof.derivation is derivation
    assert proof.theory is ROBINSON
    certify(ROBINSON, Problem("2", derivation.start, term("2", ROBINSON)), derivation)


def test_a_chain_read_backwards_proves_the_converse() -> None:
    start, end = term("x * (y + 0)", POLYNOMIAL), term("y * x", POLYNOMIAL)
    derivation = Derivation(
        start,
        (
            step(POLYNOMIAL, (1,), "add-zero", LEFT_TO_RIGHT, "x * y", a="y"),
            step(POLYNOMIAL, (), "mul-comm", LEFT_TO_RIGHT, "y * x", a="x", b="y"),
        ),
    )
    certify(POLYNOMIAL, Problem("there", start, end), derivation)
    back = derivation.backwards()
    certify(POLYNOMIAL, Problem("back", end, start), back)
    certify(POLYNOMIAL, Problem("round", start, start), derivation.then(back))
    assert back.backwards() == derivation


def test_an_equation_with_variables() -> None:
    """T(x, y) * e = y \\ (x * y), by way of the definition."""
    problem = equation(r"T(x,y) * e = y \ (x * y)")
    derivation = Derivation(
        problem.start,
        (
            step(AIM, (), "rid", LEFT_TO_RIGHT, "T(x,y)", x="T(x,y)"),
            step(AIM, (), "T", LEFT_TO_RIGHT, r"y \ (x * y)", u="x", x="y"),
        ),
    )
    certify(AIM, problem, derivation)


def test_no_steps_prove_what_is_equal_already() -> None:
    certify(AIM, equation("x = x"), Derivation(var("x")))
    certify(ROBINSON, Problem("3", term("3", ROBINSON)), Derivation(term("3", ROBINSON)))


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
def test_random_chains(theory: Theory) -> None:
    for derivation in chains(theory):
        certify(theory, Problem("chain", derivation.start, derivation.end), derivation)


# Only certify() makes a proof


def some_proof() -> Proof:
    problem = Problem("p", term("0 + 0", ROBINSON))
    only = step(ROBINSON, (), "add-zero", LEFT_TO_RIGHT, "0", x="0")
    return certify(ROBINSON, problem, Derivation(problem.start, (only,)))


def test_the_constructor_refuses() -> None:
    proof = some_proof()
    for arguments in ((), (None,), (True,), (object(),), (proof,)):
        with pytest.raises(NotAProof):
            Proof(ROBINSON, proof.problem, proof.derivation, *arguments)


def test_a_proof_cannot_be_altered() -> None:
    proof = some_proof()
    wrong = Problem("wrong", term("0", ROBINSON), term("1", ROBINSON))
    with pytest.raises(NotAProof):
        dataclasses.replace(proof, problem=wrong)
    with pytest.raises(dataclasses.FrozenInstanceError):
        proof.problem = wrong  # type: ignore[misc]
    with pytest.raises(TypeError):
        proof.derivation.steps[0].substitution["x"] = app("1")  # type: ignore[index]
    with pytest.raises(AttributeError):
        proof.problem.start.args = ()
    assert copy.copy(proof).problem is proof.problem


def test_a_step_keeps_its_own_substitution() -> None:
    values = {"x": term("0", ROBINSON)}
    only = Step((), "add-zero", LEFT_TO_RIGHT, values, term("0", ROBINSON))
    values["x"] = term("1", ROBINSON)
    assert only.substitution["x"] == term("0", ROBINSON)


# What is wrong: mutants of right derivations


@cache
def chains(theory: Theory) -> list[Derivation]:
    """Right derivations of 3 to 6 steps, none of whose terms occurs twice."""
    random = Random(7)
    return [random_chain(theory, random, 3 + k % 4) for k in range(40)]


Mutant = tuple[Problem, Derivation]
Mutate = Callable[[Theory, Derivation, DataObject], Mutant]


def chain_problem(derivation: Derivation) -> Problem:
    return Problem("chain", derivation.start, derivation.end)


def other_term(theory: Theory, not_this: Term, data: DataObject) -> Term:
    """A term of the theory over the chains' own variables, different from `not_this`."""
    random = Random(data.draw(st.integers(0, 2**32)))
    leaves = [var("x"), var("y")] if theory is AIM else []
    nearby = [t.head for t in not_this.subterms() if not t.args and not t.is_variable]
    while True:
        new = random_term(theory.signature, random, 3, leaves)
        if nearby and random.random() < 0.5:  # a small change inside
            position, old = random.choice(list(not_this.positions()))
            new = not_this.replace(position, new if new != old else app(nearby[0]))
        if new != not_this:
            return new


def changed(derivation: Derivation, index: int, **changes: object) -> Derivation:
    steps = list(derivation.steps)
    steps[index] = dataclasses.replace(steps[index], **changes)
    return dataclasses.replace(derivation, steps=tuple(steps))


def draw_step(derivation: Derivation, data: DataObject) -> tuple[int, Term, Step]:
    """(index, the term before, the step) of some step."""
    index = data.draw(st.integers(0, len(derivation.steps) - 1))
    return index, derivation.terms[index], derivation.steps[index]


def mutate_position(_: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: the old and the new place would need the same subterm l, so neither contains the
    other; but only the old place has r in the result, and l is not r, since no term occurs twice.
    """
    index, before, old = draw_step(derivation, data)
    places = [position for position, _ in before.positions()]
    outside = [(*position, k) for position in places for k in (-1, len(before.at(position).args))]
    new = data.draw(st.sampled_from([p for p in places + outside if p != old.position]))
    return chain_problem(derivation), changed(derivation, index, position=new)


def mutate_equation(theory: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: an equation whose sides have other instances, or no values for its variables.

    A step is right only if the two instances are what stands at the place before and after, so
    one equation can take another's place only if both instances are the same.
    """
    index, _, old = draw_step(derivation, data)
    values = sorted(old.substitution.items())
    instances = [s.substitute(old.substitution) for s in sides(theory, old.equation, old.direction)]
    candidates: list[tuple[str, dict[str, Term]]] = [("nowhere", dict(values))]
    for rule in theory.equations:
        if rule.name == old.equation:
            continue
        # The old values under the new equation's names, as far as they go.
        names = rule.variables
        fitting = dict(old.substitution)
        if set(names) != set(fitting):
            fitting = {n: values[k % len(values)][1] for k, n in enumerate(names)} if values else {}
        new = [s.substitute(fitting) for s in sides(theory, rule.name, old.direction)]
        if new != instances:
            candidates.append((rule.name, fitting))
    name, substitution = data.draw(st.sampled_from(candidates))
    mutant = changed(derivation, index, equation=name, substitution=substitution)
    return chain_problem(derivation), mutant


def sides(theory: Theory, name: str, direction: Direction) -> tuple[Term, Term]:
    return theory.by_name[name].sides(direction)


def mutate_direction(_: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: what stands at the place is l, and not r, since no term occurs twice."""
    index, _, old = draw_step(derivation, data)
    mutant = changed(derivation, index, direction=old.direction.reverse)
    return chain_problem(derivation), mutant


def mutate_value(theory: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: every variable occurs in the equation, so one of the two instances changes."""
    index, _, old = draw_step(derivation, data)
    name = data.draw(st.sampled_from(sorted(old.substitution)))
    value = other_term(theory, old.substitution[name], data)
    mutant = changed(derivation, index, substitution={**old.substitution, name: value})
    return chain_problem(derivation), mutant


def mutate_variables(theory: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: a substitution gives all variables of its equation, and no others."""
    index, _, old = draw_step(derivation, data)
    new = dict(old.substitution)
    if data.draw(st.booleans()):
        del new[data.draw(st.sampled_from(sorted(new)))]
    else:
        extra = data.draw(st.sampled_from(["u", "v", "w", "x", "y", "z", "a", "b", "c", "q"]))
        if extra in new:
            extra += "'"
        new[extra] = other_term(theory, old.result, data)
    return chain_problem(derivation), changed(derivation, index, substitution=new)


def mutate_result(theory: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: everything else determines the result, which was right before."""
    index, _, old = draw_step(derivation, data)
    mutant = changed(derivation, index, result=other_term(theory, old.result, data))
    return Problem("chain", mutant.start, mutant.end), mutant


def mutate_start(theory: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: the first step determines the term it starts from; and a derivation of another
    problem is none of this one."""
    start = other_term(theory, derivation.start, data)
    if data.draw(st.booleans()):
        return Problem("chain", start, derivation.end), derivation
    mutant = dataclasses.replace(derivation, start=start)
    return Problem("chain", start, derivation.end), mutant


def mutate_target(theory: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: the chain ends elsewhere."""
    target = other_term(theory, derivation.end, data)
    return Problem("chain", derivation.start, target), derivation


def mutate_order(_: Theory, derivation: Derivation, data: DataObject) -> Mutant:
    """Wrong: a step determines the term before it, so it can only follow the step (or the start)
    that gave this term; no term occurs twice, so there is one order only, with nothing left out.
    """
    steps = derivation.steps
    numbers = list(range(len(steps)))
    new = data.draw(
        st.one_of(
            st.permutations(numbers),
            st.lists(st.sampled_from(numbers), max_size=len(numbers) + 2),
        ).filter(lambda order: list(order) != numbers)
    )
    mutant = dataclasses.replace(derivation, steps=tuple(steps[k] for k in new))
    return chain_problem(derivation), mutant


MUTATIONS: list[Mutate] = [
    mutate_position,
    mutate_equation,
    mutate_direction,
    mutate_value,
    mutate_variables,
    mutate_result,
    mutate_start,
    mutate_target,
    mutate_order,
]


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
@settings(max_examples=MUTANTS)
@given(data=st.data())
def test_mutants_are_refused(theory: Theory, mutate: Mutate, data: DataObject) -> None:
    derivation = data.draw(st.sampled_from(chains(theory)))
    problem, mutant = mutate(theory, derivation, data)
    with pytest.raises(NotAProof):
        certify(theory, problem, mutant)


# Other things that are wrong


def test_a_normal_form_is_required_where_there_is_no_target() -> None:
    start = term("0 + 1", ROBINSON)
    with pytest.raises(NotAProof, match="normal form"):
        certify(ROBINSON, Problem("p", start), Derivation(start))


def test_a_target_is_required_where_the_goal_is_one() -> None:
    start = term("x", POLYNOMIAL)
    with pytest.raises(NotAProof, match="needs a target"):
        certify(POLYNOMIAL, Problem("p", start), Derivation(start))


@pytest.mark.parametrize(
    "foreign", [app("7"), app("+", app("0")), app("S"), app("f", app("0"))], ids=repr
)
def test_foreign_symbols_are_refused(foreign: Term) -> None:
    """In the problem, and in the values of a substitution: 0 = 0 * f would be `true` too."""
    with pytest.raises(NotAProof, match="not a symbol"):
        certify(ROBINSON, Problem("p", foreign, foreign), Derivation(foreign))
    zero = term("0", ROBINSON)
    product = app("*", foreign, zero)
    there = Step((), "mul-zero", RIGHT_TO_LEFT, {"x": foreign}, product)
    back = Step((), "mul-zero", LEFT_TO_RIGHT, {"x": foreign}, zero)
    with pytest.raises(NotAProof, match="not a symbol"):
        certify(ROBINSON, Problem("p", zero), Derivation(zero, (there, back)))


def test_variables_of_a_problem_are_not_instantiated() -> None:
    """x * y = y would follow from e * x = x only if x could be e."""
    problem = equation("x * y = y")
    only = step(AIM, (), "lid", LEFT_TO_RIGHT, "y", x="y")
    with pytest.raises(NotAProof, match="does not match"):
        certify(AIM, problem, Derivation(problem.start, (only,)))


def open_derivation() -> tuple[Problem, Derivation]:
    """e = w \\ w = e, where w may be anything."""
    problem = equation("e = e")
    w = var("w")
    there = Step((), "id5", RIGHT_TO_LEFT, {"x": w}, app("\\", w, w))
    back = Step((), "id5", LEFT_TO_RIGHT, {"x": w}, app("e"))
    return problem, Derivation(problem.start, (there, back))


def test_open_derivations_are_refused_until_closed() -> None:
    problem, derivation = open_derivation()
    with pytest.raises(NotAProof, match="variable w "):
        certify(AIM, problem, derivation)
    for value in (r"e \ e", "T(e,e)"):
        closed = close(derivation, {"w": term(value, AIM)})
        assert closed.terms[1] == term(rf"({value}) \ ({value})", AIM)
        certify(AIM, problem, closed)
    with pytest.raises(NotAProof):
        certify(AIM, problem, close(derivation, {"w": var("v")}))


def test_closing_is_simultaneous() -> None:
    """x for y and y for x at once; a problem's own variables may be values."""
    problem = equation(r"x * y = x * y")
    x, y = var("x"), var("y")
    there = Step((), "lid", RIGHT_TO_LEFT, {"x": app("*", var("v"), var("w"))},
                 app("*", app("e"), app("*", var("v"), var("w"))))  # fmt: skip
    opened = Derivation(app("*", var("v"), var("w")), (there,))
    closed = close(opened, {"v": x, "w": y})
    certify(AIM, Problem("p", problem.start, closed.end), closed)
    swapped = close(closed, {"x": y, "y": x})
    assert swapped.start == app("*", y, x)


# Depth


def test_deep_terms() -> None:
    """Rewriting at the bottom of a chain of successors."""
    start = successors(DEPTH, term("0 + 0", ROBINSON))
    end = successors(DEPTH, term("0", ROBINSON))
    bottom = (0,) * DEPTH
    only = Step(bottom, "add-zero", LEFT_TO_RIGHT, {"x": app("0")}, end)
    certify(ROBINSON, Problem("deep", start), Derivation(start, (only,)))
    for wrong in (bottom[1:], (*bottom, 0), (*bottom[:-1], 1)):
        with pytest.raises(NotAProof):
            misplaced = dataclasses.replace(only, position=wrong)
            certify(ROBINSON, Problem("deep", start), Derivation(start, (misplaced,)))


def test_deep_values() -> None:
    """A value of a substitution may be deep as well; so may what is closed."""
    deep = left_nested(DEPTH, "*", app("e"), app("e"))
    problem, derivation = open_derivation()
    certify(AIM, problem, close(derivation, {"w": deep}))
