"""Cooperation: what the model shows about a goal helps a classical prover (section 7).

The model rewrites both sides of the goal. Every path from a side to another term proves that the
two are equal: a *lemma*, which holds for all values of its variables. Lemmas are certified by the
kernel, written with the larger side on the left, each kept once up to the names of its variables,
none that an equation of the theory or a better lemma has as an instance, none about a term that
the theory's unit laws (such as e * x = x) make smaller; short and probable ones come first. A
prover gets them as assumptions, or as hints that guide it and prove nothing; what it then says is
its claim.

That is a search. The paper's own way is an *episode*: one episode of the policy, and for each side
that it has rewritten the one equation before = after, as it is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace

from threesil.engine import Batch, Budget, Stop
from threesil.errors import InputError
from threesil.kernel.naming import equation_key, fresh_name, is_instance
from threesil.kernel.outcome import OUT_OF_MEMORY, RUNNING, SZS, Outcome, Turn
from threesil.kernel.proof import Derivation, Proof, certify, close
from threesil.kernel.terms import Term, match
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.provers import MEMORY, ExternalProver, Task
from threesil.provers.proofs import UnreadableProof, read_proof
from threesil.provers.reconstruct import NotReconstructed, reconstruct
from threesil.search.prover import Prover

COUNT = 30
MODEL_SHARE = 0.5  # of a portfolio's time, before the provers begin
_LEMMA_SHARE = 0.1  # of it, for lemmas, where the model finds no proof
_CERTIFY_SHARE = 0.5  # of it, for following another prover's proof
_MANY = 8  # paths looked at for each lemma that is wanted
_AT_LEAST = 240  # paths looked at, however few are wanted


@dataclass(frozen=True)
class Lemma:
    """An equation that holds in the theory, with its proof, and how probable its path was."""

    equation: Equation
    proof: Proof
    log_probability: float | None = None


def episode_lemmas(prover: Prover, problem: Problem) -> list[Lemma]:
    """before = after for each side that an episode of the policy rewrites: two at the most.

    The episode takes the most probable actions and ends as episodes of the theory do, for which
    the paper allows a second and the engine needs milliseconds.
    """
    network = prover.strategy.network
    if network is None or network.theory.digest != prover.theory.digest:
        raise InputError(f"an episode needs a model of {prover.theory.name}; see --model")
    theory = prover.theory
    batch = Batch(theory, [problem])
    played = batch.play(network, [0], seed=prover.seed, greedy=True, record_all=True)
    taken = {equation.name for equation in theory.equations}
    lemmas: list[Lemma] = []
    for path in batch.sides_of(0, played.actions_of(0)):
        derivation = _closed(path)
        if derivation.start != derivation.end:
            name = fresh_name(f"episode_{len(lemmas) + 1}", taken)
            sides = derivation.start, derivation.end
            proof = certify(theory, Problem(name, *sides), derivation)
            lemmas.append(Lemma(proof.equation(), proof))
    return lemmas


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
    budget = Budget(expansions, seconds)
    looked_at = max(_MANY * count, _AT_LEAST)
    paths = prover.guided.explore(problem, budget, count=looked_at, seed=prover.seed)
    taken = {equation.name for equation in theory.equations}
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
        proof = certify(theory, Problem(name, lhs, rhs), derivation)
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


def portfolio(
    prover: Prover,
    provers: Sequence[ExternalProver],
    problem: Problem,
    *,
    seconds: float = 60.0,
    expansions: int | None = None,
    memory: int = MEMORY,
    count: int = COUNT,
    stop: Stop | None = None,
    progress: Callable[[Turn], None] | None = None,
) -> tuple[Outcome, tuple[Lemma, ...]]:
    """The model first; then all provers at once on the problem with lemmas, until one decides it.

    The outcome has the parts of all who tried, the model's first. What another prover says is
    turned into a proof of ours and certified; where that fails it is a claim, in whose name the
    outcome is `by`, and `reason` says why. The lemmas that the provers were given come beside it.

    Seconds are of CPU time: all that is done here takes no more of them, and no prover beside it
    either. With provers at hand the search gets its share, then lemmas and proofs that are followed
    get theirs; each prover gets what is left when it begins. `progress` hears of turns as those of
    a schedule begin and end.
    """
    begin, cpu = time.perf_counter(), time.thread_time()

    def left(share: float = 1.0) -> float:
        return max(0.0, min(share * seconds, seconds - (time.thread_time() - cpu)))

    share = MODEL_SHARE * seconds if provers else seconds
    own = prover.prove(problem, seconds=share, expansions=expansions, stop=stop, progress=progress)
    if own.status.decides or not provers:
        return replace(own, parts=(own,)), ()
    lemmas: list[Lemma] = []
    if prover.guided is not None:
        with suppress(MemoryError):  # they are a help, no more
            lemmas = find_lemmas(prover, problem, seconds=left(_LEMMA_SHARE), count=count)
    task = with_lemmas(Task(prover.theory, problem), lemmas)
    if progress is not None:
        progress(Turn(", ".join(other.name for other in provers), 0.0, 0, RUNNING))
    first, others = race(provers, task, left(), memory)
    joint = _joint(own, first, others)
    if joint.claimed and joint.status is SZS.THEOREM:
        joint = certified(joint, prover.theory, lemmas, left(_CERTIFY_SHARE), stop)
    spent = time.thread_time() - cpu
    outcome = replace(
        joint,
        seconds=time.perf_counter() - begin,
        cpu_seconds=spent + sum(other.cpu_seconds for other in others),
        parts=(own, *others),
    )
    return outcome, tuple(lemmas)


def certified(
    claim: Outcome,
    theory: Theory,
    lemmas: Sequence[Lemma] = (),
    seconds: float = 10.0,
    stop: Stop | None = None,
) -> Outcome:
    """The outcome with a proof of ours that follows the prover's words; as it is if that fails."""
    try:
        skeleton = read_proof(claim.by, claim.words or "")
        given = [lemma.proof for lemma in lemmas]
        budget = Budget(None, seconds, stop=stop)
        proof = reconstruct(theory, claim.problem, skeleton, budget, given)
    except (UnreadableProof, NotReconstructed) as error:
        return replace(claim, reason=f"its proof could not be certified: {error}")
    except MemoryError:
        return replace(claim, reason=f"its proof could not be certified: {OUT_OF_MEMORY}")
    return replace(claim, proof=proof)


def _joint(own: Outcome, first: Outcome | None, others: Sequence[Outcome]) -> Outcome:
    """The first claim, unless another prover claims the opposite; the model's outcome if none."""
    if first is None:
        return own
    claims = [other for other in others if other.claimed]
    if len({claim.status for claim in claims}) > 1:
        said = ", ".join(f"{claim.by} says {claim.status}" for claim in claims)
        return replace(own, status=SZS.UNKNOWN, by="", reason=f"the provers disagree: {said}")
    return replace(own, status=first.status, by=first.by, words=first.words, reason=first.reason)


def race(
    provers: Sequence[ExternalProver], task: Task, seconds: float, memory: int = MEMORY
) -> tuple[Outcome | None, list[Outcome]]:
    """All provers at once; the first that decides the task ends the others. (the first, all)"""
    stop = threading.Event()
    decided: list[Outcome] = []
    lock = threading.Lock()

    def run(prover: ExternalProver) -> Outcome:
        try:
            outcome = prover.run(task, seconds, memory, stop)
        except OSError as error:  # its program is gone, or there is no room for its files
            outcome = Outcome(task.problem, SZS.ERROR, by=prover.name, reason=str(error))
        with lock:
            if outcome.status.decides:
                decided.append(outcome)
                stop.set()
        return outcome

    with ThreadPoolExecutor(max(1, len(provers))) as pool:
        try:
            outcomes = list(pool.map(run, provers))
        except BaseException:
            stop.set()
            raise
    return decided[0] if decided else None, outcomes
