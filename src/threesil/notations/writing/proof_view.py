"""A proof as a page shows it, in values of JSON: for each chain its terms one below the other.

A row is a term as text and as a picture, what the last step put in and the next one replaces in
both, and why it equals the next row: the equation, the direction, the place, and the values of the
equation's variables. Rows that nobody could look at are counted instead.
"""

from __future__ import annotations

from typing import Any, Final

from threesil.kernel.lemmas import Chain, chains
from threesil.kernel.proof import Proof, Step
from threesil.kernel.terms import Term
from threesil.kernel.theory import Signature
from threesil.notations.infix import format_equation, format_term
from threesil.notations.names import label, title
from threesil.notations.writing.drawing import Drawing, draw
from threesil.notations.writing.proof_text import span
from threesil.notations.writing.statement import sentence, statement

_ROWS: Final = 2_000  # of a proof that are shown
_NODES: Final = 40_000  # that are drawn
_LARGEST: Final = 3_000  # nodes of a term that is written out


def proof_view(proof: Proof) -> dict[str, Any]:
    """The whole proof; lemmas come before the chains that cite them."""
    listed = chains([proof])
    rest = _Rest()
    signature = proof.theory.signature
    shown = [_chain(chain, rest) for chain in reversed(listed)]  # the theorem is never cut first
    return {
        "theory": proof.theory.name,
        "statement": statement(proof),
        "rewrites": sum(len(chain.proof.derivation.steps) for chain in listed),
        "lemmas": len(listed) - 1,
        "axioms": [
            {"name": e.name, "kind": e.kind, "equation": format_equation(e, signature)}
            for e in proof.axioms
        ],
        "chains": shown[::-1],
    }


class _Rest:
    """What may still be shown."""

    def __init__(self) -> None:
        self.rows, self.nodes = _ROWS, _NODES


def _chain(chain: Chain, rest: _Rest) -> dict[str, Any]:
    proof, signature = chain.proof, chain.proof.theory.signature
    steps, terms = proof.derivation.steps, proof.derivation.terms
    count = min(len(terms), rest.rows)
    rest.rows -= count
    return {
        "name": label(chain.name) if chain.is_lemma else title(chain.name),
        "lemma": chain.is_lemma,
        "statement": sentence(proof.problem, proof.problem.target or chain.end, signature),
        "witnesses": {
            name: _text(value, signature) for name, value in proof.derivation.witnesses.items()
        },
        "rows": [_row(chain, number, rest) for number in range(count)],
        "left_out": len(terms) - count,
        "steps": len(steps),
    }


def _row(chain: Chain, number: int, rest: _Rest) -> dict[str, Any]:
    proof, signature = chain.proof, chain.proof.theory.signature
    steps, term = proof.derivation.steps, proof.derivation.terms[number]
    new = steps[number - 1].position if number else None
    old = steps[number].position if number < len(steps) else None
    small = term.size <= _LARGEST
    marks = [place for place in (new, old) if place is not None]
    drawing = draw(term, signature, marks, min(400, rest.nodes)) if small else None
    rest.nodes -= len(drawing.labels) if drawing else 0
    stretches = iter(drawing.marks if drawing else ())
    return {
        "text": _text(term, signature),
        "new": None if new is None or not small else span(term, signature, new),
        "old": None if old is None or not small else span(term, signature, old),
        "tree": drawing
        and tree_view(
            drawing,
            new=next(stretches) if new is not None else None,
            old=next(stretches) if old is not None else None,
        ),
        "reason": _reason(chain, steps[number]) if old is not None else None,
    }


def tree_view(drawing: Drawing, **marks: tuple[int, int] | None) -> dict[str, Any]:
    """A picture's nodes, with stretches of them by name."""
    return {
        "labels": drawing.labels,
        "arities": drawing.arities,
        "variables": [n for n, variable in enumerate(drawing.variables) if variable],
        **marks,
    }


def _reason(chain: Chain, step: Step) -> dict[str, Any]:
    equation, signature = chain.cited[step.equation], chain.proof.theory.signature
    own = chain.proof.theory.by_name.get(step.equation) is equation
    return {
        "name": label(equation.name),
        "kind": equation.kind if own else "lemma",
        "direction": step.direction.value,
        "equation": format_equation(equation, signature),
        "place": ".".join(str(index + 1) for index in step.position) or "the root",
        "values": {name: _text(value, signature) for name, value in step.substitution.items()},
    }


def _text(term: Term, signature: Signature) -> str:
    return format_term(term, signature) if term.size <= _LARGEST else f"[{term.size} nodes]"
