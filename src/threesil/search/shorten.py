"""Shorter derivations: loops dropped, stretches searched again."""

from __future__ import annotations

from threesil.engine import Budget, TermSearch
from threesil.proof import Derivation
from threesil.search.meter import Meter
from threesil.theory import Problem

_STRETCH = 300  # expansions for each


def drop_loops(derivation: Derivation) -> Derivation:
    """The chain without what lies between two visits of the same term."""
    terms = derivation.terms
    last = {term: index for index, term in enumerate(terms)}
    steps = []
    index = 0
    while index < len(terms) - 1:
        index = last[terms[index]]
        if index < len(terms) - 1:
            steps.append(derivation.steps[index])
            index += 1
    return Derivation(derivation.start, tuple(steps))


def shorten(derivation: Derivation, search: TermSearch, budget: Budget) -> Derivation:
    """The chain with stretches replaced by shorter ones, as far as the budget allows.

    For stretches of all lengths, the longest first, a small search looks for something shorter.
    """
    meter = Meter(budget)
    best = drop_loops(derivation)
    width = len(best.steps)
    while width >= 2:
        start = 0
        while start + width <= len(best.steps):
            if meter.spent is not None:
                return best
            terms = best.terms
            stretch = Problem("stretch", terms[start], terms[start + width])
            found = search.prove(stretch, meter.left(_STRETCH), length=width - 1)
            meter.expansions += found.expansions
            if found.derivation is not None:
                steps = best.steps[:start] + found.derivation.steps + best.steps[start + width :]
                best = drop_loops(Derivation(best.start, steps))
                width = min(width, len(best.steps))
                start = 0
            else:
                start += 1
        width -= 1
    return best
