"""Certificates with something changed in them: as values of Python, and as values of JSON."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from threesil.kernel.naming import fresh_name
from threesil.kernel.proof import Derivation, Proof, Step, close
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Direction, Equation, Problem, Theory

_T = TypeVar("_T")
_NAMES = ("x", "y", "z", "w", "e", "", "x, y: x * y = y * x", "unit", "lemma 1", "a\nb", "\u202e")
_NUMBERS = (-1, 0, 1, 2, 3, 7, 2**31, 2**64, -(2**63))
_WHATEVER: tuple[Any, ...] = (None, True, False, [], {}, "", "x", 0.5, 1.0, [0], {"x": 0}, [[]])


# Terms


def terms_of(theory: Theory, *terms: Term) -> list[Term]:
    """Small terms to put in places: variables, constants, those of equations, of these terms."""
    some = [var(name) for name in "xyz"]
    some += [Term(s) for s, arity in theory.signature.symbols.items() if arity == 0]
    for equation in theory.equations:
        some += [equation.lhs, equation.rhs]
    for term in terms:
        some += [t for t in term.distinct() if t.size < 12]
    return some


def changed_term(term: Term, theory: Theory, random: Random) -> Term:
    """The term with another subterm, symbol or order of arguments somewhere."""
    position, part = random.choice(list(term.positions()))
    some = terms_of(theory, term)
    match random.randrange(5):
        case 0 | 1:
            new = random.choice(some)
        case 2 if part.args:
            new = Term(part.head, random.sample(part.args, len(part.args)))
        case 3 if part.args:
            symbols = [s for s, n in theory.signature.symbols.items() if n == len(part.args)]
            new = Term(random.choice([*symbols, part.head, "?"]), part.args)
        case _:
            new = Term(random.choice(_NAMES), part.args[:-1])
    return term.replace(position, new)


# Values


def changed_problem(problem: Problem, theory: Theory, random: Random) -> Problem:
    """Another problem that is much like this one."""
    start, target, exists = problem.start, problem.target, problem.exists
    match random.randrange(6):
        case 0:
            start = changed_term(start, theory, random)
        case 1 if target is not None:
            target = changed_term(target, theory, random)
        case 2 if target is not None:
            start, target = target, start
        case 3:
            exists = ()
        case 4:
            exists = tuple(random.sample(problem.variables, min(1, len(problem.variables))))
        case _:
            target = random.choice([None, start, target])
    occurring = {*start.variables(), *(target.variables() if target else ())}
    exists = tuple(name for name in exists if name in occurring)
    return replace(problem, start=start, target=target, exists=exists)


def changed_equation(equation: Equation, theory: Theory, random: Random) -> Equation:
    sides = [equation.lhs, equation.rhs]
    side = random.randrange(2)
    sides[side] = changed_term(sides[side], theory, random)
    kind = random.choice(("axiom", "definition", "known", equation.kind))
    return Equation(equation.name, sides[0], sides[1], kind)


def changed_theory(theory: Theory, random: Random) -> Theory:
    """A theory with an equation less, more or otherwise."""
    equations = list(theory.equations)
    if not equations:
        return theory
    at = random.randrange(len(equations))
    match random.randrange(3):
        case 0 if len(equations) > 1:
            return theory.without([equations[at].name], theory.name)
        case 1:
            new = changed_equation(equations[at], theory, random)
            return theory.without([new.name], theory.name).extended([new], theory.name)
        case _:
            name = fresh_name("new", theory.by_name)
            new = replace(changed_equation(equations[at], theory, random), name=name)
            return theory.extended([new], random.choice((theory.name, "other")))


def changed_step(step: Step, theory: Theory, random: Random, names: Sequence[str]) -> Step:
    values = dict(step.substitution)
    match random.randrange(6):
        case 0:
            position = list(step.position)
            if position and random.random() < 0.5:
                position.pop(random.randrange(len(position)))
            else:
                index: Any = random.choice((0, 1, -1, True, 5))
                position.insert(random.randrange(len(position) + 1), index)
            return replace(step, position=tuple(position))
        case 1:
            return replace(step, equation=random.choice(names))
        case 2:
            return replace(step, direction=step.direction.reverse)
        case 3 if values:
            name = random.choice(list(values))
            values[name] = changed_term(values[name], theory, random)
            return replace(step, substitution=values)
        case 4 if values:
            name = random.choice(list(values))
            value = values.pop(name)
            if random.random() < 0.7:
                values[random.choice((*"xyz", name))] = value
            return replace(step, substitution=values)
        case _:
            return replace(step, result=changed_term(step.result, theory, random))


def changed_derivation(
    derivation: Derivation, theory: Theory, random: Random, names: Sequence[str]
) -> Derivation:
    """A chain with a step, its start or a witness changed; or with all of it instantiated."""
    steps, witnesses = list(derivation.steps), dict(derivation.witnesses)
    at = random.randrange(len(steps)) if steps else 0
    match random.randrange(10):
        case 0 if steps:
            steps.pop(at)
        case 1 if steps:
            steps.insert(random.randrange(len(steps) + 1), steps[at])
        case 2 if len(steps) > 1:
            random.shuffle(steps)
        case 3:
            return derivation.backwards()
        case 4:
            variables = derivation.start.variables()
            if variables:
                value = random.choice(terms_of(theory, derivation.start))
                return close(derivation, {random.choice(variables): value})
        case 5:
            return replace(derivation, start=changed_term(derivation.start, theory, random))
        case 6:
            name = random.choice((*witnesses, "x"))
            if witnesses.pop(name, None) is None or random.random() < 0.7:
                witnesses[name] = random.choice(terms_of(theory, derivation.start))
            return replace(derivation, witnesses=witnesses)
        case _ if steps:
            steps[at] = changed_step(steps[at], theory, random, names)
    return Derivation(derivation.start, tuple(steps), witnesses)


def changed_lemmas(
    lemmas: Sequence[Proof], others: Sequence[Proof], random: Random
) -> tuple[Proof, ...]:
    """One less, one twice, or one of another proof."""
    listed = list(lemmas)
    match random.randrange(3):
        case 0 if listed:
            listed.pop(random.randrange(len(listed)))
        case 1 if listed:
            listed[random.randrange(len(listed))] = random.choice(others)
        case _:
            listed.append(random.choice(others))
    return tuple(listed)


# JSON


def changed_json(value: Any, random: Random) -> Any:
    """A copy with one to three places changed."""
    value = copy.deepcopy(value)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        _change(value, random)
    return value


def _change(value: Any, random: Random) -> None:
    """Replaces, removes, doubles or exchanges something in it."""
    places: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        top = stack.pop()
        keys = range(len(top)) if isinstance(top, list) else list(top)
        for key in keys:
            places.append((top, key))
            if isinstance(top[key], list | dict):
                stack.append(top[key])
    if not places:
        return
    holder, key = random.choice(places)
    other, its = random.choice(places)
    match random.randrange(8):
        case 0 | 1 | 2:
            holder[key] = _other(holder[key], random)
        case 3:
            alike = [h[k] for h, k in places if type(h[k]) is type(holder[key])]
            holder[key] = copy.deepcopy(random.choice(alike))
        case 4:
            del holder[key]
        case 5 if isinstance(holder, list):
            holder.insert(random.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        case 6 if isinstance(holder, dict):
            holder[random.choice((*_NAMES, *map(str, other)))] = holder.pop(key)
        case _:
            first, second = copy.deepcopy(holder[key]), copy.deepcopy(other[its])
            holder[key], other[its] = second, first


def _other(value: Any, random: Random) -> Any:
    if random.random() < 0.1:
        return copy.deepcopy(random.choice(_WHATEVER))
    if type(value) is int:
        return random.choice((value + 1, value - 1, random.randrange(8), random.choice(_NUMBERS)))
    if isinstance(value, str):
        if value in ("->", "<-"):
            return Direction(value).reverse.value
        return random.choice((*_NAMES, value + "'", value[:-1]))
    if isinstance(value, list):
        return random.sample(value, len(value))
    return copy.deepcopy(random.choice(_WHATEVER))


def changed_text(text: str, random: Random) -> str:
    """A text with a few characters changed, or a stretch moved."""
    for _ in range(random.choice((1, 1, 2, 4))):
        at, end = sorted(random.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + random.choice((1, 1, 2, 8)))
        new = random.choice(("", text[at:end] * 2, random.choice('0123456789,()[]{}"efx*_.')))
        text = text[:at] + new + text[end:]
    return text


def times(change: Callable[[_T], _T], value: _T, random: Random) -> _T:
    """The change made once, sometimes twice."""
    for _ in range(random.choice((1, 1, 2))):
        value = change(value)
    return value
