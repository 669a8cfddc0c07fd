"""The matrix from the certificates alone.

Every proof is certified by the kernel, and its mirror image by itself; every convergent system is
checked by its kernel, and the normal forms of what it refutes are compared. Of a model, every
equation that a refutation needs to hold, and every one that it needs to fail, is evaluated by the
kernel of counter-models; which ones these are is computed in the core. What is left to trust is the
algebra of bits in `relation`: transitivity, and that a model in which i holds and j fails refutes
that i implies j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from threesil.engine.laws import Laws
from threesil.errors import InputError
from threesil.implications.equations import EquationList, Pair
from threesil.implications.mirror import mirror_image
from threesil.implications.relation import Relation, numbers
from threesil.implications.shared import differ
from threesil.implications.store import (
    MODELS,
    PROOFS,
    REFUTES,
    SYSTEMS,
    check_setting,
    lines,
    read_models,
)
from threesil.kernel.confluence import NotConvergent
from threesil.kernel.countermodel import NotAModel, check
from threesil.kernel.proof import NotAProof, Proof
from threesil.kernel.tables import Tables
from threesil.kernel.theory import Problem
from threesil.notations.document import theory_of
from threesil.notations.proof_json import proof_from_json
from threesil.notations.system_json import StoredSystem


@dataclass(frozen=True)
class Edge:
    """A certified proof that i implies j: its line; `mirror`: the image of that proof."""

    pair: Pair
    line: int
    mirror: bool


@dataclass(frozen=True)
class Verified:
    """What the certificates show."""

    relation: Relation
    edges: tuple[Edge, ...]
    models: int
    systems: int


def verify(
    given: EquationList, path: Path, progress: Callable[[str, int], None] = lambda what, at: None
) -> Verified:
    """Checks all certificates of a directory; `InputError` names the first that is wrong."""
    check_setting(path, given)
    relation = Relation(len(given))
    _, models = refutations(given, path, relation, kernel=True, progress=progress)
    edges = []
    for number, edge in enumerate(_certified(given, path), 1):
        relation.prove(*edge.pair)
        edges.append(edge)
        progress(PROOFS, number)
    systems = 0
    for i, goals, systems in refuted_by_systems(given, path, kernel=True):
        relation.refute_all(i, goals)
        progress(SYSTEMS, systems)
    return Verified(relation, tuple(edges), models, systems)


def refutations(
    given: EquationList,
    path: Path,
    relation: Relation,
    *,
    kernel: bool,
    progress: Callable[[str, int], None] = lambda what, at: None,
) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int32]], int]:
    """Takes in the models of a directory; the line of the first that refutes each pair.

    `kernel`: all that a refutation needs is evaluated by the kernel too.
    """
    n = len(given)
    by_model = np.zeros((n, n), np.int32)
    laws = Laws(given.signature, given.sides)
    line = 0
    for line, tables in enumerate(read_models(path), 1):
        try:
            number = laws.add(tables)
        except (ValueError, KeyError, OverflowError) as error:
            raise InputError(str(error), source=str(path / MODELS), line=line) from None
        hold, fail = laws.rows(number, 1)
        holding, new = relation.refute(hold[0], fail[0])
        if kernel:
            failing = numbers(np.bitwise_or.reduce(new, axis=0), n) if len(holding) else holding
            where = f"{path / MODELS}:{line}"
            _evaluate(given, laws, number, tables, holding.tolist(), failing.tolist(), where)
        for i, row in zip(holding.tolist(), new, strict=True):
            by_model[i, numbers(row, n)] = line
        progress(MODELS, line)
    return by_model, line


def _evaluate(
    given: EquationList,
    laws: Laws,
    number: int,
    tables: Tables,
    holding: list[int],
    failing: list[int],
    where: str,
) -> None:
    """The kernel's word that some equations hold in a model and others fail."""
    of = given.signature
    free = theory_of("free", "No equation", of.symbols, of.infix, ())
    try:
        for i in holding:
            check(given.theory(i), None, tables)
        for j in failing:
            equation = given.equations[j]
            problem = Problem(equation.name, equation.lhs, equation.rhs)
            check(free, problem, tables, laws.failing(j, number))
    except NotAModel as error:
        raise InputError(str(error), source=where) from None


def _certified(given: EquationList, path: Path) -> Iterator[Edge]:
    """The proofs of a directory, and their mirror images where both equations have one."""
    places = {equation.name: index for index, equation in enumerate(given.equations)}
    for line, value in lines(path / PROOFS):
        where = f"{path / PROOFS}:{line}"
        source = places.get(str(value.get("theory")))
        if source is None:
            raise InputError(f"no equation is called {value.get('theory')!r}", source=where)
        try:
            proof = proof_from_json(value, given.theory(source), where)
            goal = _goal(given, proof, source, places)
            yield Edge((source, goal), line, False)
            left, right = given.mirror[source], given.mirror[goal]
            if left is not None and right is not None:
                mirror_image(given, proof, (left, right))
                yield Edge((left, right), line, True)
        except NotAProof as error:
            raise InputError(str(error), source=where) from None


def proved_pairs(given: EquationList, path: Path) -> Iterator[tuple[Pair, int]]:
    """The pairs that proofs are about by their names, and the mirror images; with the lines."""
    places = {equation.name: index for index, equation in enumerate(given.equations)}
    for line, value in lines(path / PROOFS):
        try:
            source = str(value["theory"])
            pair = places[source], places[str(value["problem"]).removeprefix(f"{source}_")]
        except KeyError:
            message = "not a proof of one of the pairs"
            raise InputError(message, source=str(path / PROOFS), line=line) from None
        yield pair, line
        left, right = given.mirror[pair[0]], given.mirror[pair[1]]
        if left is not None and right is not None:
            yield (left, right), line


def refuted_by_systems(
    given: EquationList, path: Path, *, kernel: bool = False
) -> Iterator[tuple[int, list[int], int]]:
    """(i, the equations that i does not imply, line) for each convergent system.

    `kernel`: the system is checked, and the normal forms of these are compared.
    """
    places = {equation.name: index for index, equation in enumerate(given.equations)}
    for line, value in lines(path / SYSTEMS):
        where = f"{path / SYSTEMS}:{line}"
        try:
            source, goals = places[value["theory"]], [places[name] for name in value[REFUTES]]
        except (KeyError, TypeError):
            raise InputError("not a system of one of the equations", source=where) from None
        if kernel:
            try:
                system = StoredSystem(where, value).certified(given.theory(source))
            except (NotConvergent, NotAProof) as error:
                raise InputError(str(error), source=where) from None
            for goal in goals:
                if not differ(system, given.problem((source, goal))):
                    name = given.equations[goal].name
                    raise InputError(f"{name} has the same normal form on both sides", source=where)
        yield source, goals, line


def _goal(given: EquationList, proof: Proof, source: int, places: dict[str, int]) -> int:
    """The equation that a proof shows; its name says which one that should be."""
    name = proof.problem.name.removeprefix(f"{given.equations[source].name}_")
    goal = places.get(name)
    if goal is None:
        raise NotAProof(f"no equation is called {name!r}")
    problem = given.problem((source, goal))
    if (proof.problem.start, proof.problem.target) != (problem.start, problem.target):
        raise NotAProof(f"this is no proof of {name}")
    return goal
