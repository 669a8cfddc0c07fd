"""Terms in prefix notation, one character a symbol, no blanks: `S*S00` is S(S(0) * 0)."""

from __future__ import annotations

from threesil.kernel.terms import Term, app
from threesil.kernel.theory import Signature
from threesil.notations.infix import Place


def parse_prefix(text: str, signature: Signature, *, place: Place | None = None) -> Term:
    """Reads one term in prefix notation; every symbol is one character of the signature."""
    place = place or Place()
    operands: list[Term] = []
    for offset in range(len(text) - 1, -1, -1):
        symbol = text[offset]
        arity = signature.symbols.get(symbol)
        if arity is None:
            known = " ".join(s for s in signature.symbols if len(s) == 1)
            raise place.error(f"unknown symbol {symbol!r}; known symbols: {known}", offset, text)
        if len(operands) < arity:
            message = f"{symbol} needs {arity} terms behind it, found {len(operands)}"
            raise place.error(message, offset, text)
        args = [operands.pop() for _ in range(arity)]
        operands.append(app(symbol, *args))
    if len(operands) != 1:
        if not operands:
            raise place.error("expected a term, found the end", 0, text)
        end = operands[-1].size
        raise place.error("the term ends here; expected nothing behind it", end, text)
    return operands[0]


def format_prefix(term: Term) -> str:
    """The term as `parse_prefix` reads it."""
    return "".join(t.head for t in term.subterms())
