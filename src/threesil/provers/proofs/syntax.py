"""Tokens and terms of printed proofs: `f(s, t)`, quoted names, operators between their arguments.

    term    ::= operand (OPERATOR operand)*           to the left, all operators of one priority
    operand ::= PREFIX* (NAME | NAME "(" term ("," term)* ")" | "(" term ")") POSTFIX*

Which names are variables is for the caller to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from threesil.errors import InputError
from threesil.kernel.terms import Term, app, var
from threesil.notations.lines import Text
from threesil.notations.operators import Operator, Table, Token, parse_part
from threesil.provers.proofs.skeleton import UnreadableProof

_REST = r"""\s+ | (?P<name>"(?:[^"\\]|\\.)*" | \$?\w+)
    | (?P<mark>!= | [(),\[\].:=|&] | [^\s\w(),\[\].:=|&"']+)"""
_TOKEN = re.compile(r"(?P<prime>') | " + _REST, re.VERBOSE)
_TOKEN_OR_QUOTED = re.compile(r"(?P<quoted>'(?:[^'\\]|\\.)+') | " + _REST, re.VERBOSE)
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)+)'")


@dataclass(slots=True)
class Tokens:
    """The tokens of a text, each with its offset, and the place of the next one."""

    text: Text
    items: list[Token]
    next: int = 0

    @classmethod
    def of(cls, text: Text, start: int, end: int, quotes: bool = True) -> Tokens:
        """The tokens of a part; without `quotes` the sign ' is an operator."""
        pattern = _TOKEN_OR_QUOTED if quotes else _TOKEN
        items = []
        place = last = start
        while place < end:
            found = pattern.match(text.content, place, end)
            if found is None:
                raise text.error(f"what is {text.content[place]!r}?", place, UnreadableProof)
            if found.lastgroup:
                kind = "mark" if found.lastgroup == "prime" else found.lastgroup
                items.append(Token(kind, found.group(), place))
                last = found.end()
            place = found.end()
        items.append(Token("end", "", last))
        return cls(text, items)

    def peek(self, ahead: int = 0) -> str:
        return self.items[min(self.next + ahead, len(self.items) - 1)].text

    def take(self) -> str:
        token = self.items[self.next].text
        self.next += self.next < len(self.items) - 1
        return token

    def expect(self, wanted: str) -> None:
        if self.take() != wanted:
            self.next -= 1
            raise self.error(f"expected {wanted!r}")

    def error(self, message: str) -> InputError:
        token = self.items[self.next]
        found = token.text or "the end"
        return self.text.error(f"{message}, found {found}", token.offset, UnreadableProof)


def between(begin: re.Pattern[str], end: re.Pattern[str], text: str) -> tuple[int, int] | None:
    """Where the first part begins and ends that stands between two lines."""
    head = begin.search(text)
    tail = end.search(text, head.end()) if head else None
    return (head.end(), tail.start()) if head and tail else None


def unquoted(name: str) -> str:
    """The name without the quotes around it."""
    found = _QUOTED.fullmatch(name)
    return re.sub(r"\\(.)", r"\1", found.group(1)) if found else name


def read_term(
    tokens: Tokens,
    is_variable: Callable[[str], bool],
    *,
    infix: frozenset[str] = frozenset(),
    postfix: frozenset[str] = frozenset(),
) -> Term:
    """The term that begins at the next token; ends before the first token that can't be in it."""

    def build(token: Token, args: list[Term]) -> Term:
        if not args and is_variable(token.text):
            return var(token.text)
        return app(unquoted(token.text), *args)

    def fail(message: str, offset: int) -> InputError:
        return tokens.text.error(message, offset, UnreadableProof)

    table = _table(infix, postfix)
    term, tokens.next = parse_part(tokens.items, tokens.next, table, build, fail)
    return term


@cache
def _table(infix: frozenset[str], postfix: frozenset[str]) -> Table:
    """Infix operators all bind alike, to the left; those that are no words stand first too."""
    return Table(
        dict.fromkeys(infix, Operator(2, 2, 1)),
        dict.fromkeys(infix, Operator(1, 0, 1)),
        dict.fromkeys(postfix, Operator(0, 0, 0)),
        calls=False,
    )
