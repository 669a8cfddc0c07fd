"""The matrix from the certificates, and these checked by the kernels.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from threesil.engine.laws import Laws
from threesil.errors import InputError
from threesil.implications.equations import EquationList, Pair
from threesil.implications.mirror import mirror_image
from threesil.implications.output import By, Matrix, certificates
from threesil.implications.relation import Relation, numbers
from threesil.implications.store import (
    MODELS,
    PROOFS,
    REFUTES,
    SYSTEMS,
    check_setting,
    lines,
    read_models,
)
from threesil.kernel.certificate import shows
from threesil.kernel.confluence import NotConvergent
from threesil.kernel.countermodel import NotAModel, check
from threesil.kernel.proof import NotAProof, Proof
from threesil.kernel.tables import Tables
from threesil.kernel.theory import Problem
from threesil.notations.proof_json import proof_from_json
from threesil.notations.system_json import StoredSystem

Progress = Callable[[str, int], None]


def _silent(what: str, at: int) -> None: ...


@dataclass(frozen=True)
class Shown:
    """What certificates show of all pairs, how many there are, and which of them each pair cites.

    `status` and `by` are those of `output`.
    """

    relation: Relation
    status: Matrix
    by: By
    proofs: int
    models: int
    systems: int


def shown(given: EquationList, path: Path, *, kernel: bool, progress: Progress = _silent) -> Shown:
    """Takes in all certificates of a directory.

    `kernel`: each of them is checked, and `InputError` names the first that is wrong; else each is
    taken to be what it is called.
    """
    check_setting(path, given)
    relation = Relation(len(given))
    by_model, models = refutations(given, path, relation, kernel=kernel, progress=progress)
    edges: list[tuple[Pair, int]] = []
    for pair, line in proved_pairs(given, path, kernel=kernel):
        relation.prove(*pair)
        edges.append((pair, line))
        progress(PROOFS, line)
    systems = 0
    for i, goals, systems in refuted_by_systems(given, path, kernel=kernel):
        holding, new = relation.refute_all(i, goals)
        for row, bits in zip(holding.tolist(), new, strict=True):
            by_model[row, numbers(bits, relation.n)] = -systems
        progress(SYSTEMS, systems)
    status, by = certificates(len(given), edges, by_model)
    proofs = len({line for _, line in edges})
    return Shown(relation, status, by, proofs, models, systems)


def refutations(
    given: EquationList,
    path: Path,
    relation: Relation,
    *,
    kernel: bool,
    progress: Progress = _silent,
) -> tuple[NDArray[np.int32], int]:
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
    try:
        for i in holding:
            check(given.theory(i), None, tables)
        for j in failing:
            equation = given.equations[j]
            problem = Problem(equation.name, equation.lhs, equation.rhs)
            check(given.free, problem, tables, laws.failing(j, number))
    except NotAModel as error:
        raise InputError(str(error), source=where) from None


def proved_pairs(
    given: EquationList, path: Path, *, kernel: bool = False
) -> Iterator[tuple[Pair, int]]:
    """The pairs that proofs are about by their names, and the mirror images; with the lines.

    `kernel`: that they prove these is checked.
    """
    for line, value in lines(path / PROOFS):
        where = f"{path / PROOFS}:{line}"
        pair = named_by_proof(given, value, where)
        proof = proof_of(given, pair, value, where) if kernel else None
        yield pair, line
        if image := given.reflected(pair):
            if proof is not None:
                _reflect(given, proof, image, where)
            yield image, line


def named_by_proof(given: EquationList, value: dict[str, Any], where: str) -> Pair:
    """The pair that a proof is about by its names."""
    try:
        source = str(value["theory"])
        name = str(value["problem"]).removeprefix(f"{source}_")
        return given.places[source], given.places[name]
    except KeyError:
        raise InputError("not a proof of one of the pairs", source=where) from None


def proof_of(given: EquationList, pair: Pair, value: dict[str, Any], where: str) -> Proof:
    """The proof of a pair that an object of JSON is; `InputError` if it is none."""
    theory, problem = given.theory(pair[0]), given.problem(pair)
    try:
        proof = proof_from_json(value, theory, where)
    except NotAProof as error:
        raise InputError(str(error), source=where) from None
    if not shows(proof, theory, problem):
        raise InputError(f"this is no proof of {problem.name}", source=where)
    return proof


def _reflect(given: EquationList, proof: Proof, pair: Pair, where: str) -> None:
    """Certifies the mirror image of a proof, as one of another pair."""
    theory, problem = given.theory(pair[0]), given.problem(pair)
    try:
        if not shows(mirror_image(given, proof, pair), theory, problem):
            raise InputError(f"its mirror image is no proof of {problem.name}", source=where)
    except NotAProof as error:
        raise InputError(str(error), source=where) from None


def refuted_by_systems(
    given: EquationList, path: Path, *, kernel: bool = False
) -> Iterator[tuple[int, list[int], int]]:
    """(i, the equations that i does not imply, line) for each convergent system.

    `kernel`: the system is checked, and the normal forms of these are compared.
    """
    for line, value in lines(path / SYSTEMS):
        where = f"{path / SYSTEMS}:{line}"
        source, goals = named_by_system(given, value, where)
        if kernel:
            check_system(given, source, goals, value, where)
        yield source, goals, line


def named_by_system(
    given: EquationList, value: dict[str, Any], where: str
) -> tuple[int, list[int]]:
    """The equation of a system, and those that it says are not implied."""
    try:
        return given.places[value["theory"]], [given.places[name] for name in value[REFUTES]]
    except (KeyError, TypeError):
        raise InputError("not a system of one of the equations", source=where) from None


def check_system(
    given: EquationList, source: int, goals: list[int], value: dict[str, Any], where: str
) -> None:
    """Whether a system in JSON shows that an equation implies none of the goals."""
    theory, name = given.theory(source), ""
    try:
        system = StoredSystem(where, value).certified(theory)
        for goal in goals:
            name = given.equations[goal].name
            problem = given.problem((source, goal))
            if not shows(system.refuting(problem), theory, problem):
                raise InputError(f"it does not refute {name}", source=where)
    except (NotConvergent, NotAProof) as error:
        raise InputError(f"{name}: {error}" if name else str(error), source=where) from None
