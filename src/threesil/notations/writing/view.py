"""Proofs and counter-models as a page shows them, in values of JSON, and terms as pictures.

A proof as a page shows it, in values of JSON: for each chain its terms one below the other.

A row is a term as text and as a picture, what the last step put in and the next one replaces in
both, and why it equals the next row: the equation, the direction, the place, and the values of the
equation's variables. Rows that nobody could look at are counted instead.

A counter-model as a page shows it, in values of JSON: the tables, and where the problem fails.

The cells that one looks at to work out the two sides at the failing values are marked.

A term as the nodes of a picture: labels in preorder, with the number of arguments of each.

A subterm is a stretch of this list, so a place in the term is marked by where the stretch begins
and ends. A numeral is one node with its value, unless a mark stands inside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import Chain, chains
from threesil.kernel.proof import Proof, Step
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Signature
from threesil.notations.infix import format_equation, numeral_values
from threesil.notations.names import label, title
from threesil.notations.writing.parts import (
    MOST,
    failure,
    heading,
    rows,
    sentence,
    shortly,
    shown_symbols,
    slices,
    statement,
    structure,
)
from threesil.notations.writing.text import span

LARGEST: Final = 400  # nodes of a term that is drawn
Stretch = tuple[int, int]


@dataclass(frozen=True)
class Drawing:
    """The nodes of a term; `marks` are the stretches of the places that were asked for."""

    labels: tuple[str, ...]
    arities: tuple[int, ...]
    variables: tuple[bool, ...]
    positions: tuple[Position, ...]
    marks: tuple[Stretch, ...]


def draw(
    term: Term, signature: Signature, marks: Sequence[Position] = (), largest: int = LARGEST
) -> Drawing | None:
    """The picture of a term, None if it has too many nodes."""
    values = numeral_values(term, signature)
    above = {place[:depth] for place in marks for depth in range(len(place))}
    labels: list[str] = []
    arities: list[int] = []
    variables: list[bool] = []
    places: dict[Position, int] = {}
    stack: list[tuple[Position, Term]] = [((), term)]
    while stack:
        if len(labels) == largest:
            return None
        place, t = stack.pop()
        number = None if place in above else values.get(id(t))
        places[place] = len(labels)
        labels.append(t.head if number is None else str(number))
        arities.append(len(t.args) if number is None else 0)
        variables.append(t.is_variable)
        if number is None:
            stack.extend(((*place, k), t.args[k]) for k in range(len(t.args) - 1, -1, -1))
    found = tuple((places[place], _end(arities, places[place])) for place in marks)
    return Drawing(tuple(labels), tuple(arities), tuple(variables), tuple(places), found)


def _end(arities: Sequence[int], start: int) -> int:
    """Where the subterm ends that begins at `start`."""
    open_, at = 1, start
    while open_:
        open_ += arities[at] - 1
        at += 1
    return at


_ROWS: Final = 2_000  # of a proof that are shown
_NODES: Final = 40_000  # that are drawn
_LARGEST: Final = 3_000  # nodes of a term that is written out


def proof_view(proof: Proof) -> dict[str, Any]:
    """The whole proof; lemmas come before the chains that cite them."""
    listed = chains([proof])
    rest = _Rest()
    signature = proof.theory.signature
    places = {chain.name: place for place, chain in enumerate(listed)}
    shown = [
        {**_chain(chain, rest), "cites": _cites(chain, places)}
        for chain in reversed(listed)  # the theorem is never cut first
    ]
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


def _cites(chain: Chain, places: Mapping[str, int]) -> list[int]:
    """The places of the lemmas that a chain cites."""
    names = {chain.cited[step.equation].name for step in chain.proof.derivation.steps}
    return sorted(places[name] for name in names if name in places)


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
        "heading": heading(chain),
        "lemma": chain.is_lemma,
        "statement": sentence(proof.problem, proof.problem.target or chain.end, signature),
        "witnesses": _texts(proof.derivation.witnesses, signature),
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
        "text": shortly(term, signature, _LARGEST),
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
        "values": _texts(step.substitution, signature),
    }


_CELLS: Final = 100_000  # cells of one symbol


def _texts(values: Mapping[str, Term], signature: Signature) -> dict[str, str]:
    return {name: shortly(value, signature, _LARGEST) for name, value in values.items()}


def model_view(model: Countermodel) -> dict[str, Any]:
    """Tables by symbol; those of many arguments as one table for each choice of the first ones."""
    drawn, defined = shown_symbols(model)
    marks = _marks(model)
    return {
        "theory": model.theory.name,
        "size": model.tables.size,
        "statement": statement(model),
        "failure": failure(model),
        "values": dict(model.values),
        "tables": [_table(model, symbol, marks.get(symbol, [])) for symbol in drawn],
        "defined": defined,
    }


def _table(model: Countermodel, symbol: str, marks: list[tuple[int, ...]]) -> dict[str, Any]:
    n, arity = model.tables.size, model.theory.signature.symbols[symbol]
    table = model.tables.of[symbol]
    view: dict[str, Any] = {"symbol": symbol, "arity": arity, "marks": marks, "left_out": 0}
    if arity < 2:
        return {**view, "values": list(table)}
    if len(table) > _CELLS:
        return {**view, "squares": [], "left_out": n ** (arity - 2), "is": ""}
    several = slices(table, n, arity)
    squares = [{"first": first, "rows": rows(square, n)} for first, square in several[:MOST]]
    return {
        **view,
        "squares": squares,
        "left_out": len(several) - len(squares),
        "is": structure(model, symbol),
    }


def _marks(model: Countermodel) -> dict[str, list[tuple[int, ...]]]:
    """The arguments at which each symbol is looked up, to work out both sides."""
    problem = model.problem
    if problem is None or problem.target is None or problem.exists:
        return {}
    n, used = model.tables.size, dict[str, dict[tuple[int, ...], None]]()

    def combine(t: Term, args: tuple[int, ...]) -> int:
        if t.is_variable:
            return model.values[t.head]
        used.setdefault(t.head, {})[args] = None
        place = 0
        for value in args:
            place = place * n + value
        return model.tables.of[t.head][place]

    for side in (problem.start, problem.target):
        side.fold(combine)
    return {symbol: list(places) for symbol, places in used.items()}
