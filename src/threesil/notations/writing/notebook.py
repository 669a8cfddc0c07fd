"""Values as a notebook shows them: HTML, LaTeX for MathJax, and plain text.

A proof is its chain of terms, one below the other, with what a step replaces underlined; lemmas
are folded. All that comes from outside is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import singledispatch
from html import escape

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import chains, length
from threesil.kernel.outcome import Outcome
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term
from threesil.kernel.theory import Signature, Theory
from threesil.notations.infix import format_term
from threesil.notations.names import label, title
from threesil.notations.tokens import shown_symbol, written
from threesil.notations.writing.latex import chain_rows, latex_term, model_arrays
from threesil.notations.writing.parts import drawn, failure, shown_symbols, statement, structure
from threesil.notations.writing.text import (
    Heading,
    Reason,
    Span,
    TermLine,
    format_model,
    format_proof,
    proof_lines,
)

_MOST = 200  # rows that are written out
_QUIET = "color:gray"


@singledispatch
def html(value: object) -> str:
    """A value as HTML."""
    return f"<pre>{escape(repr(value))}</pre>"


@singledispatch
def latex(value: object) -> str:
    """A value as LaTeX in dollar signs, as MathJax reads it."""
    return rf"$\text{{{escape(repr(value))}}}$"


@singledispatch
def text(value: object) -> str:
    """A value as plain text, for `print`."""
    return repr(value)


# Terms


def _signature(term: Term) -> Signature:
    """The symbols of a term; those of two arguments that are no words stand between them."""
    arities = {t.head: len(t.args) for t in term.distinct() if not t.is_variable}
    infix = {head for head, arity in arities.items() if arity == 2 and not re.search(r"\w", head)}
    return Signature(arities, infix=dict.fromkeys(infix, 1))


@html.register
def _(value: Term) -> str:
    return f"<code>{escape(format_term(value, _signature(value)))}</code>"


@latex.register
def _(value: Term) -> str:
    return f"${latex_term(value, _signature(value))}$"


# Theories


@html.register
def _(value: Theory) -> str:
    rows = (
        (
            label(e.name),
            f"{format_term(e.lhs, value.signature)} = {format_term(e.rhs, value.signature)}",
            e.kind,
        )
        for e in value.equations
    )
    return f"<b>{escape(value.title or title(value.name))}</b>{_table(rows)}"


@latex.register
def _(value: Theory) -> str:
    signature = value.signature
    rows = (
        f"{latex_term(e.lhs, signature)} &= {latex_term(e.rhs, signature)}"
        for e in value.equations[:_MOST]
    )
    return _aligned(rows)


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    listed = list(rows)
    shown = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in row)
        + "</tr>"
        for row in listed[:_MOST]
    )
    more = f"<p>and {len(listed) - _MOST} more</p>" if len(listed) > _MOST else ""
    return f"<table>{shown}</table>{more}"


def _aligned(rows: Iterable[str]) -> str:
    return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"


# Proofs


@html.register
def _(value: Proof) -> str:
    parts: list[tuple[str, list[str]]] = []
    for line in proof_lines(value):
        if isinstance(line, Heading) or not parts:
            parts.append((line.text if isinstance(line, Heading) else "", []))
        if isinstance(line, TermLine):
            parts[-1][1].append(f"<div><code>{_marked(line.text, line.old)}</code></div>")
        elif isinstance(line, Reason):
            said = f"= by {line.rule.strip()}: {line.equation.strip()}, {line.place}"
            parts[-1][1].append(f'<div style="{_QUIET};margin-left:2em">{escape(said)}</div>')
    folded = (
        f"<details><summary>{escape(heading)}</summary>{''.join(rows)}</details>"
        for heading, rows in parts[:-1]
    )
    _, rows = parts[-1]
    said = f"<b>{escape(statement(value))}</b> ({_counted(value)}, certified)"
    return f"<div>{said}{''.join(folded)}{''.join(rows)}</div>"


def _marked(line: str, span: Span | None) -> str:
    if span is None:
        return escape(line)
    start, end = span
    return f"{escape(line[:start])}<u>{escape(line[start:end])}</u>{escape(line[end:])}"


def _counted(proof: Proof) -> str:
    rewrites, lemmas = length(proof), len(chains([proof])) - 1
    words = f"{rewrites} rewrite{'' if rewrites == 1 else 's'}"
    return words + (f", {lemmas} lemma{'' if lemmas == 1 else 's'}" if lemmas else "")


@latex.register
def _(value: Proof) -> str:
    return _aligned(chain_rows(chains([value])[-1]))


@text.register
def _(value: Proof) -> str:
    return format_proof(value)


# Counter-models


@html.register
def _(value: Countermodel) -> str:
    said = escape(f"{statement(value)} fails {failure(value)}" if value.problem else "a model")
    names = []
    tables = []
    listed, _ = shown_symbols(value)
    for symbol in (symbol for symbol in value.theory.signature.symbols if symbol in listed):
        name = structure(value, symbol)
        names += [f"<p>{escape(shown_symbol(symbol))} is {escape(name)}</p>"] if name else []
        tables.append(_drawn(value, symbol))
    return f"<div><b>{said}</b>{''.join(tables)}{''.join(names)}</div>"


def _drawn(model: Countermodel, symbol: str) -> str:
    if not model.theory.signature.symbols[symbol]:
        return f"<p>{escape(written(symbol))} = {model.tables.of[symbol][0]}</p>"
    heads = tuple(map(str, range(model.tables.size)))
    return "".join(
        _table([(corner, *heads), *((head, *map(str, cells)) for head, cells in body)])
        for corner, body in drawn(model, symbol, shown_symbol(symbol))
    )


@latex.register
def _(value: Countermodel) -> str:
    return "$$" + r" \qquad ".join(drawn for _, drawn in model_arrays(value)) + "$$"


@text.register
def _(value: Countermodel) -> str:
    return format_model(value)


# Outcomes


@html.register
def _(value: Outcome) -> str:
    shown = f"<p>{escape(_said(value))}</p>"
    certificate = value.proof or value.model
    return shown + (html(certificate) if certificate else "")


@latex.register
def _(value: Outcome) -> str:
    certificate = value.proof or value.model
    return latex(certificate) if certificate else rf"$\text{{{value.status}}}$"


@text.register
def _(value: Outcome) -> str:
    certificate = value.proof or value.model
    return _said(value) + (f"\n{text(certificate)}" if certificate else "")


def _said(outcome: Outcome) -> str:
    said = (
        f"{outcome.status}: {title(outcome.problem.name)}, {outcome.cpu_seconds:.3f} s of CPU time"
    )
    return said + (f"; {outcome.reason}" if outcome.reason else "")
