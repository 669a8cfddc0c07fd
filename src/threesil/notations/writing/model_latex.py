r"""Counter-models for papers: LaTeX, a table as an `array`.

    \begin{array}{c|cc}
    \cdot & 0 & 1 \\ \hline
    0 & 0 & 1 \\
    1 & 1 & 0
    \end{array}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from threesil.kernel.countermodel import Countermodel
from threesil.notations.names import title
from threesil.notations.writing.model_parts import rows, shown_symbols, sides, slices, structure
from threesil.notations.writing.proof_latex import (
    HEAD,
    latex_name,
    latex_term,
    latex_text,
    latex_variables,
)

_MOST = 64  # tables of one symbol that are written


def write_latex_models(models: Iterable[Countermodel]) -> str:
    """A document with all models."""
    sections = (line for model in models for line in _section(model))
    return HEAD + "\n".join([*sections, r"\end{document}", ""])


def _section(model: Countermodel) -> Iterator[str]:
    name = model.problem.name if model.problem else model.theory.name
    kind = "Counter-model" if model.problem else "Model"
    yield rf"\paragraph{{{kind} {latex_text(title(name))}.}} {_said(model)}"
    for symbol, drawn in model_arrays(model):
        known = structure(model, symbol)
        yield rf"\[ {drawn} \]"
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
        elif arity == 1:
            yield symbol, _array("x", range(n), [(f"{name}(x)", table)])
        else:
            for first, square in slices(table, n, arity)[:_MOST]:
                args = "".join(f"{k}, " for k in first)
                corner = name if arity == 2 else rf"{name}({args}\_, \_)"
                body = [(str(x), row) for x, row in enumerate(rows(square, n))]
                yield symbol, _array(corner, range(n), body)


def _array(corner: str, heads: Sequence[int], body: Sequence[tuple[str, Sequence[int]]]) -> str:
    lines = [" & ".join([corner, *map(str, heads)]) + r" \\ \hline"]
    lines.append(" \\\\\n".join(" & ".join([head, *map(str, cells)]) for head, cells in body))
    columns = "c" * len(heads)
    return "\\begin{array}{c|" + columns + "}\n" + "\n".join(lines) + "\n\\end{array}"
