"""Which theory corresponds to which, so that what was learned of one may serve the other."""

from __future__ import annotations

from dataclasses import replace

from threesil.kernel.matching import Correspondence, find_correspondence
from threesil.kernel.theory import Direction, Goal, Theory
from threesil.proofs.translation import translate_theorem
from threesil.search.learned import Learned


def common_part(known: Theory, theory: Theory) -> Correspondence | None:
    """The correspondence from a known theory to another one that has equations in common with it.

    It is looked for in three cases: the other theory contains the known one; it is contained in
    it; it has all its axioms and definitions, whatever lemmas it knows. None in all others.
    """
    if known.goal is not Goal.EQUATION or theory.goal is not Goal.EQUATION:
        return None
    found = find_correspondence(known, theory)
    if found is None and (around := find_correspondence(theory, known)):
        found = around.inverse
    later = [lemma.name for lemma in known.lemmas]
    if found is None and later:
        core = find_correspondence(known.without(later, known.name), theory)
        found = core and Correspondence(known, theory, core.symbols)
    return found if found and found.equations else None


def theory_of_search(by: Correspondence) -> Theory:
    """The known theory, or its part with those equations that the other theory has too."""
    if by.total:
        return by.part
    missing = [e.name for e in by.part.equations if e.name not in by.equations]
    return by.part.without(missing, f"{by.part.name} in {by.whole.name}")


def note_on(by: Correspondence) -> str:
    """Which weights are used, and why, for people."""
    renamed = any(symbol != image for symbol, image in by.symbols.items())
    names = " under other names" if renamed else ""
    if by.exact:
        how = f"its equations are these{names}"
    elif by.total:
        how = f"its equations are among these{names}"
    elif by.inverse.total:
        how = f"these equations are among its own{names}"
    else:
        how = f"{len(by.equations)} of its equations are among these{names}"
    return f"uses the weights of {by.part.name}: {how}"


def translated_learned(learned: Learned, by: Correspondence) -> Learned:
    """What was learned of a theory all of whose equations `by.whole` has, in the words of that."""
    lemmas = tuple(translate_theorem(lemma, by) for lemma in learned.lemmas)
    names = {
        old.problem.name: new.problem.name for old, new in zip(learned.lemmas, lemmas, strict=True)
    }
    costs: dict[tuple[str, Direction], float] = {}
    for (name, way), cost in learned.costs.items():
        if name in by.equations:
            other = by.equations[name]
            costs[other.name, way.reverse if other.swapped else way] = cost
        elif name in names:
            costs[names[name], way] = cost
    return replace(
        learned, theory=by.whole, lemmas=lemmas, costs=costs, by=by.symbols, note=note_on(by)
    )
