"""Random problems: a theory's own, or the two ends of a random walk, which come with a proof.

What a random term or walk needs to know of a theory (`_Grammar`: its symbols, and its rules by the
shape of what they rewrite) is worked out once. The random numbers decide everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from random import Random

from threesil.errors import InputError
from threesil.kernel.naming import variable_names
from threesil.kernel.proof import Derivation, Step
from threesil.kernel.terms import Position, Term, app, match, var
from threesil.kernel.theory import Direction, Goal, Problem, Theory
from threesil.problems.files import is_solved
from threesil.theories import benchmark_of

_VARIABLES = 3
_TRIES = 100
_LARGEST = 100  # nodes of a side of an equation that a walk may begin with


def sample_problem(theory: Theory, random: Random) -> Problem:
    """A random problem that is not solved at the start."""
    sample = benchmark_of(theory).sample
    if sample is not None:
        for _ in range(_TRIES):
            problem = sample(random)
            if not is_solved(theory, problem):
                return problem
    for start in _starts(theory, random):
        walk = random_walk(theory, start, random.randint(1, 4), random)
        problem = Problem("walk", walk.start, walk.end)
        if theory.goal is Goal.NORMAL_FORM:
            problem = Problem("walk", walk.start)
        if not is_solved(theory, problem):
            return problem
    raise InputError(
        f"no random problem of {theory.name} was found that is not solved at its start: its "
        "equations change nothing, make everything equal, are very large, or introduce variables; "
        "give it problems"
    )


def _starts(theory: Theory, random: Random) -> Iterator[Term]:
    """Where walks may begin: random terms; if none will do, instances of what a rule rewrites."""
    for _ in range(_TRIES):
        yield random_term(theory, random)
    rules = [rule for _, rule in _grammar(theory).rules if rule.source.size <= _LARGEST]
    for _ in range(_TRIES if rules else 0):
        rule = random.choice(rules)
        values = {name: random_term(theory, random, 1) for name in rule.source.variables()}
        yield rule.source.substitute(values)


@dataclass(frozen=True)
class _Rule:
    """An equation read in one direction: `source` is replaced by `result`."""

    name: str
    direction: Direction
    source: Term
    result: Term
    variables: tuple[str, ...]  # of the result, as often as they occur

    def size(self, substitution: Mapping[str, Term]) -> int:
        """Nodes of the result under the substitution."""
        return self.result.size + sum([substitution[name].size - 1 for name in self.variables])


_Shape = tuple[str | None, ...]
_LOOKED_AT = 2  # arguments whose heads count for a shape


@dataclass(frozen=True)
class _Grammar:
    """The leaves and functions that random terms of a theory grow from, and the rules by shape.

    The *shape* of a term is its head and the heads of its first arguments, None for a variable.
    """

    leaves: tuple[Term, ...]
    functions: tuple[tuple[str, int], ...]
    rules: tuple[tuple[_Shape, _Rule], ...]
    _by_shape: dict[_Shape, tuple[_Rule, ...]] = field(default_factory=dict)

    def rules_for(self, term: Term) -> tuple[_Rule, ...]:
        """The rules that may rewrite the term, in the theory's order."""
        shape = _shape(term)
        found = self._by_shape.get(shape)
        if found is None:
            found = tuple(rule for pattern, rule in self.rules if _may_match(pattern, shape))
            self._by_shape[shape] = found
        return found


def _shape(term: Term) -> _Shape:
    head = None if term.is_variable else term.head
    return head, *[None if a.is_variable else a.head for a in term.args[:_LOOKED_AT]]


def _may_match(pattern: _Shape, shape: _Shape) -> bool:
    if pattern[0] != shape[0]:
        return False
    return all(wanted in (None, found) for wanted, found in zip(pattern, shape, strict=False))


@lru_cache(maxsize=64)
def _grammar(theory: Theory) -> _Grammar:
    """Rules whose left side is a variable, or whose right side has one of its own, are left out."""
    symbols = theory.signature.symbols
    leaves = [app(symbol) for symbol, arity in symbols.items() if arity == 0]
    if theory.goal is Goal.EQUATION or not leaves:
        leaves += [var(name) for name in islice(variable_names(symbols), _VARIABLES)]
    functions = tuple((symbol, arity) for symbol, arity in symbols.items() if arity)
    rules = []
    for name, direction in dict.fromkeys(theory.rewrites()):
        source, result = theory.by_name[name].sides(direction)
        if not source.is_variable and set(result.variables()) <= set(source.variables()):
            occurring = tuple(t.head for t in result.subterms() if t.is_variable)
            rules.append((_shape(source), _Rule(name, direction, source, result, occurring)))
    return _Grammar(tuple(leaves), functions, tuple(rules))


def random_term(theory: Theory, random: Random, depth: int = 3) -> Term:
    """A random term; its leaves are constants and, where the goal allows them, variables."""
    grammar = _grammar(theory)

    def grow(depth: int) -> Term:
        if depth == 0 or not grammar.functions or random.random() < 0.2:
            return random.choice(grammar.leaves)
        symbol, arity = random.choice(grammar.functions)
        return Term(symbol, [grow(depth - 1) for _ in range(arity)])

    return grow(depth)


def random_walk(
    theory: Theory, start: Term, steps: int, random: Random, largest: int | None = None
) -> Derivation:
    """At most `steps` random rewrites from `start`, none of which comes back to a term.

    No rewrite gives a term of more than `largest` nodes. Rules that only blow a term up are left
    out: those that rewrite a variable, or bring in one of their own.
    """
    grammar = _grammar(theory)
    seen = {start}
    sizes = {start.size}
    walk: list[Step] = []
    term = start
    for _ in range(steps):
        positions = list(term.positions())
        random.shuffle(positions)
        for position, subterm in positions:
            following = []
            for rule, substitution in _matches(grammar, subterm):
                size = term.size - subterm.size + rule.size(substitution)
                if largest is not None and size > largest:
                    continue
                # Most results need not be built: none that was seen is of their size.
                if size in sizes and _result(term, position, rule, substitution) in seen:
                    continue
                following.append((rule, substitution))
            if following:
                rule, substitution = random.choice(following)
                term = _result(term, position, rule, substitution)
                walk.append(Step(position, rule.name, rule.direction, substitution, term))
                seen.add(term)
                sizes.add(term.size)
                break
    return Derivation(start, tuple(walk))


def _matches(grammar: _Grammar, subterm: Term) -> Iterator[tuple[_Rule, dict[str, Term]]]:
    for rule in grammar.rules_for(subterm):
        substitution = match(rule.source, subterm)
        if substitution is not None:
            yield rule, substitution


def _result(term: Term, position: Position, rule: _Rule, substitution: Mapping[str, Term]) -> Term:
    return term.replace(position, rule.result.substitute(substitution))
