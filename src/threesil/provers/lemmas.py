"""Lemmas about a goal, which a policy finds and other provers can use (section 7 of the paper).

The policy rewrites both sides of the goal. Every path from a side to another term proves that the
two are equal, for all values of their variables: a *lemma*, which the kernel certifies. The paper's
own way is an *episode*: for each side that one episode has rewritten, before = after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from threesil.engine import Batch, Budget, Network
from threesil.errors import InputError
from threesil.kernel.naming import equation_key, fresh_name, is_instance
from threesil.kernel.proof import Derivation, Proof, close
from threesil.kernel.terms import Term, match
from threesil.kernel.theory import Equation, Problem
from threesil.provers.base import Task
from threesil.search.searcher import Searcher, WithLemmas
from threesil.search.solver import Explorer

COUNT = 30
_MANY = 8  # paths looked at for each lemma that is wanted
_AT_LEAST = 240  # paths looked at, however few are wanted


@dataclass(frozen=True)
class Lemma:
    """An equation that holds in the theory, with its proof, and how probable its path was."""

    equation: Equation
    proof: Proof
    log_probability: float | None = None


def episode_lemmas(solver: Searcher, problem: Problem) -> list[Lemma]:
    """before = after for each side that an episode of the policy rewrites: two at the most.

    The episode takes the most probable actions and ends as episodes of the theory do, for which
    the paper allows a second and the engine needs milliseconds.
    """
    network = episode_network(solver)
    batch = Batch(network.theory, [problem])
    played = batch.play(network, [0], seed=solver.seed, greedy=True, record_all=True)
    taken = _names(solver)
    lemmas: list[Lemma] = []
    for path in batch.sides_of(0, played.actions_of(0)):
        derivation = _closed(path)
        if derivation.start != derivation.end:
            name = fresh_name(f"episode_{len(lemmas) + 1}", taken)
            sides = derivation.start, derivation.end
            proof = solver.certify(Problem(name, *sides), derivation)
            lemmas.append(Lemma(proof.equation(), proof))
    return lemmas


def episode_network(solver: Searcher) -> Network:
    """The network that plays episodes; `InputError` if the weights are not of the theory."""
    player = solver.inner if isinstance(solver, WithLemmas) else solver
    network = player.network
    if network is None or network.theory.digest != player.theory.digest:
        raise InputError(f"an episode needs weights of {solver.theory.name}; see --weights")
    return network


def _names(solver: Searcher) -> set[str]:
    """The names that a lemma can't have."""
    return {*(equation.name for equation in solver.theory.equations), *solver.library}


def lemma_explorer(solver: Searcher) -> Explorer:
    """What finds lemmas; `InputError` if there are no weights for it."""
    if solver.explorer is None:
        name = solver.theory.name
        raise InputError(f"lemmas need weights of {name}; train some, then --weights")
    return solver.explorer


def find_lemmas(
    solver: Searcher, problem: Problem, budget: Budget, count: int = COUNT
) -> list[Lemma]:
    """At most `count` lemmas, the best first; the goal itself is none.

    Each has its larger side on the left and is kept once up to the names of its variables. None is
    an instance of an equation of the theory or of a better lemma, and none is about a term that the
    theory's unit laws (such as e * x = x) make smaller. Short and probable ones come first.
    """
    theory, explorer = solver.theory, lemma_explorer(solver)
    looked_at = max(_MANY * count, _AT_LEAST)
    paths = explorer.explore(problem, budget, count=looked_at, seed=solver.seed)
    taken = _names(solver)
    known = [(equation.lhs, equation.rhs) for equation in theory.equations]
    units = [big for pair in known for big, small in (pair, pair[::-1]) if _is_unit(big, small)]
    seen = {equation_key(problem.start, problem.target or problem.start)}
    lemmas: list[Lemma] = []
    for derivation, log_probability in paths:
        derivation = _closed(_oriented(derivation))
        lhs, rhs = derivation.start, derivation.end
        key = equation_key(lhs, rhs)
        found = (side for side in (lhs, rhs) if side not in (problem.start, problem.target))
        if any(_reducible(side, units) for side in found):
            continue
        if lhs == rhs or key in seen or any(is_instance((lhs, rhs), e) for e in known):
            continue
        seen.add(key)
        known.append((lhs, rhs))
        name = fresh_name(f"lemma_{len(lemmas) + 1}", taken)
        proof = solver.certify(Problem(name, lhs, rhs), derivation)
        lemmas.append(Lemma(proof.equation(), proof, log_probability))
        if len(lemmas) == count:
            break
    return lemmas


def with_lemmas(task: Task, lemmas: Sequence[Lemma], use: str = "lemmas") -> Task:
    """The task with the lemmas as assumptions (`lemmas`), as `hints`, or as `both`."""
    equations = tuple(lemma.equation for lemma in lemmas)
    if use not in ("lemmas", "hints", "both"):
        raise InputError(f"unknown use of lemmas {use!r}; expected lemmas, hints or both")
    if use != "hints":
        task = replace(task, lemmas=task.lemmas + equations)
    if use != "lemmas":
        task = replace(task, hints=task.hints + equations)
    return task


def _is_unit(big: Term, small: Term) -> bool:
    """Whether an equation is a unit law: a variable with a constant beside it is the variable."""
    leaves = [t for t in big.distinct() if not t.args]
    return small.is_variable and len(leaves) == 2 == len(big.args) and small in leaves


def _reducible(term: Term, patterns: Sequence[Term]) -> bool:
    return any(match(pattern, t) is not None for t in term.distinct() for pattern in patterns)


def _oriented(derivation: Derivation) -> Derivation:
    """The larger side first, as rewrite rules go."""
    return derivation if derivation.start.size >= derivation.end.size else derivation.backwards()


def _closed(derivation: Derivation) -> Derivation:
    """With a value for each variable that comes in and goes out between the two ends."""
    ends = {*derivation.start.variables(), *derivation.end.variables()}
    inner = {name for term in derivation.terms for name in term.variables()} - ends
    leaf = next(term for term in derivation.start.subterms() if not term.args)
    return close(derivation, dict.fromkeys(inner, leaf))
