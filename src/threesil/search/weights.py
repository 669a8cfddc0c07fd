"""What was learned and is given to a search: found once, from what the search says it uses.

It may be the weights of a policy, those of a judge of critical pairs, or a run with its lemmas.
By default, the bundled weights of the theory are used, or else those of a theory with
the same equations under other names, or with many of them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from threesil.errors import InputError
from threesil.files import is_directory
from threesil.kernel.theory import Theory
from threesil.nets.judge import Judge, find_judge
from threesil.nets.policy import Policy
from threesil.runs.weights import (
    BUNDLED,
    bundled_policy,
    bundled_theories,
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
    if isinstance(given, Weights):
        _check(given, theory)
        return given
    learned, policy, pairs = (use in kind.uses for use in (Uses.LEMMAS, Uses.POLICY, Uses.PAIRS))
    source = str(given) if isinstance(given, str | Path) else ""
    if source and learned and (found := _learned(Path(source), theory)):
        return Weights(learned=found, source=source)
    if isinstance(given, Learned):
        _check(Weights(learned=given), theory)
        return Weights(learned=given)
    if isinstance(given, Judge) and not pairs:
        raise InputError(f"solver {kind.name} uses no weights for critical pairs")
    if not policy and not pairs:
        if given is not None:
            raise InputError(f"solver {kind.name} uses no weights; leave --weights out")
        return Weights()
    if not policy:
        if isinstance(given, Policy):
            raise InputError(
                f"weights of {given.theory.name}; {kind.name} needs some for critical pairs"
            )
        judge = given if isinstance(given, Judge) else find_judge(source or None)
        return Weights(pairs=judge, source=source)
    if pairs and source and source != BUNDLED:
        with suppress(InputError):
            given = find_judge(source)
    if isinstance(given, Judge):
        return Weights(_policy(kind, theory, ""), given, source=source)
    if isinstance(given, Policy):
        if given.theory.digest != (theory.base or theory).digest and not common_part(
            given.theory, theory
        ):
            raise InputError(
                f"weights of {given.theory.name}, not of {(theory.base or theory).name}"
            )
        return Weights(given)
    return Weights(_policy(kind, theory, source), source=source)


def _check(weights: Weights, theory: Theory) -> None:
    """Refuses weights of a theory that has nothing in common with this one."""
    learned, policy, base = weights.learned, weights.policy, theory.base or theory
    if learned is not None and learned.theory.digest != theory.digest:
        raise InputError(f"weights of {learned.theory.name}, not of {theory.name}")
    if policy is None or policy.theory.digest == base.digest:
        return
    if not common_part(policy.theory, theory):
        raise InputError(f"weights of {policy.theory.name}, not of {base.name}")


def _policy(kind: type[Searcher], theory: Theory, source: str) -> Policy | None:
    """The policy of a file or a run; the bundled one if none is named."""
    base = theory.base or theory
    if not source or source == BUNDLED:
        found = bundled_policy(base) or _bundled_elsewhere(theory)
        needed = bool(source) or Uses.POLICY in kind.requires
        return find_policy(None, base) if found is None and needed else found
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


def _bundled_elsewhere(theory: Theory) -> Policy | None:
    """The bundled policy of a theory with enough of the same equations."""
    for other in bundled_theories():
        found = bundled_policy(other) if other.goal is theory.goal else None
        by = common_part(other, theory) if found else None
        if by is not None and len(by.equations) >= _ENOUGH:
            return found
    return None
