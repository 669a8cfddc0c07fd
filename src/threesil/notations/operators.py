"""Reading by operator precedence, for notations in which operators have numbers.

As in Prolog, every operator has a *precedence*; the lower, the tighter it binds. An operator takes
arguments whose own precedence is at most a bound: an infix operator that may stand beside itself
on the left has its own precedence as the left bound, one that needs brackets there has one less.
An expression in brackets, a name and `f(s,t)` have precedence 0.

The reader keeps its own stack, so nesting is limited by memory alone, and takes linear time. What
is built of the parts is up to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from threesil.errors import InputError

V = TypeVar("V")


class Token(NamedTuple):
    """A piece of the text: `kind` is name, variable, quoted, number, mark, binder or end.

    A binder is a quantifier together with the variables in `names`.
    """

    kind: str
    text: str
    offset: int
    names: tuple[str, ...] = ()


class Operator(NamedTuple):
    """Its precedence, and the largest ones of the arguments before and behind it."""

    precedence: int
    left: int
    right: int


_NONE = Operator(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Table:
    """The operators of a notation; `binder` is how its quantifiers bind, `~`-like ones too.

    With `calls` an operator may stand before its arguments, as in `*(x,y)`. Those in `names` are
    names as well, where an operand is due: `v v w` with the operator `v`. `named` is what messages
    expect behind a term.
    """

    infix: Mapping[str, Operator]
    prefix: Mapping[str, Operator]
    postfix: Mapping[str, Operator]
    binder: Operator = _NONE
    calls: bool = True
    names: Collection[str] = ()
    named: tuple[str, ...] = ("an operator",)

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset((*self.infix, *self.prefix, *self.postfix))


Build = Callable[[Token, list[V]], V]
"""Makes a value of a token and its arguments: none for a name, one for `f(s)`, `-s`, a binder."""


@dataclass(slots=True)
class _Frame(Generic[V]):
    """An open bracket, and for `f(` the head and its arguments; what was read since."""

    opener: Token | None
    head: Token | None = None
    args: list[V] = field(default_factory=list)
    operands: list[V] = field(default_factory=list)
    waiting: list[tuple[Token, Operator, int]] = field(default_factory=list)


def parse(
    tokens: Sequence[Token],
    table: Table,
    build: Build[V],
    fail: Callable[[str, int], InputError],
) -> V:
    """The value of an expression; `tokens` ends with one of kind `end`."""
    value, end = parse_part(tokens, 0, table, build, fail)
    if tokens[end].kind != "end":
        raise fail(f"expected an operator, found {shown(tokens[end])}", tokens[end].offset)
    return value


def parse_part(
    tokens: Sequence[Token],
    start: int,
    table: Table,
    build: Build[V],
    fail: Callable[[str, int], InputError],
    until: str = "",
) -> tuple[V, int]:
    """The value of the expression that begins at `start`, and where it ends.

    It ends at the first token that can't be in it; `until` is a mark that can't be in brackets.
    """
    reader = _Reader(tokens, start, table, build, fail, until)
    return reader.read(), reader.next


@dataclass(slots=True)
class _Reader(Generic[V]):
    tokens: Sequence[Token]
    next: int
    table: Table
    build: Build[V]
    fail: Callable[[str, int], InputError]
    until: str
    frames: list[_Frame[V]] = field(default_factory=lambda: [_Frame(None)])

    def read(self) -> V:
        while True:
            if not self.primary():
                continue
            value = self.behind()
            if value is not None:
                return value[0]

    def primary(self) -> bool:
        """Takes what a primary begins with; whether an operand is complete now."""
        token = self.tokens[self.next]
        frame = self.frames[-1]
        kind, text = token.kind, token.text
        if kind == "mark" and text == "(":
            self.next += 1
            self.frames.append(_Frame(token))
            return False
        if kind == "binder":
            self.next += 1
            self.wait(token, self.table.binder, 1)
            return False
        if kind == "mark" and text == "[":
            raise self.fail("lists are not read, only terms", token.offset)
        if kind == "end" or (kind == "mark" and text in "),]."):
            raise self.fail(f"expected a term, found {shown(token)}", token.offset)
        follower = self.tokens[self.next + 1]
        applied = follower.kind == "mark" and follower.text == "("
        operates, is_name = kind in ("mark", "name"), text in self.table.names
        ends = follower.kind == "mark" and follower.text in "),"
        if operates and text in self.table.prefix and not (is_name and ends):
            self.next += 1
            self.wait(token, self.table.prefix[text], 1)
            return False
        if applied and (self.table.calls or kind != "mark"):
            self.next += 2
            self.frames.append(_Frame(follower, token))
            return False
        if kind == "mark" and text == '"':
            raise self.fail("this quote is never closed", token.offset)
        if operates and not is_name and (kind == "mark" or text in self.table.infix):
            raise self.fail(f"expected a term, found {shown(token)}", token.offset)
        self.next += 1
        frame.operands.append(self.build(token, []))
        return True

    def behind(self) -> tuple[V] | None:
        """Takes what stands behind an operand; the value if the expression ends there."""
        while True:
            token = self.tokens[self.next]
            frame = self.frames[-1]
            text = token.text
            operates = token.kind in ("mark", "name")
            if operates and text in self.table.postfix:
                self.next += 1
                operator = self.table.postfix[text]
                self.reduce(frame, operator.left)
                self.fits(frame, token, operator)
                frame.operands.append(self.build(token, [frame.operands.pop()]))
            elif operates and text in self.table.infix:
                self.next += 1
                operator = self.table.infix[text]
                self.reduce(frame, operator.left)
                self.wait(token, operator, 2)
                return None
            elif text == "," and token.kind == "mark" and frame.head is not None:
                self.next += 1
                self.reduce(frame)
                frame.args.append(frame.operands.pop())
                return None
            elif text == ")" and token.kind == "mark" and frame.opener is not None:
                self.next += 1
                self.reduce(frame)
                self.frames.pop()
                value = frame.operands.pop()
                if frame.head is not None:
                    value = self.build(frame.head, [*frame.args, value])
                self.frames[-1].operands.append(value)
            elif frame.opener is None:
                self.reduce(frame)
                return (frame.operands.pop(),)
            elif token.kind == "end" or (token.kind == "mark" and text == self.until):
                raise self.fail("this bracket is never closed", frame.opener.offset)
            else:
                due = [*self.table.named, *([","] if frame.head else []), ")"]
                message = f"expected {' or '.join(due)}, found {shown(token)}"
                raise self.fail(message, token.offset)

    def wait(self, token: Token, operator: Operator, arity: int) -> None:
        """Puts an operator off until its last argument is complete."""
        frame = self.frames[-1]
        self.fits(frame, token, operator)
        frame.waiting.append((token, operator, arity))

    def fits(self, frame: _Frame[V], token: Token, operator: Operator) -> None:
        if frame.waiting:
            before, waiting, _ = frame.waiting[-1]
            if operator.precedence > waiting.right:
                message = f"{before.text} and {token.text} can't stand side by side: write brackets"
                raise self.fail(message, token.offset)

    def reduce(self, frame: _Frame[V], most: int | None = None) -> None:
        """Applies the waiting operators, the last ones first, while they bind tightly enough."""
        while frame.waiting and (most is None or frame.waiting[-1][1].precedence <= most):
            token, _, arity = frame.waiting.pop()
            args = frame.operands[-arity:]
            del frame.operands[-arity:]
            frame.operands.append(self.build(token, args))


def shown(token: Token) -> str:
    """A token as messages name it."""
    return "the end" if token.kind == "end" else repr(token.text)
