"""Tokens and terms of printed proofs: `f(s, t)`, quoted names, operators between their arguments.

    term    ::= operand (OPERATOR operand)*           to the left, all operators of one priority
    operand ::= PREFIX* (NAME | NAME "(" term ("," term)* ")" | "(" term ")") POSTFIX*

Which names are variables is for the caller to say. The reader keeps its own stack.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from threesil.errors import InputError
from threesil.kernel.terms import Term, app, var
from threesil.provers.proofs.skeleton import UnreadableProof

_REST = r"""\s+ | (?P<name>"(?:[^"\\]|\\.)*" | \$?\w+)
    | (?P<mark>!= | [(),\[\].:=|&] | [^\s\w(),\[\].:=|&"']+)"""
_TOKEN = re.compile(r"(?P<prime>') | " + _REST, re.VERBOSE)
_TOKEN_OR_QUOTED = re.compile(r"(?P<quoted>'(?:[^'\\]|\\.)+') | " + _REST, re.VERBOSE)
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)+)'")


@dataclass(slots=True)
class Tokens:
    """The tokens of a text, each with its offset, and the place of the next one."""

    text: str
    source: str
    items: list[tuple[str, int]]
    next: int = 0

    @classmethod
    def of(cls, text: str, source: str, start: int, end: int, quotes: bool = True) -> Tokens:
        """The tokens of a part; without `quotes` the sign ' is an operator."""
        pattern = _TOKEN_OR_QUOTED if quotes else _TOKEN
        items = []
        place = last = start
        while place < end:
            found = pattern.match(text, place, end)
            if found is None:
                raise unreadable(f"what is {text[place]!r}?", text, place, source)
            if found.lastgroup:
                items.append((found.group(), place))
                last = found.end()
            place = found.end()
        items.append(("", last))
        return cls(text, source, items)

    def peek(self, ahead: int = 0) -> str:
        return self.items[min(self.next + ahead, len(self.items) - 1)][0]

    def take(self) -> str:
        token = self.items[self.next][0]
        self.next += self.next < len(self.items) - 1
        return token

    def expect(self, wanted: str) -> None:
        if self.take() != wanted:
            self.next -= 1
            raise self.error(f"expected {wanted!r}")

    def error(self, message: str) -> InputError:
        token, offset = self.items[self.next]
        return unreadable(f"{message}, found {token or 'the end'}", self.text, offset, self.source)


def unreadable(message: str, text: str, offset: int, source: str) -> UnreadableProof:
    """The error at a place of the text, with its line and column."""
    breaks = _breaks(text)
    number = bisect_left(breaks, offset)
    first = breaks[number - 1] + 1 if number else 0
    line = text[first : breaks[number]]
    number += 1
    return UnreadableProof(
        message, source=source, line=number, column=offset - first + 1, text=line
    )


@lru_cache(maxsize=2)
def _breaks(text: str) -> list[int]:
    """Where the lines end: of a long output, many formulas may be unreadable."""
    return [*(found.start() for found in re.finditer("\n", text)), len(text)]


def between(begin: re.Pattern[str], end: re.Pattern[str], text: str) -> tuple[int, int] | None:
    """Where the first part begins and ends that stands between two lines."""
    head = begin.search(text)
    tail = end.search(text, head.end()) if head else None
    return (head.end(), tail.start()) if head and tail else None


def unquoted(name: str) -> str:
    """The name without the quotes around it."""
    found = _QUOTED.fullmatch(name)
    return re.sub(r"\\(.)", r"\1", found.group(1)) if found else name


@dataclass(slots=True)
class _Frame:
    """An open bracket: the arguments before, and what was read of the present one.

    That is `left operator last`; the prefixes belong to `last`, after what stands behind it.
    """

    head: str | None
    args: list[Term] = field(default_factory=list)
    left: Term | None = None
    operator: str = ""
    last: Term | None = None
    prefixes: list[str] = field(default_factory=list)

    def whole(self) -> Term:
        """The term that was read."""
        assert self.last is not None
        term = self.last
        while self.prefixes:
            term = app(self.prefixes.pop(), term)
        return app(self.operator, self.left, term) if self.left is not None else term

    def go_on(self, operator: str) -> None:
        self.left, self.last, self.operator = self.whole(), None, operator

    def next_argument(self) -> None:
        self.args.append(self.whole())
        self.left = self.last = None

    def close(self) -> Term:
        inner = self.whole()
        return inner if self.head is None else app(self.head, *self.args, inner)


def read_term(
    tokens: Tokens,
    is_variable: Callable[[str], bool],
    *,
    infix: frozenset[str] = frozenset(),
    postfix: frozenset[str] = frozenset(),
) -> Term:
    """The term that begins at the next token; ends before the first token that can't be in it."""
    frames = [_Frame(None)]
    while True:
        frame = frames[-1]
        token = tokens.peek()
        if token == "(":
            tokens.take()
            frames.append(_Frame(None))
            continue
        if token in infix and not token.isalnum():
            frame.prefixes.append(tokens.take())
            continue
        if not re.match(r"[\w'\"$]", token):
            raise tokens.error("expected a term")
        tokens.take()
        if tokens.peek() == "(":
            tokens.take()
            frames.append(_Frame(unquoted(token)))
            continue
        frame.last = var(token) if is_variable(token) else app(unquoted(token))
        while True:  # an operator, a comma, a closing bracket or the end of the term is due
            frame = frames[-1]
            token = tokens.peek()
            if token in postfix:
                frame.last = app(tokens.take(), *([frame.last] if frame.last else []))
            elif token in infix:
                frame.go_on(tokens.take())
                break
            elif token == "," and frame.head is not None:
                tokens.take()
                frame.next_argument()
                break
            elif token == ")" and len(frames) > 1:
                tokens.take()
                frames.pop()
                frames[-1].last = frame.close()
            elif len(frames) > 1:
                raise tokens.error("expected a closing bracket")
            else:
                return frame.whole()
