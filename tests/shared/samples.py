"""Small problems, random terms and random derivations that several tests share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from threesil.engine import Shape
from threesil.kernel.proof import Derivation, Step
from threesil.kernel.terms import Term, app, match, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Goal, Problem, Signature, Theory
from threesil.nets.policy import Policy, initial_parameters
from threesil.notations.infix import parse_equation, parse_term
from threesil.theories import benchmark_of, get_theory
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL, expand
from threesil.theories.robinson import ROBINSON

THEORIES = (ROBINSON, POLYNOMIAL, AIM)

GROUPS_FILE = """\
Theory groups: Groups.
Constants e.
Axiom unit: e * x = x.
Axiom inverse: i(x) * x = e.
Axiom assoc: (x * y) * z = x * (y * z).
"""

_TERMS = {
    "robinson": [
        "0 + 0",
        "1 + 0",
        "0 * 3",
        "S(0 + 1)",
        "2 + 1",
        "(0 + 0) * 0",
        "2 * 1",
        "(1 + 1) * (0 + 1)",
        "S(S(1 * 2) + 0)",
    ],
    "polynomial": [
        "x + 0",
        "y * 1",
        "z ^ 1",
        "(x * 0) + y",
        "y + x",
        "x * x",
        "1 ^ 3",
        "(x + 0) * 1",
        "x * (y + z)",
        "(x ^ 1) * (x ^ 1)",
    ],
    "aim": [
        r"x * (x \ y) = y",
        r"T(x,y) = y \ (x * y)",
        "(x * y) / y = x",
        "e * x = x * e",
        r"x \ x = y / y",
        r"K(x,y) * (K(x,y) \ e) = e",
        r"(x * y) / y = z \ (z * x)",
        r"T(x * (x \ y),z) = z \ (y * z)",
        r"L(e * x,y,z) = (z * y) \ (z * (y * x))",
        "R(x,e,y) = R(x,y / y,y)",
    ],
}
_HARDER_EQUATIONS = [
    r"T(T(x,y),x) = T(x,y)",
    r"K(x \ e,y) = y",
    r"a(x,y,e) = e",
    r"L(x,y,z) * R(x,y,z) = (x \ e) \ e",
    r"(e \ x) * (y / e) = T(y,x)",
]


def term(text: str, theory: Theory) -> Term:
    return parse_term(text, theory.signature)


def equation(text: str, theory: Theory = AIM) -> Problem:
    return Problem(text, *parse_equation(text, theory.signature))


def written(directory: Path, *statements: str, name: str = "mine") -> Theory:
    """The theory of a file with these statements."""
    path = directory / f"{name}.thy"
    path.write_text("".join(f"{statement}\n" for statement in statements))
    return get_theory(path)


def untrained(theory: Theory, seed: int = 1) -> Policy:
    """A small model as it is before it learns anything."""
    shape = Shape(16, 16)
    return Policy(theory, shape, initial_parameters(theory, shape, seed))


def easy_problems(theory: Theory) -> list[Problem]:
    """Problems that random play solves now and then."""
    texts = _TERMS[theory.name]
    if theory.goal is Goal.EQUATION:
        return [equation(text, theory) for text in texts]
    terms = [(text, term(text, theory)) for text in texts]
    if theory.goal is Goal.NORMAL_FORM:
        return [Problem(text, start) for text, start in terms]
    return [Problem(text, start, expand(start)) for text, start in terms]


def problems(theory: Theory) -> list[Problem]:
    """The easy ones, and others that random play will hardly solve."""
    sample = benchmark_of(theory).sample
    if sample is None:
        return [*easy_problems(theory), *(equation(text) for text in _HARDER_EQUATIONS)]
    random = Random(5)
    return [*easy_problems(theory), *(sample(random) for _ in range(10))]


def random_term(
    signature: Signature, random: Random, depth: int, leaves: Sequence[Term] = ()
) -> Term:
    """A term over the signature and `leaves`, at most `depth` nodes deep."""
    constants = [app(symbol) for symbol, arity in signature.symbols.items() if arity == 0]
    functions = [(symbol, arity) for symbol, arity in signature.symbols.items() if arity]
    if depth <= 1 or random.random() < 0.2:
        return random.choice([*leaves, *leaves, *constants])
    symbol, arity = random.choice(functions)
    return app(symbol, *(random_term(signature, random, depth - 1, leaves) for _ in range(arity)))


def random_chain(theory: Theory, random: Random, length: int, *, size: int = 60) -> Derivation:
    """A derivation of `length` steps between different terms of at most `size` nodes.

    Every step matches some equation somewhere; variables that the match leaves open get random
    values. The start is a random term, in the theory of an equation with variables `x` and `y`.
    """
    leaves = [var("x"), var("y")] if theory.goal is Goal.EQUATION else []
    while True:
        start = random_term(theory.signature, random, 4, leaves)
        terms, steps = [start], list[Step]()
        for _ in range(40 * length):
            step = _random_step(theory, terms[-1], random, leaves)
            if step is not None and step.result.size <= size and step.result not in terms:
                terms.append(step.result)
                steps.append(step)
            if len(steps) == length:
                return Derivation(start, tuple(steps))


def _random_step(theory: Theory, before: Term, random: Random, leaves: list[Term]) -> Step | None:
    position, subterm = random.choice(list(before.positions()))
    rule = random.choice(theory.equations)
    direction = random.choice([LEFT_TO_RIGHT, RIGHT_TO_LEFT])
    source, result = rule.sides(direction)
    substitution = match(source, subterm)
    if substitution is None:
        return None
    for name in rule.variables:
        if name not in substitution:
            substitution[name] = random_term(theory.signature, random, 2, leaves)
    after = before.replace(position, result.substitute(substitution))
    return Step(position, rule.name, direction, substitution, after)


def successors(count: int, inner: Term) -> Term:
    """S(S(...S(inner)))."""
    for _ in range(count):
        inner = app("S", inner)
    return inner


def left_nested(count: int, symbol: str, inner: Term, right: Term) -> Term:
    """((inner symbol right) symbol right) ..."""
    for _ in range(count):
        inner = app(symbol, inner, right)
    return inner
