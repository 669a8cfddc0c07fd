"""A theory's library: what was proved earlier becomes a lemma for what comes later, if it pays.

*Candidates* are the lemmas in proofs of the problems, the problems themselves where they are
small, and the smallest rules of a completion of the theory; each with its proof, each once up to
renaming, none that an equation of the theory has as an instance. All of them are lent to the
search at once, on the first half of the problems: those that its proofs cite are ranked by how
many cite them. How many of these are kept is measured on the second half: as many as make the
problems cheapest, where one that is not proved costs twice its time. This is repeated with the
library at hand, which brings new candidates, until it no longer pays. A problem is never proved
by citing itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from threesil.engine import Budget, Completion, Stop
from threesil.errors import InputError
from threesil.from_axioms import moved
from threesil.lemmas import in_order
from threesil.naming import equation_key, fresh_name, is_instance, variable_names
from threesil.outcome import Outcome
from threesil.proof import Proof, certify, close
from threesil.search.strategies import make_strategy
from threesil.search.strategy import Strategy
from threesil.terms import Term, var
from threesil.theory import Equation, Problem, Theory

SIZES = (0, 5, 10, 20, 40, 80, 160)  # of a library, as they are tried
_MANY = 300  # candidates that are lent at once
_LARGEST = 30  # nodes of a candidate
_RULES = 250  # of a completion
_PAIRS = 1000  # critical pairs of that completion
_PAYS = 0.98  # of the cost before, at most


@dataclass(frozen=True)
class Plan:
    """How problems are tried: `seconds` of CPU time each, a strategy, rounds at the most."""

    seconds: float = 0.2
    strategy: str = "best"
    rounds: int = 3
    seed: int = 0


@dataclass(frozen=True)
class Member:
    """A lemma of a library: a known equation, its proof from the theory, how many cited it."""

    equation: Equation
    proof: Proof
    uses: int


@dataclass(frozen=True)
class Trial:
    """What problems cost with a library of so many lemmas."""

    lemmas: int
    proved: int
    cost: float
    """CPU seconds; one that is not proved counts twice its time"""


@dataclass(frozen=True)
class Round:
    """What a round had to choose from, and what its sizes cost."""

    candidates: int
    cited: int
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class Library:
    """Lemmas of a theory, and how they were chosen."""

    theory: Theory
    members: tuple[Member, ...] = ()
    rounds: tuple[Round, ...] = ()

    @property
    def says(self) -> frozenset[frozenset[Term]]:
        """Its equations, whatever they are called."""
        return frozenset(equation_key(m.equation.lhs, m.equation.rhs) for m in self.members)

    @property
    def extended(self) -> Theory:
        """The theory that knows the lemmas."""
        added = [member.equation for member in self.members]
        return self.theory.extended(added, f"{self.theory.name}-library") if added else self.theory


Progress = Callable[[str, int, int], None]  # what is done, of how many problems


def grow(
    theory: Theory,
    problems: Sequence[Problem],
    plan: Plan | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Library:
    """The library that pays on these problems."""
    plan = plan or Plan()
    first, second = _halves(problems, plan.seed)
    tester = _Tester(plan, progress, stop)
    library = Library(theory)
    harvested = _rules_of(theory, stop)
    for number in range(1, plan.rounds + 1):
        outcomes = tester.prove(library.extended, first, f"round {number}: proving")
        known = {member.equation.name: member.proof for member in library.members}
        harvested += [moved(o.proof, theory, known) for o in outcomes if o.proof is not None]
        candidates = _candidates(theory, harvested, library.members)
        lent = Library(theory, candidates).extended
        outcomes = tester.prove(lent, first, f"round {number}: {len(candidates)} candidates")
        ranked = _ranked(candidates, outcomes)
        trials, best = [], Library(theory, library.members)
        for size in sorted({k for k in SIZES if k < len(ranked)} | {min(len(ranked), SIZES[-1])}):
            tried = Library(theory, ranked[:size])
            what = f"round {number}: with {size} lemmas"
            trials.append(_trial(size, tester.prove(tried.extended, second, what), plan))
            if trials[-1].cost == min(trial.cost for trial in trials):
                best = tried
        rounds = (*library.rounds, Round(len(candidates), len(ranked), tuple(trials)))
        before = _trial(-1, tester.prove(library.extended, second, "the one before"), plan)
        pays = min(trial.cost for trial in trials) <= _PAYS * before.cost
        if not pays or best.says == library.says:
            return replace(library, rounds=rounds)
        library = replace(best, rounds=rounds)
    return library


def _halves(problems: Sequence[Problem], seed: int) -> tuple[list[Problem], list[Problem]]:
    """Those that lemmas come from, those that they are measured on."""
    shuffled = [p for p in problems if p.target is not None and not p.exists]
    if len(shuffled) < 2:
        raise InputError("a library needs two equations to prove at least")
    Random(seed).shuffle(shuffled)
    half = len(shuffled) // 2
    return shuffled[:half], shuffled[half:]


class _Tester:
    def __init__(self, plan: Plan, progress: Progress | None, stop: Stop | None) -> None:
        self._plan, self._progress, self._stop = plan, progress, stop

    def prove(self, theory: Theory, problems: Sequence[Problem], what: str) -> list[Outcome]:
        """The outcomes; a problem that the theory knows is proved without that."""
        known = {equation_key(e.lhs, e.rhs): e.name for e in theory.lemmas}
        usual, outcomes = self._strategy(theory), []
        for number, problem in enumerate(problems):
            if self._progress is not None:
                self._progress(what, number, len(problems))
            itself = known.get(_key(problem))
            strategy = self._strategy(theory.without([itself], theory.name)) if itself else usual
            budget = Budget(None, self._plan.seconds, stop=self._stop)
            outcomes.append(strategy.prove(problem, budget))
        return outcomes

    def _strategy(self, theory: Theory) -> Strategy:
        return make_strategy(self._plan.strategy, theory, seed=self._plan.seed)


def _trial(lemmas: int, outcomes: Sequence[Outcome], plan: Plan) -> Trial:
    proved = sum(outcome.proved for outcome in outcomes)
    costs = [o.cpu_seconds if o.proved else 2 * plan.seconds for o in outcomes]
    return Trial(lemmas, proved, round(sum(costs), 4))


def measured(
    theory: Theory,
    problems: Sequence[Problem],
    plan: Plan,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> list[Outcome]:
    """What comes of problems in a theory, as libraries are compared."""
    return _Tester(plan, progress, stop).prove(theory, problems, theory.name)


def _rules_of(theory: Theory, stop: Stop | None) -> list[Proof]:
    """The proofs of the smallest rules of a short completion."""
    run = Completion(theory).begin(Problem("x = y", var("x"), var("y")))
    run.run(Budget(_PAIRS, None, stop=stop))
    proofs: list[Proof] = []
    for lemma, derivation in run.lemmas(run.rules(_RULES), stop):
        proofs.append(certify(theory, lemma, derivation, proofs))
    return proofs


def _candidates(
    theory: Theory, proofs: Iterable[Proof], members: Sequence[Member]
) -> tuple[Member, ...]:
    """What occurs in the proofs, in how many of them; members first, then the commonest."""
    found: dict[frozenset[Term], Proof] = {}
    counted: Counter[frozenset[Term]] = Counter()
    for proof in proofs:
        inside = {}
        for one in in_order(proof):
            if _is_small(one.problem):
                inside[_key(one.problem)] = one
        counted.update(inside.keys())
        found = inside | found
    known = [(equation.lhs, equation.rhs) for equation in theory.equations]
    known += [(member.equation.lhs, member.equation.rhs) for member in members]
    taken = {equation.name for equation in (*theory.equations, *(m.equation for m in members))}
    candidates = list(members)
    for key in sorted(found, key=lambda key: (-counted[key], _size(found[key].problem))):
        problem = found[key].problem
        assert problem.target is not None
        if len(candidates) >= _MANY:
            break
        if any(is_instance((problem.start, problem.target), other) for other in known):
            continue
        known.append((problem.start, problem.target))
        name = fresh_name(f"lib_{len(candidates) + 1}", taken)
        taken.add(name)
        candidates.append(_member(theory, name, found[key], counted[key]))
    return tuple(candidates)


def _member(theory: Theory, name: str, proof: Proof, uses: int) -> Member:
    """The equation under a new name, the larger side first, with the usual variables."""
    derivation = proof.derivation
    if derivation.start.size < derivation.end.size:
        derivation = derivation.backwards()
    problem = Problem(name, derivation.start, derivation.end)
    names = zip(problem.variables, variable_names(theory.signature.symbols), strict=False)
    derivation = close(derivation, {old: var(new) for old, new in names})
    problem = Problem(name, derivation.start, derivation.end)
    made = certify(theory, problem, derivation, proof.lemmas)
    return Member(made.equation(), made, uses)


def _ranked(candidates: Sequence[Member], outcomes: Iterable[Outcome]) -> tuple[Member, ...]:
    """Those that proofs cite, the ones that most proofs cite first."""
    cited: Counter[str] = Counter()
    for outcome in outcomes:
        if outcome.proof is not None:
            cited.update(equation.name for equation in outcome.proof.known)
    used = [replace(m, uses=cited[m.equation.name]) for m in candidates if cited[m.equation.name]]
    used.sort(key=lambda m: (-m.uses, m.equation.lhs.size + m.equation.rhs.size))
    return tuple(
        _member(m.proof.theory, fresh_name(f"lib_{k}", m.proof.theory.by_name), m.proof, m.uses)
        for k, m in enumerate(used, 1)
    )


def _is_small(problem: Problem) -> bool:
    return not problem.exists and problem.target is not None and _size(problem) <= _LARGEST


def _size(problem: Problem) -> int:
    return problem.start.size + (problem.target.size if problem.target else 0)


def _key(problem: Problem) -> frozenset[Term]:
    assert problem.target is not None
    return equation_key(problem.start, problem.target)
