"""Hints from files: equations that are likely to be steps of a proof, and prove nothing.

A file in a notation gives its equations, its goals and its hints. A proof of ours gives its lemmas
and its goal, and what stretches of their chains show by themselves: facts that were used but once
are no lemmas, and a critical pair is seen before all rules that simplify it are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from threesil.errors import InputError
from threesil.files import is_file
from threesil.kernel.lemmas import in_order
from threesil.kernel.proof import NotAProof
from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Theory
from threesil.notations.lines import beginning
from threesil.notations.reading import missing, read
from threesil.notations.reading.certificates import read_proofs
from threesil.proofs.factoring import stretches

_LONGEST: Final = 8  # steps of a chain that make a hint, besides the whole chain


def read_hints(path: str | Path) -> list[Equation]:
    """All hints in a file, each once."""
    if not is_file(path):
        raise missing(str(path))
    is_json = beginning(Path(path)).lstrip().startswith("{")
    sides = _of_proofs(path) if is_json else _of_document(path)
    return [Equation(f"hint {k}", *pair) for k, pair in enumerate(dict.fromkeys(sides), 1)]


def about(theory: Theory, hints: Iterable[Equation]) -> tuple[Equation, ...]:
    """The hints in which all symbols are the theory's."""
    symbols = theory.signature.symbols

    def is_known(term: Term) -> bool:
        return term.is_variable or symbols.get(term.head) == len(term.args)

    return tuple(
        hint
        for hint in hints
        if all(is_known(term) for side in (hint.lhs, hint.rhs) for term in side.distinct())
    )


def _of_document(path: str | Path) -> Iterator[tuple[Term, Term]]:
    document = read(path)
    for equation in (*document.theory.equations, *document.hints):
        yield equation.lhs, equation.rhs
    for problem in document.problems:
        if problem.target is not None and not problem.exists:
            yield problem.start, problem.target


def _of_proofs(path: str | Path) -> Iterator[tuple[Term, Term]]:
    for stored in read_proofs(path):
        try:
            proof = stored.certified()
        except NotAProof as error:
            raise InputError(f"not a proof: {error}", source=stored.source) from None
        for one in in_order(proof):
            terms = one.derivation.terms
            yield terms[0], terms[-1]
            yield from stretches(one, _LONGEST)
