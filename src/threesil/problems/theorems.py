"""New theorems with a known proof: the two ends of a random walk through terms.

A walk of n rewrites that never comes back to a term proves that its ends are equal. Its length
bounds the length of the shortest proof from above; most theorems have a shorter one. Theorems that
differ in the names of their variables, or in which side comes first, count as the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random

from threesil.errors import InputError
from threesil.kernel.naming import canonical, equation_key, is_instance, variable_names
from threesil.kernel.proof import Derivation, Proof, certify, close
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.problems.generate import random_term, random_walk

LARGEST = 30  # nodes of a term on the way
_TRIES = 5000  # walks in a row that give nothing new


def random_theorems(
    theory: Theory,
    *,
    steps: int,
    count: int,
    seed: int,
    largest: int = LARGEST,
    progress: Callable[[int], None] = lambda found: None,
) -> list[Proof]:
    """A list of `each_random_theorem`; `progress` hears how many there are so far."""
    found = []
    for proof in each_random_theorem(theory, steps=steps, count=count, seed=seed, largest=largest):
        found.append(proof)
        progress(len(found))
    return found


def each_random_theorem(
    theory: Theory, *, steps: int, count: int, seed: int, largest: int = LARGEST
) -> Iterator[Proof]:
    """`count` different theorems, each with a proof of exactly `steps` rewrites, as they come.

    No term on the way has more than `largest` nodes, no step undoes an earlier one, and no theorem
    follows by a single rewrite unless `steps` is 1. A larger `count` begins with the same ones.
    """
    if theory.goal is Goal.NORMAL_FORM:
        raise InputError(f"a problem of {theory.name} is a term, not an equation")
    equations = [(equation.lhs, equation.rhs) for equation in theory.equations]
    random = Random(seed)
    found: set[frozenset[Term]] = set()
    misses = 0
    while len(found) < count:
        if misses == _TRIES:
            raise InputError(
                f"found {len(found)} different theorems of {theory.name} with {steps} rewrites and "
                f"at most {largest} nodes, not {count}; ask for fewer, or other lengths or sizes"
            )
        misses += 1
        start = random_term(theory, random)
        if start.size > largest:
            continue
        walk = random_walk(theory, start, steps, random, largest)
        if len(walk.steps) < steps or _turns_back(walk):
            continue
        if steps > 1 and _one_rewrite(equations, walk):
            continue
        walk = _renamed(theory, walk)
        key = _key(theory, walk)
        if key not in found:
            name = f"walk-{steps}-{seed}-{len(found) + 1}"
            found.add(key)
            misses = 0
            yield certify(theory, Problem(name, walk.start, walk.end), walk)


def _renamed(theory: Theory, walk: Derivation) -> Derivation:
    """The walk with the usual names for its variables, in order of occurrence."""
    names = walk.start.variables()
    usual = islice(variable_names(theory.signature.symbols), len(names))
    return close(walk, {old: var(new) for old, new in zip(names, usual, strict=True)})


def _key(theory: Theory, walk: Derivation) -> frozenset[Term]:
    """The same for all theorems that count as the same."""
    if theory.goal is Goal.EQUATION:
        return equation_key(walk.start, walk.end)
    return frozenset((canonical(app("=", walk.start, walk.end)),))


def _turns_back(walk: Derivation) -> bool:
    """Whether a step undoes an earlier one."""
    undoing = set()
    for step in walk.steps:
        what = step.position, step.equation, frozenset(step.substitution.items())
        if (*what, step.direction) in undoing:
            return True
        undoing.add((*what, step.direction.reverse))
    return False


def _one_rewrite(equations: Sequence[tuple[Term, Term]], walk: Derivation) -> bool:
    """Whether a single rewrite leads from one end of the walk to the other."""
    s, t = walk.start, walk.end
    while True:
        if any(_fits(e, (s.head, t.head)) and is_instance((s, t), e) for e in equations):
            return True
        if s.head != t.head or len(s.args) != len(t.args):
            return False
        differing = [pair for pair in zip(s.args, t.args, strict=True) if pair[0] != pair[1]]
        if len(differing) != 1:
            return False
        s, t = differing[0]


def _fits(equation: tuple[Term, Term], heads: tuple[str, str]) -> bool:
    """Whether sides with these heads can be an instance of the equation."""
    return all(side.is_variable or side.head in heads for side in equation)
