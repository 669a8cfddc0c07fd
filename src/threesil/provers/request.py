"""Proving or refuting what people type or have in files: the strategy first, then other provers.

A *target* is what one argument stands for: an equation in a theory; the problems of a file; or a
file with equations of its own, which are then the theory, and its goals the problems. A file
without a goal asks for a model: the problem is `x = y`, which the models with two elements or more
refute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from threesil.engine import Budget, Stop
from threesil.errors import InputError
from threesil.files import is_file
from threesil.kernel.countermodel import check
from threesil.kernel.naming import fresh_name
from threesil.kernel.outcome import SZS, Outcome, Turn
from threesil.kernel.proof import Proof
from threesil.kernel.tables import Tables
from threesil.kernel.terms import var
from threesil.kernel.theory import Equation, Goal, Problem, Theory
from threesil.nets.model import Model
from threesil.notations.document import Document
from threesil.notations.reading import (
    looks_like_path,
    missing,
    notation_of,
    notation_of_file,
    parse,
    read,
)
from threesil.problems import load_problems, parse_problem
from threesil.proofs.from_axioms import from_axioms
from threesil.proofs.shorten import shortened
from threesil.provers import ExternalProver
from threesil.provers.cooperate import portfolio
from threesil.runs.weights import theory_of_run
from threesil.search.finite import Finder, Sought
from threesil.search.prover import Prover
from threesil.search.refute import Refute
from threesil.search.strategies import default_strategy, strategy_named
from threesil.search.strategy import SZS_OF, Need
from threesil.theories import get_theory

DEFAULT_THEORY = "aim"
Usual = Callable[[], Theory]  # the theory of equations that come without one
_FINDER = 0.1  # of the time, where several goals are to fail in one model
_FIRST_LOOK = 0.005  # before their proofs are looked for


@dataclass(frozen=True)
class Target:
    """Problems in a theory; with `any_goal` one of them is enough. `notes` say how it was read.

    `no_goal`: there was none, and any model will do.
    """

    theory: Theory
    problems: tuple[Problem, ...]
    any_goal: bool = False
    notes: tuple[str, ...] = ()
    no_goal: bool = False


@dataclass(frozen=True)
class Plan:
    """How targets are tried: a strategy (None: that of the kind of goals), what each problem may
    cost, who helps with equations.

    `seconds` are of CPU time, for all that is done here on a problem; no helper takes more either.
    `polish` are those of them that a proof is shortened for at least: a chain while it is found,
    one with lemmas afterwards, unless expansions are counted; `shorten` those that are spent on it
    afterwards in any case, beyond the others. `from_axioms`: equations that a proof takes as
    known are replaced by their own proofs.
    """

    strategy: str | None = None
    seconds: float = 60.0
    expansions: int | None = None
    model: str | Path | Model | None = None
    seed: int = 0
    helpers: tuple[ExternalProver, ...] = ()
    polish: float = 0.0
    from_axioms: bool = False
    shorten: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What came of a problem, and with how many lemmas other provers were helped."""

    theory: Theory
    outcome: Outcome
    lemmas: int = 0
    note: str = ""
    """which model was used, where that is not plain"""
    untrained: bool = False
    """its strategy would use a model of the theory, but there is none"""


def read_targets(
    texts: Sequence[str],
    theory: str | Path | Theory | None = None,
    assume: Sequence[str] = (),
    typed: str = "",
    model: str | None = None,
) -> list[Target]:
    """What the arguments stand for; `-` is the text `typed`.

    `assume` adds equations to whatever theory the target has. Equations without a theory are about
    that of the run which `model` names.
    """
    given = None if theory is None else get_theory(theory)
    usual = partial(_usual_theory, model)
    targets = (target for text in texts for target in _read(text, given, usual, typed))
    return [_assuming(target, assume) for target in targets]


def _usual_theory(model: str | None) -> Theory:
    known = theory_of_run(Path(model)) if model is not None else iter(())
    return next(known, None) or get_theory(DEFAULT_THEORY)


def _read(text: str, given: Theory | None, usual: Usual, typed: str) -> Iterator[Target]:
    if text == "-":
        yield from _read_typed(typed, given, usual)
    elif is_file(text):
        if given is None and notation_of_file(Path(text)) is not None:
            yield _from_document(read(text), text)
        else:
            chosen = given or usual()
            yield Target(chosen, tuple(load_problems(text, chosen)))
    elif looks_like_path(text):
        raise missing(text)
    else:
        yield _equation(text, given or usual())


def _read_typed(typed: str, given: Theory | None, usual: Usual) -> Iterator[Target]:
    """A whole file from standard input, or an equation a line."""
    if given is None and notation_of(typed) is not None:
        yield _from_document(parse(typed, "input"), "standard input")
        return
    if not typed.strip():
        raise InputError("nothing was given; expected equations, one a line, or a whole file")
    theory = given or usual()
    for number, line in enumerate(typed.splitlines(), 1):
        if line.strip():
            try:
                yield _equation(line, theory)
            except InputError as error:
                error.line = number if error.column is not None else None
                raise


def _equation(text: str, theory: Theory) -> Target:
    notes: list[str] = []
    problem = parse_problem(text, theory, notes)
    return Target(theory, (problem,), notes=tuple(notes))


def _from_document(document: Document, source: str) -> Target:
    if not document.problems:
        if not document.theory.equations:
            raise InputError("there is no equation in this file", source=source)
        one = Problem(document.name, var("x"), var("y"))
        note = f"{source}: there is no goal in it, so that a model is looked for"
        return Target(document.theory, (one,), notes=(*document.notes, note), no_goal=True)
    if not document.theory.equations:
        raise InputError(
            "there are goals but no equations in this file; --theory names a theory for them",
            source=source,
        )
    return Target(document.theory, document.problems, document.any_goal, document.notes)


def _assuming(target: Target, assume: Sequence[str]) -> Target:
    if not assume:
        return target
    theory, added = target.theory, list[Equation]()
    names = {equation.name for equation in theory.equations}
    for number, text in enumerate(assume, 1):
        problem = parse_problem(text, theory)
        if problem.target is None or problem.exists:
            raise InputError(f"--assume {text!r}: expected an equation that holds for all values")
        name = fresh_name(f"assumption {number}", names)
        names.add(name)
        added.append(Equation(name, problem.start, problem.target))
    return replace(target, theory=theory.extended(added))


Progress = Callable[[Turn], None]


def prove(
    targets: Sequence[Target],
    plan: Plan,
    stop: Stop | None = None,
    *,
    progress: Progress | None = None,
    warm: dict[str, Prover] | None = None,
) -> Iterator[Answer]:
    """The answers, in order, as they come: one a problem; one a target if any goal will do.

    `progress` hears of each turn of a search when it begins, and when it has ended. `warm` are
    provers by the digests of their theories, made for plans like this one; new ones are added.
    """
    provers = {} if warm is None else warm
    for target in targets:
        if target.any_goal:
            yield _any(target, plan, stop, progress)
            continue
        prover = provers.get(target.theory.digest)
        if prover is None or prover.theory is not target.theory:
            prover = provers[target.theory.digest] = _prover(target.theory, plan)
        if target.no_goal:
            one = _answer(prover, target.problems[0], plan, plan.seconds, stop, progress)
            yield _modelled(one)
        else:
            for problem in target.problems:
                yield _answer(prover, problem, plan, plan.seconds, stop, progress)


def _modelled(answer: Answer) -> Answer:
    """What the answer to x = y says about the theory: it has a model, at least a trivial one."""
    outcome, theory = answer.outcome, answer.theory
    reason = ""
    if outcome.model is not None:
        model = check(theory, None, outcome.model.tables)
    else:
        trivial = dict.fromkeys(theory.signature.symbols, (0,))
        model = check(theory, None, Tables(1, trivial))
        reason = "no model with two elements was found"
        if outcome.proved:
            reason = "its equations make all elements equal: there is no other model"
    return replace(
        answer,
        outcome=replace(
            outcome, status=SZS.SATISFIABLE, model=model, proof=None, words=None, reason=reason
        ),
    )


def _prover(theory: Theory, plan: Plan) -> Prover:
    prover = Prover(theory, mode=plan.strategy, model=plan.model, seed=plan.seed, **plan.options)
    prover.strategy.polish = max(prover.strategy.polish, plan.polish)
    return prover


def _any(target: Target, plan: Plan, stop: Stop | None, progress: Progress | None) -> Answer:
    """The goals one after the other, each with its share of the time, until one is proved.

    They are refuted by a model in which all of them fail, which is looked for before and after.
    """
    size = plan.options.get("size")
    finder = Finder(target.theory, target.problems, largest=size, together=True)

    begin = time.thread_time()

    def left(share: float = 1.0) -> float:
        spent = time.thread_time() - begin
        return max(0.0, min(share * plan.seconds, plan.seconds - spent))

    def jointly(seconds: float) -> Answer:
        sought = finder.run(Budget(plan.expansions, seconds, stop=stop))
        return _all_refuted(target, sought)

    if plan.strategy == Refute.name:
        return jointly(left())
    looks = _can_refute(target, plan) and plan.options.get("refute", True)
    if looks and (refuted := jointly(left(_FIRST_LOOK))).outcome.certified:
        return refuted
    answer = _each(target, plan, min(left(), plan.seconds * (1 - _FINDER)), stop, progress)
    if looks and not answer.outcome.proved:
        refuted = jointly(left(_FINDER))
        return refuted if refuted.outcome.certified else answer
    return answer


def _can_refute(target: Target, plan: Plan) -> bool:
    """Whether the strategy looks for models too."""
    name = plan.strategy or default_strategy(target.theory)
    return "refute" in strategy_named(name).options


def _each(
    target: Target, plan: Plan, seconds: float, stop: Stop | None, progress: Progress | None
) -> Answer:
    """The answer to the first goal that is proved, or to the last one, in so many CPU seconds.

    What refutes one goal says nothing about the others.
    """
    if _can_refute(target, plan):
        plan = replace(plan, options={**plan.options, "refute": False})
    prover = _prover(target.theory, plan)
    share = seconds / len(target.problems)
    for problem in target.problems:
        answer = _answer(prover, problem, plan, share, stop, progress)
        if answer.outcome.proved:
            return answer
    if not answer.outcome.refuted:
        return answer
    reason = "a goal fails, but that does not tell whether all can fail together"
    outcome = replace(answer.outcome, status=SZS.GAVE_UP, system=None, model=None, reason=reason)
    return replace(answer, outcome=replace(outcome, parts=(outcome,)))


def _all_refuted(target: Target, sought: Sought) -> Answer:
    """One model in which all goals fail, each of which is a part of the outcome; or none."""
    parts = tuple(
        Outcome(problem, SZS.COUNTER_SATISFIABLE, by=Refute.name, model=model)
        if model is not None
        else Outcome(problem, SZS_OF[sought.status], by=Refute.name, reason=sought.reason)
        for problem, model in zip(target.problems, sought.models, strict=True)
    )
    return Answer(target.theory, replace(parts[0], parts=parts))


def _answer(
    prover: Prover,
    problem: Problem,
    plan: Plan,
    seconds: float,
    stop: Stop | None,
    progress: Progress | None,
) -> Answer:
    begin = time.thread_time()
    outcome, lemmas = portfolio(
        prover,
        plan.helpers if prover.theory.goal is Goal.EQUATION else (),
        problem,
        seconds=seconds,
        expansions=plan.expansions,
        stop=stop,
        progress=progress,
    )
    if outcome.proof is not None:
        left = seconds - (time.thread_time() - begin)
        with suppress(MemoryError):  # it is a proof as it is
            outcome = replace(outcome, proof=_finished(outcome.proof, plan, left, stop))
    strategy = prover.strategy
    would = strategy.needs_model is Need.IF_ANY
    untrained = would and prover.model is None and not strategy.note
    return Answer(prover.theory, outcome, len(lemmas), strategy.note, untrained)


def _finished(proof: Proof, plan: Plan, left: float, stop: Stop | None) -> Proof:
    """The proof as it is wanted; what nobody asked for takes no more than the seconds left."""
    if plan.from_axioms:
        proof = from_axioms(proof)
    polish = plan.polish if proof.lemmas and plan.expansions is None else 0.0
    seconds = max(plan.shorten, min(polish, left))
    return shortened(proof, Budget(None, seconds, stop=stop)) if seconds > 0 else proof
