"""Random problems: a theory's own, or the two ends of a random walk, which come with a proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count, islice
from random import Random

from threesil.proof import Derivation, Step
from threesil.terms import Position, Term, app, match, var
from threesil.theories import benchmark_of
from threesil.theory import Direction, Goal, Problem, Theory

_VARIABLES = 3
_TRIES = 100


def sample_problem(theory: Theory, random: Random) -> Problem:
    """A random problem that is not solved at the start."""
    sample = benchmark_of(theory).sample
    if sample is not None:
        for _ in range(_TRIES):
            problem = sample(random)
            if not _solved(theory, problem):
                return problem
    for _ in range(_TRIES):
        walk = random_walk(theory, random_term(theory, random), random.randint(1, 4), random)
        problem = Problem("walk", walk.start, walk.end)
        if theory.goal is Goal.NORMAL_FORM:
            problem = Problem("walk", walk.start)
        if not _solved(theory, problem):
            return problem
    raise ValueError(f"no unsolved problem of {theory.name} found")


def _solved(theory: Theory, problem: Problem) -> bool:
    if theory.goal is Goal.NORMAL_FORM:
        return all(t.head in theory.constructors for t in problem.start.subterms())
    return problem.start == problem.target


def variable_names(theory: Theory) -> Iterator[str]:
    """Names for variables, the usual ones first; none is a symbol of the theory."""
    names = chain("xyzwuv", (f"x{number}" for number in count(1)))
    return (name for name in names if name not in theory.signature.symbols)


def random_term(theory: Theory, random: Random, depth: int = 3) -> Term:
    """A random term; its leaves are constants and, where the goal allows them, variables."""
    symbols = theory.signature.symbols
    leaves = [app(symbol) for symbol, arity in symbols.items() if arity == 0]
    if theory.goal is Goal.EQUATION or not leaves:
        leaves += [var(name) for name in islice(variable_names(theory), _VARIABLES)]
    functions = [symbol for symbol, arity in symbols.items() if arity]

    def grow(depth: int) -> Term:
        if depth == 0 or not functions or random.random() < 0.2:
            return random.choice(leaves)
        symbol = random.choice(functions)
        return app(symbol, *(grow(depth - 1) for _ in range(symbols[symbol])))

    return grow(depth)


def random_walk(
    theory: Theory, start: Term, steps: int, random: Random, largest: int | None = None
) -> Derivation:
    """At most `steps` random rewrites from `start`, none of which comes back to a term.

    No rewrite gives a term of more than `largest` nodes. Rules whose left side is a variable, or
    whose right side has a variable of its own, are left out: they only blow a term up.
    """
    seen = {start}
    walk: list[Step] = []
    term = start
    rules = _rules(theory)
    for _ in range(steps):
        positions = list(term.positions())
        random.shuffle(positions)
        for position, subterm in positions:
            found = _rewrites(rules.get(subterm.head, ()), term, position, subterm)
            following = [step for step in found if step.result not in seen]
            if largest is not None:
                following = [step for step in following if step.result.size <= largest]
            if following:
                walk.append(random.choice(following))
                term = walk[-1].result
                seen.add(term)
                break
    return Derivation(start, tuple(walk))


_Rule = tuple[str, Direction, Term, Term]


def _rules(theory: Theory) -> dict[str, list[_Rule]]:
    """The rules by the head of what they rewrite."""
    rules: dict[str, list[_Rule]] = {}
    for name, direction in dict.fromkeys(theory.rewrites()):
        source, result = theory.by_name[name].sides(direction)
        if not source.is_variable and set(result.variables()) <= set(source.variables()):
            rules.setdefault(source.head, []).append((name, direction, source, result))
    return rules


def _rewrites(
    rules: Sequence[_Rule], term: Term, position: Position, subterm: Term
) -> Iterator[Step]:
    for name, direction, source, result in rules:
        substitution = match(source, subterm)
        if substitution is not None:
            whole = term.replace(position, result.substitute(substitution))
            yield Step(position, name, direction, substitution, whole)
