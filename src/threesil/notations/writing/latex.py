r"""Proofs for papers: LaTeX with the package amsmath, a chain as an `align*`.

    \begin{align*}
    & x \cdot \underline{T(y, x)} \\
    &= \underline{x \cdot (x \backslash (y \cdot x))} && \text{by } T \\
    &= y \cdot x && \text{by } \mathrm{b2}
    \end{align*}

What the next step replaces is underlined. A reason is the name of an equation or lemma, with an
arrow to the left where it is read from right to left; the equations stand in a list before.

The table of a counter-model is an `array`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import Chain
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import RIGHT_TO_LEFT, Signature
from threesil.notations.infix import Spelling, pieces
from threesil.notations.names import is_plain, label, quoted, title
from threesil.notations.tokens import is_operator, written_variable
from threesil.notations.writing.lets import lets
from threesil.notations.writing.parts import (
    Part,
    arguments,
    drawn,
    heading,
    parts,
    shown_symbols,
    sides,
    structure,
)

_OPERATORS = {"*": r"\cdot", "\\": r"\backslash", "^": r"\mathbin{\hat{}}", "'": "{}'"}
_SIGNS = ("+", "-", "/", "|")
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{c: f"\\{c}" for c in "#$%&_{}"},
}
HEAD = r"""\documentclass{article}
\usepackage{amsmath}
\allowdisplaybreaks
\begin{document}
"""


def write_latex(proofs: Iterable[Proof]) -> str:
    """A document with all proofs; those in the same theory share its equations and their lemmas."""
    sections = (line for part in parts(proofs) for line in _section(part))
    return HEAD + "\n".join([*sections, r"\end{document}", ""])


def _section(part: Part) -> Iterator[str]:
    signature = part.chains[0].proof.theory.signature
    yield rf"\section*{{{latex_text(title(part.name))}}}"
    if part.axioms:
        yield r"\begin{align*}"
        yield " \\\\\n".join(
            f"& {_equation(e.lhs, e.rhs, signature)} && {_reason_name(e.name)}" for e in part.axioms
        )
        yield r"\end{align*}"
    for chain in part.chains:
        yield from _chain(chain, signature)


def _chain(chain: Chain, signature: Signature) -> Iterator[str]:
    problem, derivation = chain.proof.problem, chain.proof.derivation
    name = heading(chain)
    arbitrary = latex_variables(arguments(chain), signature)
    said = _equation(problem.start, problem.target or chain.end, signature)
    words = f"For all ${arbitrary}$" if arbitrary else ""
    if problem.exists:
        there = latex_variables(problem.exists, signature)
        words += f"{' there' if words else 'There'} exist ${there}$ with"
    elif words:
        words += ":"
    yield rf"\paragraph{{{latex_text(name)}.}} {words} ${said}$."
    if derivation.witnesses:
        names = lets(chain)
        values = (
            f"{latex_variables([v], signature)} = {latex_term(names.of(t), signature)}"
            for v, t in derivation.witnesses.items()
        )
        yield f"Take ${', '.join(values)}$."
    yield r"\begin{align*}"
    yield " \\\\\n".join(chain_rows(chain))
    yield r"\end{align*}"


def chain_rows(chain: Chain) -> Iterator[str]:
    """The terms of a chain, one a row, with the reasons behind; `&` stands at the signs.

    Names for large terms come first.
    """
    signature, derivation = chain.proof.theory.signature, chain.proof.derivation
    steps, names = derivation.steps, lets(chain)
    for name, value in names.definitions:
        yield rf"& \text{{let }} {latex_name(name)} = {latex_term(value, signature)}"
    for number, term in enumerate(derivation.terms):
        replaced = steps[number].position if number < len(steps) else None
        shown = names.of(term) if replaced is None else names.of(term, replaced)
        row = latex_term(shown, signature, replaced)
        if number == 0:
            yield f"& {row}"
            continue
        step = steps[number - 1]
        arrow = r"\;(\leftarrow)" if step.direction is RIGHT_TO_LEFT else ""
        name = _reason_name(chain.cited[step.equation].name)
        yield rf"&= {row} && \text{{by }} {name}{arrow}"


def _equation(lhs: Term, rhs: Term, signature: Signature) -> str:
    return f"{latex_term(lhs, signature)} = {latex_term(rhs, signature)}"


def latex_term(term: Term, signature: Signature, position: Position | None = None) -> str:
    """A term in mathematics, with the subterm at `position` underlined."""
    shown, inside = list[str](), False
    for marked, piece in pieces(term, signature, position, _Spelling(signature)):
        if marked != inside:
            shown.append(r"\underline{" if marked else "}")
        shown.append(piece)
        inside = marked
    return "".join(shown) + "}" * inside


class _Spelling(Spelling):
    comma = ", "

    def operator(self, symbol: str) -> str:
        return latex_name(symbol)

    def symbol(self, symbol: str, applied: bool) -> str:
        return latex_name(symbol)

    def variable(self, name: str) -> str:
        return latex_variables([name], self.signature)


def latex_name(name: str) -> str:
    """A symbol: a letter, perhaps with a number or primes; an operator; a word; or quoted."""
    if name in _OPERATORS:
        return _OPERATORS[name]
    simple = re.fullmatch(r"([A-Za-z])([0-9]*)('*)", name)
    if simple:
        letter, number, primes = simple.groups()
        return letter + (f"_{{{number}}}" if number else "") + primes
    if name in _SIGNS or re.fullmatch("[0-9]+", name):
        return name
    if is_plain(name) or (name.isascii() and is_operator(name)):
        return rf"\mathrm{{{latex_text(name)}}}"
    return rf"\text{{{latex_text(quoted(name))}}}"


def latex_variables(names: Iterable[str], signature: Signature) -> str:
    """Variables with commas between them; in brackets what could be taken for something else."""
    return ", ".join(
        latex_name(name) if shown == name else rf"\text{{{latex_text(shown)}}}"
        for name in names
        for shown in (written_variable(name, signature),)
    )


def _reason_name(name: str) -> str:
    shown = latex_text(label(name))
    return rf"\text{{{shown}}}" if " " in name else rf"\mathrm{{{shown}}}"


def latex_text(name: str) -> str:
    """A name as text: printable, and nothing in it a command."""
    return "".join(_ESCAPED.get(c, c) if c.isprintable() else "?" for c in name)


def write_latex_models(models: Iterable[Countermodel]) -> str:
    """A document with all models."""
    sections = (line for model in models for line in _shown(model))
    return HEAD + "\n".join([*sections, r"\end{document}", ""])


def _shown(model: Countermodel) -> Iterator[str]:
    name = model.problem.name if model.problem else model.theory.name
    kind = "Counter-model" if model.problem else "Model"
    yield rf"\paragraph{{{kind} {latex_text(title(name))}.}} {_said(model)}"
    for symbol, array in model_arrays(model):
        known = structure(model, symbol)
        yield rf"\[ {array} \]"
        if known:
            yield f"${latex_name(symbol)}$ is {_mathematics(known)}."
    _, wide = shown_symbols(model)
    if wide:
        yield f"${', '.join(map(latex_name, wide))}$ as defined."


def _said(model: Countermodel) -> str:
    problem = model.problem
    if problem is None or problem.target is None:
        return f"A model with {model.tables.size} elements."
    signature = model.theory.signature
    (left, values), (right, others) = sides(model)
    given = ", ".join(
        f"{latex_variables([v], signature)} = {value}" for v, value in model.values.items()
    )
    terms = tuple(latex_term(side, signature) for side in (left, right))
    at = f" for ${given}$" if given else ""
    if problem.exists:
        names = latex_variables(problem.exists, signature)
        return f"${terms[0]} \\neq {terms[1]}${at}, whatever ${names}$."
    return f"${terms[0]} = {values[0]}$, but ${terms[1]} = {others[0]}${at}."


def _mathematics(name: str) -> str:
    """Words and formulas: the group Z_2 × Z_4."""
    words = name.replace(" × ", "~×~").split(" ")
    return " ".join(
        f"${word.replace('~×~', chr(92) + 'times ')}$" if "_" in word else word for word in words
    )


def model_arrays(model: Countermodel) -> Iterator[tuple[str, str]]:
    """(symbol, its table as an array or a formula)."""
    n, arities = model.tables.size, model.theory.signature.symbols
    for symbol in shown_symbols(model)[0]:
        table, arity, name = model.tables.of[symbol], arities[symbol], latex_name(symbol)
        if arity == 0:
            yield symbol, f"{name} = {table[0]}"
        else:
            for corner, body in drawn(model, symbol, name, ", ", r"\_"):
                yield symbol, _array(corner, n, body)


def _array(corner: str, n: int, body: list[tuple[str, list[int]]]) -> str:
    lines = [" & ".join([corner, *map(str, range(n))]) + r" \\ \hline"]
    lines.append(" \\\\\n".join(" & ".join([head, *map(str, cells)]) for head, cells in body))
    return "\\begin{array}{c|" + "c" * n + "}\n" + "\n".join(lines) + "\n\\end{array}"
