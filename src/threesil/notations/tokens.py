"""The pieces of infix text: names, numbers, quoted names and operators, each with its place.

    x  T  sk_1  α     names              17     numbers
    "a name"          quoted names, for symbols that are no plain name and no operator
    ["a name"]        variables that are no plain name, or called as a symbol is
    *  ->*  '  ⁻¹     operators: those of the signature first, the longest one that fits

Signs that people type for an operator of the theory stand for it: `·`, `∘` and `◇` for `*`. A unary
symbol of such characters stands before its argument, but for `'` and `⁻¹`, which stand behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from threesil.errors import InputError
from threesil.kernel.theory import Signature
from threesil.notations.names import (
    BRACKETED,
    NAME,
    QUOTED,
    bracketed,
    is_plain,
    is_plain_variable,
    is_seen,
    quoted,
    unquoted,
)
from threesil.notations.operators import Token

POSTFIX: Final = ("'", "⁻¹")
SIGNS: Final = ("=", "!=", ":=", "->")
"""What stands between the sides of an equation, and can't be an operator."""
INVERSES: Final = ("i", "inv", "inverse")
"""What theories without such an operator call the inverse."""
_SAME: Final = {
    **dict.fromkeys("·∘×⋅∗•◇⋄", "*"),
    **{"−": "-", "÷": "/", "∖": "\\", "∨": "v", "∧": "^"},
}
_OPERATOR = re.compile(r"""[^\w\s"(),.#\[\]]+""")


@dataclass(frozen=True)
class Place:
    """Where a text comes from, for error messages: `line` and `column` of its first character."""

    source: str = "<input>"
    line: int = 1
    column: int = 1
    text: str | None = None

    def error(self, message: str, offset: int, text: str) -> InputError:
        line, column, shown = self.line, self.column + offset, self.text
        if shown is None:  # the text is all there is, perhaps of several lines
            before, rest = text[:offset], text[offset:]
            line += before.count("\n")
            last = before.rsplit("\n", 1)[-1]
            shown = last + rest.split("\n", 1)[0]
            column = len(last) + (self.column if line == self.line else 1)
        return InputError(message, source=self.source, line=line, column=column, text=shown)


@lru_cache(maxsize=4096)
def is_operator(symbol: str) -> bool:
    """Whether it can stand before, between or behind arguments without quotes."""
    fits = _OPERATOR.fullmatch(symbol) is not None and symbol not in SIGNS
    return symbol == "⁻¹" or (fits and is_seen(symbol))


def is_prefix(symbol: str, arity: int) -> bool:
    return arity == 1 and is_operator(symbol) and symbol not in POSTFIX


@lru_cache(maxsize=4096)
def written(symbol: str, *, applied: bool = False) -> str:
    """A symbol as it is read where a name is expected; a number has no arguments."""
    if is_plain(symbol) and not (applied and symbol.isdigit()):
        return symbol
    return quoted(symbol)


def shown_symbol(symbol: str) -> str:
    """A symbol by itself, as it is called."""
    return symbol if is_operator(symbol) else written(symbol)


def written_variable(name: str, signature: Signature) -> str:
    """A variable as it is read; one that is called as a symbol is can't be taken for that."""
    return name if is_plain_variable(name) and name not in signature.symbols else bracketed(name)


def tokens_of(text: str, signature: Signature, operators: tuple[str, ...]) -> list[Token]:
    """All pieces of a text, with one of kind `end` behind them."""
    tokens = tokenize(text, operators)
    for index, token in enumerate(tokens):
        same = _SAME.get(token.text)
        if same in signature.infix and token.text not in signature.symbols:
            tokens[index] = token._replace(kind="mark", text=str(same))
    return tokens


def tokenize(text: str, operators: Iterable[str] = ()) -> list[Token]:
    """The pieces of a text in which these operators are known."""
    tokens = [
        Token(str(found.lastgroup), found.group(), found.start())
        for found in _pattern(tuple(operators)).finditer(text)
    ]
    for index, token in enumerate(tokens):
        if token.kind == "quoted":
            tokens[index] = token._replace(text=unquoted(token.text))
        elif token.kind == "variable":
            tokens[index] = token._replace(text=unquoted(token.text[1:-1]))
        elif token.kind == "unclosed":
            tokens[index] = token._replace(kind="mark", text='"')
    tokens.append(Token("end", "", len(text.rstrip())))
    return tokens


@lru_cache(maxsize=256)
def _pattern(operators: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted({*operators, *SIGNS, "⁻¹"}, key=len, reverse=True)
    marks = "|".join(map(re.escape, longest))
    return re.compile(
        rf"""(?P<name>{NAME})|(?P<number>[0-9]+)|(?P<quoted>{QUOTED})|(?P<variable>{BRACKETED})"""
        rf"""|(?P<unclosed>".*)|(?P<mark>{marks}|\S)""",
        re.DOTALL,
    )
