"""Shorter proofs: loops dropped, stretches searched again, lemmas that do not pay left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, product

from threesil.engine import (
    Budget,
    Completion,
    Found,
    OrderChoice,
    Saturation,
    Status,
    TermSearch,
)
from threesil.engine.meter import Meter
from threesil.kernel.lemmas import in_order, inlined, length
from threesil.kernel.proof import Derivation, Proof
from threesil.kernel.theory import Equation, Goal, Problem, Theory, moves_of, rewrites_of
from threesil.proofs.factoring import drop_loops, factored
from threesil.proofs.script import Script

_STRETCH = 300  # expansions for each
_DIRECT = 200  # expansions of the first searches for another chain between the ends of one
_WIDEST = 12  # rewrites of the stretches that are searched again in a proof with lemmas
_LARGEST = 400  # nodes of the terms between which it is worth while to search
_LONG = 2000  # rewrites of a proof that takes long to factor
_COMPLETE = 3000  # expansions of a completion, and
_SHARE = 0.1  # of the seconds
_MUCH = 4  # times the rewrites that another proof may have before it is tidied
_PATIENCE = 5  # rounds, each with twice the expansions, until one must have helped


def shorten(derivation: Derivation, search: TermSearch, budget: Budget) -> Derivation:
    """The chain with stretches replaced by shorter ones, as far as the budget allows.

    For stretches of all lengths, the longest first, a small search looks for something shorter.
    """
    return _shorten(derivation, search, Meter(budget), len(derivation.steps))


def _shorten(derivation: Derivation, search: TermSearch, meter: Meter, widest: int) -> Derivation:
    best = drop_loops(derivation)
    width = min(len(best.steps), widest)
    while width >= 2:
        start = 0
        while start + width <= len(best.steps):
            if meter.spent is not None:
                return best
            terms = best.terms
            stretch = Problem("stretch", terms[start], terms[start + width])
            found = search.prove(stretch, meter.left(_STRETCH), length=width - 1)
            meter.expansions += found.expansions
            shorter = _chain(found, width - 1)
            if shorter is not None:
                steps = best.steps[:start] + shorter.steps + best.steps[start + width :]
                best = drop_loops(Derivation(best.start, steps, best.witnesses))
                width = min(width, len(best.steps))
                start = 0
            else:
                start += 1
        width -= 1
    return best


def shortened(proof: Proof, budget: Budget) -> Proof:
    """A proof of the same with fewer rewrites, those of all lemmas counted, or the proof itself.

    Completion looks for other proofs first. Then, in rounds, the last chain first, each chain is
    searched for anew between its ends, from the theory's equations and some of the lemmas before
    it, and so are its stretches.
    """
    meter = Meter(budget)
    script = _otherwise(Script.of(proof).tidied(), meter)
    idle = 0
    for number in count():
        before = script.size
        script = _round(script, meter, 1 << number)
        idle = 0 if script.size < before else idle + 1
        if idle == _PATIENCE or meter.spent is not None:
            break
    found = script.proof()
    quick = meter.spent is not Status.SECONDS or length(found) <= _LONG
    lines = factored(found) if quick else found
    return min((proof, found, lines), key=lambda one: (length(one), len(in_order(one))))


def _otherwise(script: Script, meter: Meter) -> Script:
    """The script, or one that completion finds with some order, if that is better."""
    chain = script.last
    if len(chain.steps) <= 1 or max(chain.start.size, chain.end.size) > _LARGEST:
        return script
    problem, best = Problem("all", chain.start, chain.end), script
    for frequent_last, light_unary in product((True, False), repeat=2):
        if meter.spent is not None:
            return best
        order = OrderChoice(frequent_last=frequent_last, light_unary=light_unary)
        share = meter.left(_COMPLETE, meter.budget.seconds * _SHARE)
        found = Completion(script.theory, order=order).prove(problem, share)
        meter.expansions += found.expansions
        if found.derivation is None:
            continue
        lemmas = tuple((lemma.name, shown) for lemma, shown in found.lemmas)
        last = replace(found.derivation, witnesses=chain.witnesses)
        other = Script(script.theory, script.problem, lemmas, last)
        if other.rewrites < _MUCH * script.rewrites:
            best = min(best, other.tidied(), key=lambda one: one.size)
    return best


def _round(script: Script, meter: Meter, effort: int) -> Script:
    """Every chain tried once, each search with `effort` times the expansions of the first."""
    index = len(script.lemmas)
    while index >= 0:
        if meter.spent is not None:
            return script
        if len(script.chain(index).steps) > 1:
            script = _anew(script, index, meter, effort)
            index = min(index, len(script.lemmas))
            script = _stretches(script, index, meter, effort)
        index = min(index, len(script.lemmas)) - 1
    return script


def _anew(script: Script, index: int, meter: Meter, effort: int) -> Script:
    """The script with another chain for one of its own, if that makes it better."""
    chain = script.chain(index)
    if max(chain.start.size, chain.end.size) > _LARGEST:
        return script
    problem = Problem("chain", chain.start, chain.end)
    best = script
    for equations in _choices(script.equations()[:index]):
        theory = _searchable(script.theory, equations)
        for search in (TermSearch(theory), Saturation(theory)):
            if meter.spent is not None:
                return best
            found = search.prove(problem, meter.left(_DIRECT * effort))
            meter.expansions += found.expansions
            other = _chain(found, script.rewrites - 1)  # a saturation's may be very long
            if other is not None:
                tried = script.with_chain(index, drop_loops(other)).tidied()
                best = min(best, tried, key=lambda one: one.size)
    return best


def _chain(found: Found, most: int) -> Derivation | None:
    """What a search found as one chain, its lemmas put where it cites them, if it is so short."""
    chains: dict[str, Derivation] = {}
    for lemma, chain in found.lemmas:
        chains[lemma.name] = inlined(chain, chains)
        if len(chains[lemma.name].steps) > most:
            return None
    whole = found.derivation and inlined(found.derivation, chains)
    return whole if whole is not None and len(whole.steps) <= most else None


def _choices(lemmas: Sequence[Equation]) -> Iterator[Sequence[Equation]]:
    """None of the lemmas, the first half of them, all."""
    for number in dict.fromkeys((0, len(lemmas) // 2, len(lemmas))):
        yield lemmas[:number]


def _stretches(script: Script, index: int, meter: Meter, effort: int) -> Script:
    """The script with stretches of one chain replaced by shorter ones."""
    chain = script.chain(index)
    if max(term.size for term in chain.terms) > _LARGEST:
        return script
    search = TermSearch(_searchable(script.theory, script.equations()[:index]))
    within = Meter(meter.left(_STRETCH * effort * len(chain.steps)))
    shorter = _shorten(chain, search, within, _WIDEST)
    meter.expansions += within.expansions
    return min(script, script.with_chain(index, shorter).tidied(), key=lambda one: one.size)


def _searchable(theory: Theory, lemmas: Sequence[Equation]) -> Theory:
    """The theory with lemmas, every equation in both directions, whatever its goal is."""
    equations = (*theory.equations, *lemmas)
    actions = (*moves_of(theory.signature), *rewrites_of(equations, Goal.EQUATION))
    return Theory(theory.name, theory.title, theory.signature, equations, actions, Goal.EQUATION)
