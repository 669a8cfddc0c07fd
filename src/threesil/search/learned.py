"""What a training has learned of a theory, for all strategies; a run's directory:

    lemmas.jsonl           lemmas with their proofs, which searches use like equations
    model.safetensors      the policy of the search over terms, with the lemmas among its actions
    selection.safetensors  the judge of critical pairs
    costs.json             what an instance of each rule costs a saturation
    learned.json           what of this was found to help, and how

Whatever is not there, is not used. A lemma is certified when it is read; the most useful come
first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.files.json_text import json_lines, read_json
from threesil.kernel.proof import NotAProof, Proof
from threesil.kernel.theory import Direction, Theory
from threesil.nets.model import Model
from threesil.nets.pair_model import PairModel
from threesil.notations.proof_json import proof_from_json, proof_to_json

LEMMAS, POLICY, PAIRS, COSTS = (
    "lemmas.jsonl",
    "model.safetensors",
    "selection.safetensors",
    "costs.json",
)
JUDGEMENT = "learned.json"
DEAREST = 1e6  # that a rule may be for a saturation
_LONG = 10_000  # lemmas of a search, seconds of an opening: no training finds so many
Costs = Mapping[tuple[str, Direction], float]


@dataclass(frozen=True)
class Learned:
    """What is known of a theory besides its equations."""

    theory: Theory
    lemmas: tuple[Proof, ...] = ()
    policy: Model | None = None
    pairs: PairModel | None = None
    costs: Costs = field(default_factory=dict)
    leads: bool = True
    """whether the policy helps where saturation has the lemmas too"""
    helps: bool = True
    """whether anything of it helps `best`"""
    amounts: Mapping[str, int] = field(default_factory=dict)
    """how many of the lemmas a search of `best` takes, by its name; all, if it is not there"""
    opening: tuple[tuple[str, float], ...] = ()
    """which searches `best` begins with, and for how many seconds each"""
    by: Mapping[str, str] | None = None
    """symbols that the policy knows under other names: how they are called here"""
    note: str = ""
    """what is surprising about it, for people"""

    @cached_property
    def extended(self) -> Theory:
        """The theory with the lemmas as known equations."""
        return with_lemmas(self.theory, self.lemmas)

    def for_search(self, name: str) -> Theory:
        """The theory with as many of the lemmas as help a search."""
        return with_lemmas(self.theory, self.lemmas[: self.amounts.get(name, len(self.lemmas))])

    @cached_property
    def by_name(self) -> dict[str, Proof]:
        return {lemma.problem.name: lemma for lemma in self.lemmas}

    @property
    def digest(self) -> str:
        parts: list[object] = [self.extended.digest, self.policy and self.policy.digest]
        costs = sorted((name, way.value, cost) for (name, way), cost in self.costs.items())
        parts += [self.pairs and self.pairs.digest, json.dumps(costs), self.leads]
        parts += [] if self.helps else [False]
        parts += [sorted(self.amounts.items())] if self.amounts else []
        parts += [self.opening] if self.opening else []
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def with_lemmas(theory: Theory, lemmas: Sequence[Proof]) -> Theory:
    """The theory with lemmas as known equations; itself if there are none."""
    return theory.extended(lemma.equation() for lemma in lemmas) if lemmas else theory


def write_lemmas(directory: Path, lemmas: Sequence[Proof]) -> None:
    lines = "".join(json.dumps(proof_to_json(lemma)) + "\n" for lemma in lemmas)
    write_atomically(directory / LEMMAS, lines.encode())


def read_lemmas(directory: Path, theory: Theory) -> tuple[Proof, ...] | None:
    """The lemmas of a run, certified anew; None if it never looked for any."""
    path = directory / LEMMAS
    if not path.exists():
        return None
    lemmas: dict[str, Proof] = {}
    for number, value in json_lines(path):
        try:
            lemma = proof_from_json(value, theory, str(path))
            name = lemma.equation().name
        except NotAProof as error:
            raise InputError(f"no lemma: {error}", source=str(path), line=number) from None
        if name in lemmas or name in theory.by_name:
            message = f"there is another equation called {name[:40]}"
            raise InputError(message, source=str(path), line=number)
        lemmas[name] = lemma
    return tuple(lemmas.values())


def write_costs(directory: Path, costs: Costs) -> None:
    rows = [[name, way.value, round(cost, 3)] for (name, way), cost in costs.items()]
    write_atomically(directory / COSTS, (json.dumps(rows) + "\n").encode())


def _read_costs(directory: Path) -> dict[tuple[str, Direction], float]:
    path = directory / COSTS
    if not path.exists():
        return {}
    try:
        rows = read_json(path)
        costs = {(str(name), Direction(way)): float(cost) for name, way, cost in rows}
        if not all(0 <= cost <= DEAREST for cost in costs.values()):
            raise ValueError(f"a cost is not from 0 to {DEAREST:g}")
        return costs
    except (OSError, ValueError, TypeError) as error:
        message = f"not the costs of rules: {error}; put the file back from a copy"
        raise InputError(message, source=str(path)) from None


def read_learned(directory: Path, theory: Theory) -> Learned | None:
    """What a run has learned of the theory; None if the directory holds nothing but a model."""
    if not (directory / LEMMAS).exists():
        return None
    try:
        facts = dict(read_json(directory / "run.json"))
    except (ValueError, TypeError) as error:
        raise InputError(f"run.json can't be read: {error}", source=str(directory)) from None
    if facts.get("digest") != theory.digest:
        other = str(facts.get("theory"))[:80]
        message = f"weights of {other}, made for other equations or actions than"
        raise InputError(f"{message} {theory.name}'s", source=str(directory))
    lemmas = read_lemmas(directory, theory) or ()
    policy = pairs = None
    if (directory / POLICY).exists():
        policy = Model.load(directory / POLICY, with_lemmas(theory, lemmas))
    if (directory / PAIRS).exists():
        pairs = PairModel.load(directory / PAIRS)
    judgement = read_judgement(directory)
    leads, helps = (judgement.get(key) is not False for key in ("policy", "helps"))
    amounts = dict(judgement.get("lemmas", {}))
    opening = tuple((name, seconds) for name, seconds in judgement.get("opening", ()))
    costs = _read_costs(directory)
    return Learned(theory, lemmas, policy, pairs, costs, leads, helps, amounts, opening)


def read_judgement(directory: Path) -> dict[str, Any]:
    """What was found out: whether the `policy` helps `best`, and whether anything `helps` it;
    `lemmas`, how many of them a search takes; `opening`, which searches begin; `selection`, which
    judge of critical pairs it is; `of`, the digest of the policy."""
    path = directory / JUDGEMENT
    if not path.exists():
        return {}
    try:
        found = dict(read_json(path))
        for key, whole, kinds in (("lemmas", dict, (str, int)), ("opening", list, (str, float))):
            pairs = found.get(key, whole())
            listed = pairs.items() if isinstance(pairs, dict) else pairs
            good = isinstance(pairs, whole) and all(
                list(map(type, pair)) == list(kinds) and 0 <= pair[1] < _LONG for pair in listed
            )
            if not good:
                raise ValueError(f"{key} is {pairs!r}")
    except (OSError, ValueError, TypeError) as error:
        message = f"can't be read: {error}; delete it, and resume the run"
        raise InputError(message, source=str(path)) from None
    return found


def write_judgement(directory: Path, judgement: Mapping[str, object]) -> None:
    write_atomically(directory / JUDGEMENT, (json.dumps(dict(judgement)) + "\n").encode())
