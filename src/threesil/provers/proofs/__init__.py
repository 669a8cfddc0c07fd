"""Readers for the proofs that other provers print: `read_proof("e", output)` is a `Skeleton`.

A reader knows a notation, not logic: it searches nothing and checks nothing.
"""

from __future__ import annotations

from threesil.provers.proofs import prover9, tstp, twee, vampire
from threesil.provers.proofs.skeleton import Fact, Link, Parent, Skeleton, UnreadableProof

__all__ = ["Fact", "Link", "Parent", "Skeleton", "UnreadableProof", "read_proof"]


def read_proof(prover: str, text: str, source: str = "<output>") -> Skeleton:
    """The proof in an output; the notation is recognised by what the text looks like.

    `prover` says who wrote it, where the text does not.
    """
    if twee.is_twee(text):
        return twee.read(text, source)
    if tstp.is_tstp(text):
        return tstp.read(text, source)
    if prover9.is_prover9(text):
        return prover9.read(text, source)
    if vampire.is_vampire(text):
        return vampire.read(text, source)
    name = prover or "another prover"
    raise UnreadableProof(
        f"no proof of Twee, Prover9, E or Vampire in the output of {name}", source=source
    )
