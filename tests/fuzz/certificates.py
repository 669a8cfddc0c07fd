"""Mutants of certificates: whatever a kernel or a reader still accepts has to be true.

Valid proofs, counter-models and convergent systems in small theories are changed, as values of
Python or in the notations that they are written in. Most mutants are refused. What an accepted
one shows is worked out anew, in models of the equations that it rests on (see `truth`); and what
`shows` says of it, for other problems and theories too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Any

from fuzz.judging import judge_model, judge_proof, judge_shown, judge_system
from fuzz.mutation import (
    changed_derivation,
    changed_json,
    changed_lemmas,
    changed_problem,
    changed_term,
    changed_text,
    changed_theory,
    times,
)
from fuzz.valid import THEORIES, models, proofs, systems
from proof_samples import theory_of
from threesil.engine import Budget, Completion
from threesil.errors import InputError
from threesil.implications.equations import EquationList
from threesil.implications.mirror import mirror_image
from threesil.kernel.certificate import shows
from threesil.kernel.confluence import NotConvergent, Order
from threesil.kernel.confluence import check as check_system
from threesil.kernel.countermodel import Countermodel, NotAModel
from threesil.kernel.countermodel import check as check_model
from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify, close
from threesil.kernel.tables import Tables
from threesil.kernel.terms import var
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    Problem,
    Theory,
)
from threesil.notations.model_json import StoredModel, model_to_json
from threesil.notations.proof_json import StoredProof, proof_to_json
from threesil.notations.reading.certificates import stored_certificates
from threesil.notations.reading.models import StoredTables
from threesil.notations.system_json import StoredSystem, system_to_json
from threesil.notations.writing.ladr import write_mace4
from threesil.notations.writing.tptp import write_tptp_models
from threesil.problems.generate import random_term, random_walk

# Proofs


def target_proof_values(random: Random) -> None:
    """A derivation, its problem, its lemmas or its theory are changed, and certified."""
    given = random.choice(proofs())
    theory, problem, chain, lemmas = given.theory, given.problem, given.derivation, given.lemmas
    names = [*theory.by_name, *(lemma.problem.name for lemma in lemmas), "?"]
    what = random.random()
    if what < 0.6:
        chain = times(lambda c: changed_derivation(c, theory, random, names), chain, random)
    elif what < 0.75:
        problem = changed_problem(problem, theory, random)
    elif what < 0.85:
        lemmas = changed_lemmas(lemmas, proofs(), random)
    elif what < 0.95:
        theory = changed_theory(theory, random)
    if random.random() < 0.5:  # else hardly any mutant would be accepted
        problem = _fitting(problem, chain, random)
    try:
        made = certify(theory, problem, chain, lemmas)
    except (NotAProof, ValueError):
        return
    judge_proof(made)
    judge_shown(made, random)


def _fitting(problem: Problem, chain: Derivation, random: Random) -> Problem:
    """The problem that a changed chain might prove."""
    target = None if problem.target is None else chain.end
    exists = tuple(v for v in chain.witnesses if v in Problem("p", chain.start, target).variables)
    if random.random() < 0.5:
        exists = ()
    return Problem(problem.name, chain.start, target, exists=exists)


@cache
def _written_proofs() -> tuple[tuple[Theory, dict[str, Any]], ...]:
    return tuple((made.theory, proof_to_json(made)) for made in proofs())


def target_proof_json(random: Random) -> None:
    """A proof in JSON is changed, read and certified; in the theory that it names, or another."""
    theory, value = random.choice(_written_proofs())
    if random.random() < 0.1:
        theory = random.choice(THEORIES)
        value = {**value, "digest": theory.digest}
    for stored in _read(changed_json(value, random)):
        if isinstance(stored, StoredProof):
            try:
                made = stored.certified(theory)
            except (NotAProof, InputError):
                continue
            judge_proof(made)
            judge_shown(made, random)


def _read(value: Any) -> Iterable[object]:
    try:
        return stored_certificates(json.dumps(value), "mutant")
    except (InputError, RecursionError):
        return ()


@cache
def _listed() -> tuple[EquationList, tuple[Proof, ...]]:
    """Equations of magmas, their mirror images among them, and proofs of some from others."""
    texts = ("x * y = x", "x * y = y", "x * (x * y) = x", "(y * x) * x = x", "x * x = x", "x = y")
    theory = theory_of("m", {"*": 2}, **{f"E{k}": text for k, text in enumerate(texts, 1)})
    given = EquationList(theory.signature, theory.equations)
    made = []
    for pair in ((0, 2), (0, 4), (1, 3), (1, 4), (5, 0), (5, 3)):
        found = Completion(given.theory(pair[0])).prove(given.problem(pair), Budget(200, None))
        assert found.derivation is not None
        lemmas: list[Proof] = []
        for lemma, chain in found.lemmas:
            lemmas.append(certify(given.theory(pair[0]), lemma, chain, lemmas))
        problem = given.problem(pair)
        made.append(certify(given.theory(pair[0]), problem, found.derivation, lemmas))
    return given, tuple(made)


def target_mirror_images(random: Random) -> None:
    """A proof of one pair of a list, mirrored as one of any other pair."""
    given, made = _listed()
    pair = random.randrange(len(given)), random.randrange(len(given))
    one = random.choice(made)
    if random.random() < 0.5:
        names = list(one.theory.by_name)
        chain = changed_derivation(one.derivation, one.theory, random, names)
        try:
            one = certify(one.theory, _fitting(one.problem, chain, random), chain, one.lemmas)
        except NotAProof:
            return
    try:
        image = mirror_image(given, one, pair)
    except (NotAProof, KeyError):
        return
    assert shows(image, given.theory(pair[0]), given.problem(pair))
    judge_proof(image)


# Counter-models


def target_model_values(random: Random) -> None:
    """Tables, values, the problem or the theory are changed, and checked."""
    given = random.choice(models())
    theory, problem, tables = given.theory, given.problem, given.tables
    values: dict[str, Any] = dict(given.values)
    size: Any = tables.size
    of: dict[str, Any] = {symbol: list(table) for symbol, table in tables.of.items()}
    for _ in range(random.choice((1, 1, 2))):
        match random.randrange(8):
            case 0 | 1:
                table = of[random.choice(list(of))]
                table[random.randrange(len(table))] = _element(random, tables.size)
            case 2:
                if values:
                    values[random.choice(list(values))] = _element(random, tables.size)
            case 3 if problem is not None:
                problem = changed_problem(problem, theory, random)
                values = {v: random.randrange(tables.size) for v in _arbitrary(problem)}
            case 4:
                theory = changed_theory(theory, random)
            case 5:
                n = tables.size
                turned = random.sample(range(n), n)  # an isomorphic image
                of = {s: _moved(table, n, turned) for s, table in of.items()}
                values = {
                    v: turned[k] if type(k) is int and 0 <= k < n else k for v, k in values.items()
                }
            case 6:
                size = random.choice((size - 1, size + 1, 1, 0, True, float(tables.size)))
            case _:
                first, second = random.choice(list(of)), random.choice(list(of))
                of[first], of[second] = of[second], of[first]
    try:
        model = check_model(theory, problem, Tables(size, of), values)
    except (NotAModel, TypeError):
        return
    judge_model(model)
    judge_shown(model, random)


def _arbitrary(problem: Problem) -> list[str]:
    return [name for name in problem.variables if name not in problem.exists]


def _element(random: Random, size: int) -> Any:
    return random.choice((random.randrange(size), random.randrange(size), -1, size, True, 0.0))


def _moved(table: Sequence[Any], n: int, turned: Sequence[int]) -> list[Any]:
    """A table under other names of the elements."""
    arity = 0
    while n**arity < len(table):
        arity += 1
    moved: list[Any] = list(table)
    for place, value in enumerate(table):
        args = [place // n**k % n for k in range(arity)]
        new = sum(turned[arg] * n**k for k, arg in enumerate(args))
        moved[new] = turned[value] if type(value) is int and 0 <= value < n else value
    return moved


@cache
def _written_models() -> tuple[tuple[Theory, dict[str, Any]], ...]:
    return tuple((model.theory, model_to_json(model)) for model in models())


def target_model_json(random: Random) -> None:
    """A counter-model in JSON is changed, and checked in its own theory or in a given one."""
    theory, value = random.choice(_written_models())
    for stored in _read(changed_json(value, random)):
        if isinstance(stored, StoredModel):
            try:
                model = stored.checked(random.choice((None, theory)))
            except (NotAModel, InputError):
                continue
            judge_model(model)
            judge_shown(model, random)


@cache
def _printed_models() -> tuple[tuple[Countermodel, str], ...]:
    """In the notations of others."""
    return tuple(
        (model, write([model])) for model in models() for write in (write_mace4, write_tptp_models)
    )


def target_model_text(random: Random) -> None:
    """A model in the notation of Mace4 or TPTP is changed, read, and checked in its theory."""
    given, text = random.choice(_printed_models())
    try:
        found = stored_certificates(changed_text(text, random), "mutant")
    except InputError:
        return
    for stored in found:
        if isinstance(stored, StoredTables):
            try:
                model = stored.checked(given.theory, given.problem, given.values)
            except (NotAModel, InputError):
                continue
            judge_model(model)


# Convergent systems


def target_system_values(random: Random) -> None:
    """Rules, order, problem or theory of a system are changed, and checked."""
    given = random.choice(systems())
    theory, problem, rules = given.theory, given.problem, list(given.rules)
    order, at = given.order, random.randrange(len(given.rules))
    for _ in range(random.choice((1, 1, 2))):
        match random.randrange(9):
            case 0 if len(rules) > 1:
                rules.pop(min(at, len(rules) - 1))
            case 1:
                rules.append(random.choice(rules))
            case 2:
                random.shuffle(rules)
                if random.random() < 0.5:
                    rules = _from_equations(theory) or rules
            case 3:
                rules[at % len(rules)] = _changed_rule(random.choice(rules), random)
            case 4:
                rules.append(random.choice(proofs()))
            case 5 | 6:
                order = _changed_order(order, random)
            case 7:
                theory = changed_theory(theory, random)
            case _ if problem is not None:
                problem = changed_problem(problem, theory, random)
            case _:
                sides = random_term(theory, random), random_term(theory, random)
                problem = Problem("random", *sides)
    try:
        system = check_system(theory, problem, order, rules, 20_000)
    except (NotConvergent, TypeError, ValueError, KeyError):
        return
    judge_system(system, random)
    judge_shown(system, random)


@lru_cache(maxsize=64)
def _as_rules(theory: Theory) -> tuple[Proof, ...]:
    """The equations themselves, without what follows from their overlaps."""
    made = []
    for e in theory.equations:
        values = {name: var(name) for name in e.variables}
        chain = Derivation(e.lhs, (Step((), e.name, LEFT_TO_RIGHT, values, e.rhs),))
        made.append(certify(theory, Problem(f"by {e.name}", e.lhs, e.rhs), chain))
    return tuple(made)


def _from_equations(theory: Theory) -> list[Proof]:
    try:
        return list(_as_rules(theory))
    except NotAProof:  # a changed theory may have an equation that is none
        return []


def _changed_rule(rule: Proof, random: Random) -> Proof:
    """The same rule turned round, an instance of it, or under other names of its variables."""
    chain = rule.derivation
    if random.random() < 0.4:
        chain = chain.backwards()
    else:
        names = chain.start.variables()
        values = {name: random.choice((var("x"), var("y"), var("q"))) for name in names}
        chain = close(chain, values)
    problem = Problem(rule.problem.name, chain.start, chain.end)
    try:
        return certify(rule.theory, problem, chain, rule.lemmas)
    except NotAProof:
        return rule


def _changed_order(order: Order, random: Random) -> Order:
    weights: dict[str, Any] = dict(order.weights)
    variable: Any = order.variable
    precedence = list(order.precedence)
    match random.randrange(5):
        case 0 | 1:
            symbol = random.choice(list(weights))
            weights[symbol] = random.choice((0, 1, 2, 3, -1, weights[symbol] + 1, True, 0.5))
        case 2:
            variable = random.choice((0, 1, 2, 3, -1, True))
        case 3:
            random.shuffle(precedence)
        case _:
            precedence.append(random.choice((*precedence, "?")))
    return Order(weights, variable, tuple(precedence))


@cache
def _written_systems() -> tuple[tuple[Theory, dict[str, Any]], ...]:
    written = {id(system): system_to_json(system) for system in systems()}
    return tuple((system.theory, written[id(system)]) for system in systems())


def target_system_json(random: Random) -> None:
    """A system in JSON is changed, read and checked."""
    theory, value = random.choice(_written_systems())
    for stored in _read(changed_json(value, random)):
        if isinstance(stored, StoredSystem):
            try:
                system = stored.certified(theory)
            except (NotConvergent, NotAProof, InputError):
                continue
            judge_system(system, random)
            judge_shown(system, random)


def target_system_refuting(random: Random) -> None:
    """A system is asked to refute a random equation, or one that follows with a change in it."""
    system = random.choice(systems())
    theory = system.theory
    start = random_term(theory, random)
    target = random_walk(theory, start, 3, random, 30).end
    if random.random() < 0.7:
        target = changed_term(target, theory, random)
    exists = tuple(random.sample(start.variables(), min(1, len(start.variables()))))
    problem = Problem("asked", start, target, exists=exists if random.random() < 0.1 else ())
    try:
        refuting = system.refuting(problem)
    except NotConvergent:
        return
    assert shows(refuting, theory, problem)
    judge_system(refuting, random)


TARGETS = (
    target_proof_values,
    target_proof_json,
    target_mirror_images,
    target_model_values,
    target_model_json,
    target_model_text,
    target_system_values,
    target_system_json,
    target_system_refuting,
)
