"""Which of the derived rules become lemmas, how many a search takes, and what rules cost.

A saturation that has all rules proves training theorems; a rule is the better, the more of these
proofs use it. The same counts say what an instance of a rule should cost it: the rarer its use, the
more, by a scale that is chosen on training theorems too, and may be 0. Lemmas make proofs short and
each step dear; how many of them pay is different for each search, and chosen in the same way.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from threesil.engine import Budget, Saturation, Status, Stop, Stopped
from threesil.kernel.proof import Derivation, Proof, certify
from threesil.kernel.theory import Direction, Problem, Theory
from threesil.learn.what_helps import time_of
from threesil.search.best import TAKE_LEMMAS, with_lemmas_for
from threesil.search.learned import Costs, Learned, with_lemmas

MOST = 80  # lemmas
_PROBLEMS = 150  # training theorems that are looked at
_EXPANSIONS = 3000  # for each of them
_SECONDS = 0.5  # of CPU time: in some theories a saturation grows beyond all bounds
_ALL = 5.0  # for all of them
_SCALES = (0.0, 0.5, 1.0, 2.0)
_AMOUNTS = (0, 5, 10, 20, 40, MOST)
_SHORT, _LONG = 0.0002, 0.05  # CPU seconds: times that are no better than another, and a limit

Use = Counter[tuple[str, Direction]]


def choose_lemmas(
    theory: Theory, rules: Sequence[Proof], problems: Sequence[Problem], stop: Stop | None = None
) -> tuple[Proof, ...]:
    """The rules that proofs of the problems use most, under names of their own."""
    use, _, _ = _used(with_lemmas(theory, rules), _some(problems), {}, stop)
    often = Counter[str]()
    for (name, _), times in use.items():
        often[name] += times
    order = {rule.problem.name: place for place, rule in enumerate(rules)}
    chosen = [rule for rule in rules if often[rule.problem.name]]
    chosen.sort(key=lambda rule: (-often[rule.problem.name], order[rule.problem.name]))
    names = (f"learned_{number}" for number in count(1))
    free = (name for name in names if name not in theory.by_name)
    return tuple(_named(rule, name) for rule, name in zip(chosen[:MOST], free, strict=False))


def _named(rule: Proof, name: str) -> Proof:
    problem = Problem(name, rule.problem.start, rule.problem.target)
    return certify(rule.theory, problem, rule.derivation, rule.lemmas)


@dataclass(frozen=True)
class Choice:
    """Costs of rules, and how many expansions they and no costs at all took in training."""

    costs: Costs
    expansions: int
    without: int


def choose_costs(theory: Theory, problems: Sequence[Problem], stop: Stop | None = None) -> Choice:
    """Costs that make saturations of the problems cheap; none if these are the cheapest."""
    use, without, looked = _used(theory, _some(problems), {}, stop)
    problems = _some(problems)[:looked]
    best = Choice({}, without, without)
    most = max(use.values(), default=0)
    rules = dict.fromkeys(theory.rewrites())
    for scale in _SCALES[1:]:
        costs = {rule: scale * math.log2((most + 1) / (use[rule] + 1)) for rule in rules}
        _, expansions, count = _used(theory, problems, costs, stop)
        if count == looked and expansions < best.expansions:
            best = Choice(costs, expansions, without)
    return best


def choose_amounts(
    learned: Learned,
    problems: Sequence[Problem],
    seconds: float,
    progress: Callable[[int, int], None] = lambda done, problems: None,
    stop: Stop | None = None,
) -> dict[str, int]:
    """How many lemmas each search takes: those with which it is the fastest, on the average of the
    logarithms, looking at as many problems as there are CPU seconds for."""
    counts = dict.fromkeys(min(amount, len(learned.lemmas)) for amount in _AMOUNTS)
    searches = {
        (name, count): with_lemmas_for(name, replace(learned, amounts={name: count}))
        for name in TAKE_LEMMAS
        for count in counts
    }
    taken = dict.fromkeys(searches, 0.0)
    end = time.thread_time() + seconds
    some = [problem for problem in _some(problems) if not problem.exists]
    for done, problem in enumerate(some):
        if time.thread_time() > end:
            break
        for key, search in searches.items():
            seconds = time_of(search, problem, _LONG, stop)
            taken[key] += math.log(min(max(seconds, _SHORT), 2 * _LONG))
        progress(done + 1, len(some))
    return {name: min(counts, key=lambda count: taken[name, count]) for name in TAKE_LEMMAS}


def _some(problems: Sequence[Problem]) -> Sequence[Problem]:
    return problems[:: max(1, len(problems) // _PROBLEMS)]


def _used(
    theory: Theory, problems: Sequence[Problem], costs: Costs, stop: Stop | None
) -> tuple[Use, int, int]:
    """How many proofs use a rule; all expansions, those in vain twice; problems looked at."""
    saturation = Saturation(theory, rule_costs=costs)
    use, total, begin = Use(), 0, time.thread_time()
    for looked, problem in enumerate(problems):
        if time.thread_time() - begin > _ALL:
            return use, total, looked
        if problem.exists:
            continue
        found = saturation.prove(problem, Budget(_EXPANSIONS, _SECONDS, stop=stop))
        if found.status is Status.STOPPED:
            raise Stopped
        total += found.expansions if found.derivation else 2 * _EXPANSIONS
        if found.derivation is not None:
            chains: list[Derivation] = [found.derivation, *(chain for _, chain in found.lemmas)]
            use.update({(s.equation, s.direction) for chain in chains for s in chain.steps})
    return use, total, len(problems)
