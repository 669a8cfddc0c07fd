"""What was learned and is given to a search: found once, from what the search says it uses.

It may be the weights of a policy, those of a judge of critical pairs, or a run with its lemmas.
By default, the bundled weights of the theory are used, or else those of a theory with
the same equations under other names, or with many of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from threesil.errors import InputError
from threesil.files import is_directory
from threesil.kernel.theory import Theory
from threesil.nets.judge import Judge
from threesil.nets.policy import Policy
from threesil.runs.weights import (
    BUNDLED,
    bundled_policy,
    bundled_theories,
    find_judge,
    find_policy,
    theories_of_weights,
    theory_of_run,
)
from threesil.search.correspondence import common_part, translated_learned
from threesil.search.learned import Learned, read_learned

if TYPE_CHECKING:
    from threesil.search.searcher import Searcher

_ENOUGH = 5  # equations in common, where nobody asked for the weights


class Uses(StrEnum):
    """What a search uses of what was learned."""

    POLICY = "policy"
    """a network that judges the moves in one theory"""
    PAIRS = "pairs"
    """a network that judges critical pairs, in whatever theory"""
    LEMMAS = "lemmas"
    """the lemmas of a run, and what the run has found out about searches"""


@dataclass(frozen=True)
class Weights:
    """What a search has been given; `source` is the file or run that the user named."""

    policy: Policy | None = None
    pairs: Judge | None = None
    learned: Learned | None = None
    source: str = ""

    def __bool__(self) -> bool:
        return self.digest is not None

    @property
    def digest(self) -> str | None:
        found = self.learned or self.pairs or self.policy
        return found.digest if found else None


Given = str | Path | Policy | Judge | Learned | Weights | None


def weights_for(kind: type[Searcher], theory: Theory, given: Given = None) -> Weights:
    """What a kind of search uses of what is given: a run's directory, a file, or what is in them.

    `InputError` if it is of another theory that has no equations in common with this one, or
    of a kind that the search does not use.
    """
    if isinstance(given, str | Path):
        weights = _named(kind, theory, str(given))
    else:
        weights = _as_weights(given)
        _check(kind, theory, weights)
    if weights.learned is None:
        if weights.policy is None and Uses.POLICY in kind.uses:
            weights = replace(weights, policy=_bundled(kind, theory))
        if weights.pairs is None and Uses.PAIRS in kind.requires:
            weights = replace(weights, pairs=find_judge(None))
    return weights


def _as_weights(given: Policy | Judge | Learned | Weights | None) -> Weights:
    match given:
        case Weights():
            return given
        case Policy():
            return Weights(policy=given)
        case Judge():
            return Weights(pairs=given)
    return Weights(learned=given)


def _check(kind: type[Searcher], theory: Theory, weights: Weights) -> None:
    """Refuses what the search does not use, or what is of a theory with no equation of this one."""
    learned, policy, base = weights.learned, weights.policy, theory.base or theory
    if weights.pairs is not None and Uses.PAIRS not in kind.uses:
        raise InputError(f"solver {kind.name} uses no weights for critical pairs")
    if policy is not None and Uses.POLICY not in kind.uses:
        message = f"solver {kind.name} uses no weights of a theory"
        raise InputError(f"{message}; these are of {policy.theory.name}")
    if learned is not None and learned.theory.digest != theory.digest:
        raise InputError(f"weights of {learned.theory.name}, not of {theory.name}")
    if policy is None or policy.theory.digest == base.digest:
        return
    if not common_part(policy.theory, theory):
        raise InputError(f"weights of {policy.theory.name}, not of {base.name}")


def _named(kind: type[Searcher], theory: Theory, source: str) -> Weights:
    """What a search uses of a run or a file, or of what is bundled."""
    if not kind.uses:
        raise InputError(f"solver {kind.name} uses no weights; leave --weights out")
    if source == BUNDLED:
        return Weights(source=source)
    if Uses.LEMMAS in kind.uses and (found := _learned(Path(source), theory)):
        return Weights(learned=found, source=source)
    if Uses.PAIRS in kind.uses:
        try:
            return Weights(pairs=find_judge(source), source=source)
        except InputError:
            if Uses.POLICY not in kind.uses:
                raise
    if Uses.POLICY not in kind.uses:
        raise InputError(f"solver {kind.name} uses lemmas, and {source} has none")
    return Weights(_policy(theory, source), source=source)


def _bundled(kind: type[Searcher], theory: Theory) -> Policy | None:
    """The bundled policy of the theory, or of one with enough of the same equations."""
    base = theory.base or theory
    if found := bundled_policy(base):
        return found
    for other in bundled_theories():
        by = common_part(other, theory) if other.goal is theory.goal else None
        if by is not None and len(by.equations) >= _ENOUGH:
            return bundled_policy(other)
    return find_policy(None, base) if Uses.POLICY in kind.requires else None


def _policy(theory: Theory, source: str) -> Policy:
    """The policy of a file or a run."""
    base = theory.base or theory
    try:
        return find_policy(source, base)
    except InputError as error:
        for other in theories_of_weights(source):
            if common_part(other, theory):
                return find_policy(source, other)
        run = Path(source) if is_directory(source) else Path(source).parent
        if any(other.digest == theory.digest for other in theory_of_run(run)):
            message = f"{error.message}: it knows lemmas; give the run to best, guided or saturate"
            raise InputError(message, source=error.source) from None
        raise


def _learned(directory: Path, theory: Theory) -> Learned | None:
    """What a run has learned of the theory, or of one whose equations this one has too."""
    for other in theory_of_run(directory):
        by = None if other.digest == theory.digest else common_part(other, theory)
        if by is not None and by.total:
            found = read_learned(directory, other)
            return found and translated_learned(found, by)
    return read_learned(directory, theory)
