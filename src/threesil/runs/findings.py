"""What a training has found out about its theory, besides the weights.

    lemmas.jsonl     lemmas with their proofs, the most useful first
    costs.json       what an instance of each rule costs a saturation
    learned.json     what of this helps the searches, and how
    held_out.json    the table before and after

A lemma is certified when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from threesil.errors import InputError
from threesil.files.json_record import json_record
from threesil.files.json_text import json_lines, read_json
from threesil.kernel.proof import NotAProof, Proof
from threesil.kernel.theory import Direction, Theory
from threesil.notations.proof_json import proof_from_json

DEAREST = 1e6  # that a rule may be for a saturation
_LONG = 10_000  # lemmas of a search, seconds of an opening: no training finds so many
Costs = Mapping[tuple[str, Direction], float]


def with_lemmas(theory: Theory, lemmas: Sequence[Proof]) -> Theory:
    """The theory with lemmas as known equations; itself if there are none."""
    return theory.extended(lemma.equation() for lemma in lemmas) if lemmas else theory


def read_lemmas(path: Path, theory: Theory) -> tuple[Proof, ...]:
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


def read_costs(path: Path) -> Costs:
    try:
        costs = {(str(name), Direction(way)): float(c) for name, way, c in read_json(path)}
        if not all(0 <= cost <= DEAREST for cost in costs.values()):
            raise ValueError(f"a cost is not from 0 to {DEAREST:g}")
    except (ValueError, TypeError) as error:
        message = f"not the costs of rules: {error}; put the file back from a copy"
        raise InputError(message, source=str(path)) from None
    return costs


@dataclass(frozen=True)
class Judgement:
    """What was found to help the schedule `best`."""

    helps: bool = True
    """whether anything of what was learned does"""
    policy: bool = True
    """whether the policy does, where saturation has the lemmas too"""
    lemmas: Mapping[str, int] = field(default_factory=dict)
    """how many of the lemmas a search takes, by its name; all, if it is not there"""
    opening: tuple[tuple[str, float], ...] = ()
    """which searches begin, and for how many seconds each"""


def read_judgement(path: Path) -> Judgement:
    try:
        found = json_record(Judgement, read_json(path))
        if any(value >= _LONG for _, value in (*found.lemmas.items(), *found.opening)):
            raise ValueError(f"a number is {_LONG} or more")
    except ValueError as error:
        message = f"can't be read: {error}; put the file back from a copy"
        raise InputError(message, source=str(path)) from None
    return found


@dataclass(frozen=True)
class Shares:
    """Of so many problems: those proved in time without and with what was learned.

    `seconds` is None where an episode of the network is all that counts, however long it takes.
    `p`: of McNemar's exact test on the problems that only one of both proved.
    """

    seconds: float | None
    problems: int
    before: int
    after: int
    only_before: int
    only_after: int
    p: float


def read_shares(path: Path) -> list[Shares]:
    try:
        return [json_record(Shares, row) for row in read_json(path)]
    except (ValueError, TypeError) as error:
        message = f"not a table of shares: {error}; put the file back from a copy"
        raise InputError(message, source=str(path)) from None
