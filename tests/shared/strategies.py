"""Hypothesis strategies for terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from threesil.kernel.terms import Term, app, var


def terms(
    symbols: Mapping[str, int], variables: Sequence[str] = (), max_leaves: int = 12
) -> SearchStrategy[Term]:
    """Terms over the symbols (with their arities) and the names of variables."""
    leaves = [app(symbol) for symbol, arity in symbols.items() if arity == 0]
    leaves += [var(name) for name in variables]
    functions = [(symbol, arity) for symbol, arity in symbols.items() if arity]

    def extend(inner: SearchStrategy[Term]) -> SearchStrategy[Term]:
        return st.one_of(
            *(st.builds(app, st.just(symbol), *[inner] * arity) for symbol, arity in functions)
        )

    return st.recursive(st.sampled_from(leaves), extend, max_leaves=max_leaves)


def deep_terms(
    symbols: Mapping[str, int], variables: Sequence[str] = (), layers: int = 300
) -> SearchStrategy[Term]:
    """Terms with one long path; all that hangs off it is small."""
    functions = [(symbol, arity) for symbol, arity in symbols.items() if arity]
    leaf = terms(symbols, variables, max_leaves=1)
    layer = st.sampled_from([(s, n, k) for s, n in functions for k in range(n)])

    def build(parts: tuple[Term, Term, list[tuple[str, int, int]]]) -> Term:
        term, other, pattern = parts
        for symbol, arity, index in pattern * (layers // len(pattern)):
            args = [other] * arity
            args[index] = term
            term = app(symbol, *args)
        return term

    pattern = st.lists(layer, min_size=1, max_size=6)
    return st.tuples(leaf, leaf, pattern).map(build)
