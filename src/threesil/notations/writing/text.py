r"""Proofs and counter-models for people: one term a line, and between two lines why they are equal.

    x * T(y,x)
        ~~~~~~                                      what the next step replaces
  = by T ->   T(u,x) := x \ (u * x)   at 2
    x * (x \ (y * x))

A reason gives the name of an equation, the direction in which it is read, the equation, and the
place: `at 2.1` is the first argument of the second argument, counted from 1. Where the side that
is replaced leaves a variable of the equation open, `with z for its x` says what was taken.

Large terms that a chain repeats get names, in lines `let t = …` before it (`lets`).

Lemmas come first, each under a heading with what it says, then the proof that cites them:

Lemma 1, for all x, y: x * T(y,x) = y * x
    ...

Theorem p1, for all x exists y: y * x = e, with x \ e for y
    ...

A counter-model is its tables as they are drawn on paper.

 * │ 0 1 2
───┼──────
 0 │ 0 1 2
 1 │ 1 2 0
 2 │ 2 0 1
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import Chain, chains
from threesil.kernel.proof import Proof, Step
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Equation, Signature
from threesil.notations.infix import format_equation, format_term, pieces
from threesil.notations.names import label
from threesil.notations.tokens import shown_symbol, written, written_variable
from threesil.notations.writing.lets import Lets, lets
from threesil.notations.writing.parts import (
    MOST,
    drawn,
    failure,
    heading,
    shown_symbols,
    statement,
    structure,
)

Span = tuple[int, int]  # start and end in a text


@dataclass(frozen=True)
class TermLine:
    """A term of the chain: `new` is what the last step put in, `old` what the next one replaces."""

    text: str
    new: Span | None
    old: Span | None


@dataclass(frozen=True)
class Reason:
    """Why a term equals the next one: `rule` is the equation's name and the direction."""

    rule: str
    equation: str
    place: str


@dataclass(frozen=True)
class Heading:
    """What a lemma says, or the theorem after its lemmas."""

    text: str
    new: None = None
    old: None = None


def proof_lines(proof: Proof) -> Iterator[TermLine | Reason | Heading]:
    """The lemmas' chains and then the proof's own; a heading for each, unless it is alone.

    A chain is its terms and the reasons between them; its reasons are made equally wide.
    """
    listed = chains([proof])
    for chain in listed:
        names = lets(chain)
        if len(listed) > 1 or proof.problem.exists:
            yield Heading(_heading(chain, names))
        for name, value in names.definitions:
            text = format_term(value, chain.proof.theory.signature)
            yield TermLine(f"let {name} = {text}", None, None)
        yield from _chain_lines(chain, names)


def _heading(chain: Chain, names: Lets) -> str:
    proof = chain.proof
    text = heading(chain)
    said = statement(proof)
    text += (", " if said.startswith(("for all ", "exists ")) else ": ") + said
    signature = proof.theory.signature
    values = (
        f"{format_term(names.of(value), signature)} for {written_variable(name, signature)}"
        for name, value in proof.derivation.witnesses.items()
    )
    return text + "".join(f", with {value}" for value in values)


def _chain_lines(chain: Chain, names: Lets) -> Iterator[TermLine | Reason]:
    signature, steps = chain.proof.theory.signature, chain.proof.derivation.steps
    reasons = [_reason(chain.cited[step.equation], step, signature, names) for step in steps]
    rule = max((len(reason.rule) for reason in reasons), default=0)
    equation = max((len(reason.equation) for reason in reasons), default=0)
    for number, whole in enumerate(chain.proof.derivation.terms):
        places = [step.position for step in steps[max(0, number - 1) : number + 1]]
        term = names.of(whole, *places)
        text = format_term(term, signature)
        new = old = None
        if number:
            new = span(term, signature, steps[number - 1].position)
        if number < len(steps):
            old = span(term, signature, steps[number].position)
        yield TermLine(text, new, old)
        if number < len(steps):
            reason = reasons[number]
            wide = reason.rule.ljust(rule), reason.equation.ljust(equation)
            yield Reason(*wide, reason.place)


def format_proof(proof: Proof) -> str:
    """The whole proof as plain text."""
    lines: list[str] = []
    for line in proof_lines(proof):
        if isinstance(line, Reason):
            lines.append(f"  = by {line.rule}   {line.equation}   {line.place}")
        elif isinstance(line, Heading):
            lines += ["", line.text] if lines else [line.text]
        else:
            lines.append(f"    {line.text}")
            if line.old is not None:
                start, end = line.old
                lines.append("    " + " " * start + "~" * (end - start))
    return "\n".join(lines)


def span(term: Term, signature: Signature, position: Position) -> Span:
    """Where the subterm at `position` stands in the text of the term."""
    end = 0
    inside: list[int] = []
    for marked, piece in pieces(term, signature, position):
        if marked:
            inside += [end, end + len(piece)]
        end += len(piece)
    return min(inside), max(inside)


def _reason(equation: Equation, step: Step, signature: Signature, names: Lets) -> Reason:
    place = "at " + (".".join(str(index + 1) for index in step.position) or "the root")
    source, _ = equation.sides(step.direction)
    bound = set(source.variables())
    open_variables = [name for name in equation.variables if name not in bound]
    if open_variables:
        terms = (names.of(step.substitution[name]) for name in open_variables)
        values = (format_term(term, signature) for term in terms)
        pairs = zip(values, open_variables, strict=True)
        named = ((value, written_variable(name, signature)) for value, name in pairs)
        place += ", with " + ", ".join(f"{value} for its {name}" for value, name in named)
    text = format_equation(equation, signature)
    return Reason(f"{label(equation.name)} {step.direction.value}", text, place)


def format_model(model: Countermodel) -> str:
    """The tables, what they are, and where the problem fails."""
    return "\n".join(model_lines(model))


def model_lines(model: Countermodel) -> Iterator[str]:
    tables = model.tables.of
    arities = model.theory.signature.symbols
    listed, wide = shown_symbols(model)
    constants = [symbol for symbol in listed if arities[symbol] == 0]
    if constants:
        yield ", ".join(f"{written(c)} = {tables[c][0]}" for c in constants)
    for symbol in (symbol for symbol in listed if arities[symbol] > 0):
        name = structure(model, symbol)
        yield ""
        yield from _drawn(model, symbol)
        if name:
            yield f"{shown_symbol(symbol)} is {name}"
    if wide:
        yield ""
        yield f"{', '.join(map(shown_symbol, wide))} as defined"
    if model.problem is not None:
        yield ""
        yield f"It fails {failure(model)}" if model.values else f"It fails: {failure(model)}"


def _drawn(model: Countermodel, symbol: str) -> Iterator[str]:
    n, name = model.tables.size, shown_symbol(symbol)
    for number, (corner, body) in enumerate(drawn(model, symbol, name)):
        if number:
            yield ""
        yield from _ruled(corner, n, body)
    several = n ** max(model.theory.signature.symbols[symbol] - 2, 0)
    if several > MOST:
        yield f"and {several - MOST} more tables of {name}"


def _ruled(corner: str, n: int, body: list[tuple[str, list[int]]]) -> Iterator[str]:
    width = len(str(n - 1))
    left = max(len(corner), *(len(head) for head, _ in body))

    def line(head: str, cells: Iterable[int]) -> str:
        return f" {head:>{left}} │ {' '.join(f'{cell:>{width}}' for cell in cells)}"

    yield line(corner, range(n))
    yield f"{'─' * (left + 2)}┼{'─' * (n * (width + 1) + 1)}"
    for head, cells in body:
        yield line(head, cells)
