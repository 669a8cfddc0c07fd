"""Theorems from a theory's equations alone: rules of completion, and others of growing difficulty.

Random walks through terms, by the equations and by the rules that completion makes of them: a step
by a rule may stand for many by the equations. Each theorem is certified. How difficult it is, is
measured: the expansions that the search without weights needs. Those that its first short look
proves are too easy to be kept. Most walks are easy, so many more are made than are wanted; hard and
easy ones are kept alike, as far as there are any.

No two say the same up to renaming and swapping sides, and at most `INSTANCES` of them are
instances of others.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, zip_longest
from random import Random

from threesil.engine import Budget, Completion, Status, Stop, Stopped
from threesil.errors import InputError
from threesil.kernel.lemmas import certified, cited
from threesil.kernel.naming import equation_key, is_instance, variable_names
from threesil.kernel.proof import Derivation, Proof, certify, close
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.problems.generate import random_term, random_walk
from threesil.runs.measured import Measured
from threesil.search.learned import with_lemmas
from threesil.search.prover import Prover
from threesil.work.place import Place
from threesil.work.threads import Threads

CONSIDERED = 3000  # critical pairs that completion takes
_RULES = 300  # at most, the smallest
_SECONDS = 20.0
INSTANCES = 0.1  # share of theorems that may be instances of others
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)  # of the walks
_DEPTHS = (3, 4)  # of the terms that they start from
_LARGEST = 45  # nodes of a term on the way
_TRIVIAL = 6  # expansions
_EFFORT = 6000  # expansions after which a theorem counts as hardest
_CHOICE = 10  # theorems that are made for each one that is kept
_TOGETHER = 32  # candidates that are measured together
_MISSES = 40  # rounds in a row that give nothing
_KNOWN = 3000  # candidates in a row that say what others have said
_FEWEST = 20


def derived(
    theory: Theory, *, considered: int = CONSIDERED, stop: Stop | None = None
) -> list[Proof]:
    """The smallest rules besides the equations of the theory, each with its proof."""
    check_learnable(theory)
    x, y = islice(variable_names(theory.signature.symbols), 2)
    run = Completion(theory).begin(Problem("all are equal", var(x), var(y)))
    found = run.run(Budget(considered, _SECONDS, stop=stop))
    if found.status is Status.STOPPED:
        raise Stopped
    if found.status is Status.PROVED:
        raise InputError(
            f"in {theory.name} everything is equal: its equations prove {x} = {y}, so there is "
            "nothing to learn; look at them with: threesil show FILE"
        )
    known = {equation_key(equation.lhs, equation.rhs) for equation in theory.equations}
    rules = [
        rule
        for rule in run.rules(_RULES)
        if equation_key(rule.equation.start, rule.equation.target or rule.equation.start)
        not in known
    ]
    proofs = certified(theory, run.lemmas(rules, stop) if rules else ())
    return [proofs[rule.equation.name] for rule in rules if rule.equation.name in proofs]


def check_learnable(theory: Theory) -> None:
    """Refuses a theory without equations to learn from."""
    if theory.goal is not Goal.EQUATION:
        message = f"the problems of {theory.name} are no equations: none can be derived from others"
        raise InputError(f"{message}; leave out `generated`, or --growing")
    if not theory.equations:
        raise InputError(
            f"{theory.name} has no equations, so nothing follows from them; goals alone are no "
            "theory: name the theory that they are about, and give the file as --problems"
        )


@dataclass(frozen=True)
class Graded:
    """A theorem, and how many expansions the search without weights needed for it."""

    proof: Proof
    difficulty: int

    @property
    def problem(self) -> Problem:
        return self.proof.problem


def growing_theorems(
    theory: Theory,
    count: int,
    seed: int,
    rules: Sequence[Proof],
    *,
    threads: int = 1,
    seconds: float = math.inf,
    progress: Callable[[int], None] = lambda found: None,
    stop: Stop | None = None,
    partly: bool = False,
    known: Measured | None = None,
) -> list[Graded]:
    """At most `count` theorems, from the easiest to the hardest; the seed decides which.

    After so many seconds no more are made. `partly`: what there is when `stop` is set will do.
    `known`: what was measured before; with it, the same theorems are made again in no time.
    `progress` hears for how many theorems there is a choice.
    """
    end = time.perf_counter() + seconds
    known = known or Measured()
    made: list[Graded] = []
    candidates = _New(_candidates(theory, rules, Random(seed)), stop)
    misses = 0
    with Threads(threads) as place:
        measure = _Measuring(place, theory, known, stop)
        while len(made) < _CHOICE * count and misses < _MISSES:
            until = math.inf if known.goes_on else end
            if time.perf_counter() >= until:
                break
            before = len(made)
            try:
                listed = candidates.next_ones(until)
                if not listed:
                    break
                measured = measure([c.problem for c in listed])
            except Stopped:
                if partly:
                    break
                raise
            graded = map(Graded, listed, measured)
            made += [one for one in graded if one.difficulty > _TRIVIAL]
            progress(min(count, len(made) // _CHOICE))
            misses = misses + 1 if len(made) == before else 0
    kept = _chosen(made, count, None if partly else stop)
    if len(kept) < min(count, _FEWEST) and not (stop is not None and stop.is_set()):
        raise InputError(
            f"only {len(kept)} theorems that are not trivial were found from the equations of "
            f"{theory.name}; that is too little to learn from: give it "
            "more equations, or train on problems of your own with --problems FILE"
        )
    return sorted(kept, key=lambda graded: graded.difficulty)


def grade(
    theory: Theory,
    problems: Sequence[Problem],
    *,
    threads: int = 1,
    stop: Stop | None = None,
    known: Measured | None = None,
) -> list[tuple[Problem, int]]:
    """Problems with the expansions that the search without weights needs."""
    with Threads(threads) as place:
        measure = _Measuring(place, theory, known or Measured(), stop)
        return list(zip(problems, measure(problems), strict=True))


class _New:
    """Candidates that say something new."""

    def __init__(self, candidates: Iterator[Proof], stop: Stop | None) -> None:
        self._candidates, self._stop = candidates, stop
        self._keys: set[frozenset[Term]] = set()

    def next_ones(self, until: float) -> list[Proof]:
        """The next few; fewer if there is hardly anything new to say."""
        found: list[Proof] = []
        known = 0  # in a row
        while len(found) < _TOGETHER and known < _KNOWN and (found or time.perf_counter() < until):
            if self._stop is not None and self._stop.is_set():
                raise Stopped
            one = next(self._candidates, None)
            if one is None:
                break
            key = equation_key(*_sides(one.problem))
            known = known + 1 if key in self._keys else 0
            found += [one] if known == 0 else []
            self._keys.add(key)
        return found


def _chosen(made: Sequence[Graded], count: int, stop: Stop | None = None) -> list[Graded]:
    """At most `count` of the theorems: as many hard ones as easy ones, as far as there are any.

    Those whose difficulties have as many binary digits are alike; of these the first come first.
    """
    alike: dict[int, list[Graded]] = {}
    for one in made:
        alike.setdefault(one.difficulty.bit_length(), []).append(one)
    hardest_first = [alike[digits] for digits in sorted(alike, reverse=True)]
    kept: list[Graded] = []
    instances = 0
    for one in chain.from_iterable(zip_longest(*hardest_first)):
        if one is None or len(kept) == count:
            continue
        if stop is not None and stop.is_set():
            raise Stopped
        related = _is_related(one, kept)
        if not related or instances + 1 <= INSTANCES * (len(kept) + 1):
            instances += related
            kept.append(one)
    return kept


def _is_related(theorem: Graded, others: Sequence[Graded]) -> bool:
    """Whether it is an instance of one of the others, or one of them of it."""
    sides = _sides(theorem.problem)
    return any(
        is_instance(sides, other) or is_instance(other, sides)
        for other in (_sides(one.problem) for one in others)
    )


def _sides(problem: Problem) -> tuple[Term, Term]:
    assert problem.target is not None
    return problem.start, problem.target


def _candidates(theory: Theory, rules: Sequence[Proof], random: Random) -> Iterator[Proof]:
    """Rules first, then walks without end, as far as there are any."""
    yield from rules
    known = {rule.problem.name: rule for rule in rules}
    ways = with_lemmas(theory, rules)
    number = idle = 0
    while idle < 1000:
        idle += 1
        steps = random.choice(LENGTHS)
        start = random_term(ways, random, random.choice(_DEPTHS))
        walk = random_walk(ways, start, steps, random, _LARGEST)
        if start.size > _LARGEST or walk.start == walk.end:
            continue
        walk = _renamed(theory, walk)
        number, idle = number + 1, 0
        problem = Problem(f"walk-{steps}-{number}", walk.start, walk.end)
        yield certify(theory, problem, walk, cited(walk, known))


def _renamed(theory: Theory, walk: Derivation) -> Derivation:
    """The walk with the usual names for its variables, in order of occurrence."""
    names = walk.start.variables()
    usual = islice(variable_names(theory.signature.symbols), len(names))
    return close(walk, {old: var(new) for old, new in zip(names, usual, strict=True)})


class _Measuring:
    """Counts the expansions that theorems take."""

    def __init__(self, place: Place, theory: Theory, known: Measured, stop: Stop | None) -> None:
        self._place, self._known, self._stop = place, known, stop
        self._make = partial(_Counter, theory)

    def __call__(self, problems: Sequence[Problem]) -> list[int]:
        found = [self._known.get(problem) for problem in problems]
        new = [problem for problem, count in zip(problems, found, strict=True) if count is None]
        counts = self._place.ordered(self._make, new, self._stop)
        for k, problem in enumerate(problems):
            if found[k] is None:
                found[k] = count = next(counts, None)
                if count is None:
                    raise Stopped
                self._known.add(problem, count)
        return [count for count in found if count is not None]


class _Counter:
    """A worker's prover, which counts the expansions of a theorem."""

    def __init__(self, theory: Theory) -> None:
        self._prover = Prover(theory, solver="unguided", refute=False)
        self._prover.solver.polish = 0.0

    def __call__(self, problem: Problem, give: Callable[[int], None], stop: Stop) -> None:
        outcome = self._prover.prove(problem, seconds=math.inf, expansions=_EFFORT, stop=stop)
        if not stop.is_set():
            give(outcome.expansions if outcome.proved else _EFFORT)
