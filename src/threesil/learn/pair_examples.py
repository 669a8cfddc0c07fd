"""What completion can teach about critical pairs: a certified proof, and what it did not need.

An example is one problem: the pairs that its proof needs, those that became facts in vain, and a
sample of those that waited to the end. It is all that training reads, whatever the theory was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from threesil.engine import Budget, Completion, Pairs, Selection, Status
from threesil.engine.network import Floats
from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.kernel.proof import Proof, certify
from threesil.kernel.theory import Problem, Theory
from threesil.nets.tensors import pack, unpack

FORMAT = "threesil-pairs-1"
WAITING, IN_VAIN, NEEDED = 0, 1, 2
_ARRAYS = ("arity", "marks", "features", "fate", "stands_for")  # of an example, in its file
_PAIRS = ("codes", "ends", "depths")
_FACTS = ("name", "stratum", "considered")
_MOST = 1500  # pairs in vain, and pairs that waited


@dataclass(frozen=True)
class Example:
    """N pairs of one problem with features (N, F), and what became of them (N,)."""

    name: str
    stratum: str
    """what its theory has in common with others: problems of one theory share their weight"""
    arity: NDArray[np.int32]
    marks: Floats
    aim: tuple[list[int], list[int]]
    """codes of the goal's sides"""
    pairs: Pairs
    features: Floats
    fate: NDArray[np.int32]
    stands_for: Floats
    """of how many pairs each one is the sample, or what it cost: the overlaps that it was tried
    for, 1 on average"""
    considered: int
    """critical pairs that the search took"""

    @property
    def cost(self) -> tuple[int, int]:
        """The smaller the better the proof: pairs that it needs, pairs that were taken."""
        return int((self.fate == NEEDED).sum()), self.considered

    def save(self, path: Path) -> None:
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        arrays |= {name: getattr(self.pairs, name) for name in _PAIRS}
        facts = {name: getattr(self, name) for name in _FACTS}
        write_atomically(path, pack(arrays, {"format": FORMAT, "aim": self.aim, **facts}))

    @classmethod
    def load(cls, path: Path) -> Example:
        arrays, description = unpack(path, "file of critical pairs")
        if description.get("format") != FORMAT:
            raise InputError("not a file of critical pairs", source=str(path))
        own: dict[str, Any] = {name: arrays[name] for name in _ARRAYS}
        own |= {name: description[name] for name in _FACTS}
        pairs = Pairs(*(arrays[name] for name in _PAIRS))
        left, right = description["aim"]
        return cls(aim=(left, right), pairs=pairs, **own)


def collect(
    theory: Theory, problem: Problem, selection: Selection, budget: Budget, seed: int = 0
) -> Example | None:
    """Proves a problem and tells what was needed; None if there is no proof in time."""
    completion = Completion(theory, selection=replace(selection, record=True))
    run = completion.begin(problem)
    found = run.run(budget)
    if found.status is not Status.PROVED or found.derivation is None:
        return None
    lemmas: list[Proof] = []
    for lemma, derivation in found.lemmas:
        lemmas.append(certify(theory, lemma, derivation, lemmas))
    certify(theory, problem, found.derivation, lemmas)
    judged = run.judged(budget.stop)
    assert run.selecting is not None
    pairs, numbers = run.selecting.recorded()
    fate, cost = np.zeros(len(pairs), np.int32), np.ones(len(pairs), np.float32)
    places = np.searchsorted(numbers, judged.pairs)
    fate[places] = np.where(judged.needed, NEEDED, IN_VAIN)
    tried = judged.overlaps + 1.0
    cost[places] = tried / (tried.sum() / max(len(tried), 1))
    kept, stands_for = _sample(fate, np.random.default_rng(seed))
    stands_for *= cost[kept]
    features, pairs = run.selecting.features(pairs.take(kept))
    return Example(
        problem.name,
        theory.digest,
        np.array(run.arity, np.int32),
        run.selecting.marks(),
        run.aim,
        pairs,
        features,
        fate[kept],
        stands_for,
        run.statistics.considered,
    )


def _sample(
    fate: NDArray[np.int32], random: np.random.Generator
) -> tuple[NDArray[np.int64], Floats]:
    """Indices of the pairs to keep, and of how many each is the sample."""
    chosen, weights = [], []
    for value in (NEEDED, IN_VAIN, WAITING):
        indices = np.flatnonzero(fate == value)
        kept = indices
        if value != NEEDED and len(indices) > _MOST:
            kept = np.sort(random.choice(indices, _MOST, replace=False))
        chosen.append(kept)
        weights.append(np.full(len(kept), len(indices) / max(len(kept), 1), np.float32))
    return np.concatenate(chosen), np.concatenate(weights)
