"""Cooperation: what the model shows about a goal helps a classical prover (section 7).

The model rewrites both sides of the goal. Every path from a side to another term proves that the
two are equal: a *lemma*, which holds for all values of its variables. Lemmas are certified by the
kernel, written with the larger side on the left, each kept once up to the names of its variables,
none that an equation of the theory or a better lemma has as an instance; short and probable ones
come first. A prover gets them as assumptions, or as hints that guide it and prove nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from threesil.engine import Budget
from threesil.errors import InputError
from threesil.naming import equation_key, fresh_name, is_instance
from threesil.proof import Derivation, Proof, certify, close
from threesil.provers import MEMORY, ExternalProver, Task, Verdict
from threesil.search.prover import Prover, Result
from threesil.theory import Equation, Problem

COUNT = 30
MODEL_SHARE = 0.5  # of a portfolio's time, before the provers begin
_LEMMA_SHARE = 0.1  # of it, for lemmas, where the model finds no proof
_MANY = 8  # paths looked at for each lemma that is wanted
_AT_LEAST = 240  # paths looked at, however few are wanted


@dataclass(frozen=True)
class Lemma:
    """An equation that holds in the theory, with its proof, and how probable its path was."""

    equation: Equation
    proof: Proof
    log_probability: float


def find_lemmas(
    prover: Prover,
    problem: Problem,
    *,
    seconds: float = 1.0,
    expansions: int | None = None,
    count: int = COUNT,
) -> list[Lemma]:
    """At most `count` lemmas, the best first; the goal itself is none."""
    if prover.guided is None:
        raise InputError(f"lemmas need a model of {prover.theory.name}; train one, then --model")
    theory = prover.theory
    budget = Budget(expansions or 2**62, seconds)
    looked_at = max(_MANY * count, _AT_LEAST)
    paths = prover.guided.explore(problem, budget, count=looked_at, seed=prover.seed)
    taken = {equation.name for equation in theory.equations}
    known = [(equation.lhs, equation.rhs) for equation in theory.equations]
    seen = {equation_key(problem.start, problem.target or problem.start)}
    lemmas: list[Lemma] = []
    for derivation, log_probability in paths:
        derivation = _closed(_oriented(derivation))
        lhs, rhs = derivation.start, derivation.end
        key = equation_key(lhs, rhs)
        if lhs == rhs or key in seen or any(is_instance((lhs, rhs), e) for e in known):
            continue
        seen.add(key)
        known.append((lhs, rhs))
        name = fresh_name(f"lemma_{len(lemmas) + 1}", taken)
        proof = certify(theory, Problem(name, lhs, rhs), derivation)
        lemmas.append(Lemma(Equation(name, lhs, rhs, "known"), proof, log_probability))
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


def _oriented(derivation: Derivation) -> Derivation:
    """The larger side first, as rewrite rules go."""
    return derivation if derivation.start.size >= derivation.end.size else derivation.backwards()


def _closed(derivation: Derivation) -> Derivation:
    """With a value for each variable that comes in and goes out between the two ends."""
    ends = {*derivation.start.variables(), *derivation.end.variables()}
    inner = {name for term in derivation.terms for name in term.variables()} - ends
    leaf = next(term for term in derivation.start.subterms() if not term.args)
    return close(derivation, dict.fromkeys(inner, leaf))


@dataclass(frozen=True)
class Answer:
    """What came of a portfolio: who proved the problem, the result of the model, all verdicts."""

    by: str | None
    result: Result
    verdict: Verdict | None
    verdicts: tuple[Verdict, ...]
    lemmas: tuple[Lemma, ...]
    seconds: float

    @property
    def proved(self) -> bool:
        return self.by is not None

    @property
    def status(self) -> str:
        if self.proved:
            return "Theorem"
        statuses = {verdict.status for verdict in self.verdicts}
        return "CounterSatisfiable" if "CounterSatisfiable" in statuses else self.result.status


MODEL = "model"


def portfolio(
    prover: Prover,
    provers: Sequence[ExternalProver],
    problem: Problem,
    *,
    seconds: float = 60.0,
    expansions: int | None = None,
    memory: int = MEMORY,
    count: int = COUNT,
) -> Answer:
    """The model first; then all provers at once on the problem with lemmas, until one proves it.

    With provers at hand the model gets its share of the time, else all of it.
    """
    begin = time.perf_counter()
    share = MODEL_SHARE * seconds if provers else seconds
    result = prover.prove(problem, seconds=share, expansions=expansions)
    if result.proved or not provers:
        by = MODEL if result.proved else None
        return Answer(by, result, None, (), (), time.perf_counter() - begin)
    lemmas: list[Lemma] = []
    if prover.guided is not None:
        lemmas = find_lemmas(prover, problem, seconds=_LEMMA_SHARE * seconds, count=count)
    left = max(0.0, seconds - (time.perf_counter() - begin))
    task = with_lemmas(Task(prover.theory, problem), lemmas)
    winner, verdicts = race(provers, task, left, memory)
    by = winner.prover if winner else None
    spent = time.perf_counter() - begin
    return Answer(by, result, winner, tuple(verdicts), tuple(lemmas), spent)


def race(
    provers: Sequence[ExternalProver],
    task: Task,
    seconds: float,
    memory: int = MEMORY,
    settled: Callable[[Verdict], bool] = lambda v: v.status in ("Theorem", "CounterSatisfiable"),
) -> tuple[Verdict | None, list[Verdict]]:
    """All provers at once; the first that proves the task ends the others. (winner, verdicts)"""
    stop = threading.Event()
    first: list[Verdict] = []
    lock = threading.Lock()

    def run(prover: ExternalProver) -> Verdict:
        try:
            verdict = prover.run(task, seconds, memory, stop)
        except OSError as error:  # its program is gone, or there is no room for its files
            verdict = Verdict(prover.name, "Error", 0, 0, "", None, (), str(error))
        with lock:
            if settled(verdict) and not first:
                first.append(verdict)
                stop.set()
        return verdict

    with ThreadPoolExecutor(max(1, len(provers))) as pool:
        try:
            verdicts = list(pool.map(run, provers))
        except BaseException:
            stop.set()
            raise
    winner = first[0] if first and first[0].proved else None
    return winner, verdicts
