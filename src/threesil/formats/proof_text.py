"""Proofs for people: one term a line, and between two lines why they are equal.

  x * T(y,x)
      ~~~~~~                      the subterm that the next step rewrites
= by T ->   T(u,x) := x \\ (u * x)
  x * (x \\ (y * x))
"""

from __future__ import annotations

from collections.abc import Iterator

from threesil.formats.infix import format_equation, pieces
from threesil.proof import Proof
from threesil.terms import Position, Term
from threesil.theory import Signature


def format_proof(proof: Proof) -> str:
    """The whole proof as text."""
    return "\n".join(_lines(proof))


def _lines(proof: Proof) -> Iterator[str]:
    signature = proof.theory.signature
    derivation = proof.derivation
    steps = derivation.steps
    for number, term in enumerate(derivation.terms):
        if number < len(steps):
            step = steps[number]
            text, start, length = marked(term, signature, step.position)
            yield f"    {text}"
            yield "    " + " " * start + "~" * length
            equation = format_equation(proof.theory.by_name[step.equation], signature)
            yield f"  = by {step.equation} {step.direction.value}   {equation}"
        else:
            yield f"    {marked(term, signature, ())[0]}"


def marked(term: Term, signature: Signature, position: Position) -> tuple[str, int, int]:
    """(text of the term, where the text of the subterm at `position` starts, its length)."""
    text = ""
    inside: list[int] = []
    for marks, piece in pieces(term, signature, position):
        if marks:
            inside += [len(text), len(text) + len(piece)]
        text += piece
    return text, min(inside), max(inside) - min(inside)
