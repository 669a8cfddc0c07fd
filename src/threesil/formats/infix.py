"""Terms and equations as people write them: infix operators, `f(s, t)`, decimal numerals.

    equation ::= term "=" term
    term     ::= primary (OPERATOR primary)*        OPERATOR by priority, then to the left
    primary  ::= NAME | NAME "(" term ("," term)* ")" | NUMBER | "(" term ")"

A name of the signature is that symbol; any other name is a variable. The reader is an operator
precedence parser with its own stack; neither it nor the printer recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from threesil.errors import InputError
from threesil.terms import Position, Term, app, var
from threesil.theory import Equation, Signature

_TOKEN = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_']*)|(?P<number>[0-9]+)|(?P<mark>\S)", re.ASCII)
_LARGEST_NUMERAL = 1_000_000


@dataclass(frozen=True)
class Place:
    """Where a text comes from, for error messages: `line` and `column` of its first character."""

    source: str = "<input>"
    line: int = 1
    column: int = 1
    text: str | None = None

    @classmethod
    def inside(cls, source: str, text: str, start: int, end: int) -> Place:
        """The place of the part `text[start:end]` of a whole file's text."""
        first = text.rfind("\n", 0, start) + 1
        line = text[first:].split("\n", 1)[0]
        shown = line if end <= first + len(line) else None
        return cls(source, text.count("\n", 0, start) + 1, start - first + 1, shown)

    def error(self, message: str, offset: int, text: str) -> InputError:
        line, column, shown = self.line, self.column + offset, self.text
        if shown is None:  # the text is all there is, perhaps of several lines
            before, rest = text[:offset], text[offset:]
            line += before.count("\n")
            last = before.rsplit("\n", 1)[-1]
            shown = last + rest.split("\n", 1)[0]
            column = len(last) + (self.column if line == self.line else 1)
        return InputError(message, source=self.source, line=line, column=column, text=shown)


@dataclass
class _Token:
    kind: str  # name, number, mark or end
    text: str
    offset: int


@dataclass
class _Frame:
    """An open bracket: the operands and operators read since, and, for `f(`, its arguments."""

    opener: _Token | None
    head: _Token | None = None
    args: list[Term] = field(default_factory=list)
    operands: list[Term] = field(default_factory=list)
    operators: list[str] = field(default_factory=list)

    def reduce(self, infix: dict[str, int], priority: int) -> None:
        while self.operators and infix[self.operators[-1]] >= priority:
            right = self.operands.pop()
            left = self.operands.pop()
            self.operands.append(app(self.operators.pop(), left, right))


class _Reader:
    def __init__(self, text: str, signature: Signature, place: Place, variables: bool) -> None:
        self.text = text
        self.signature = signature
        self.infix = dict(signature.infix)
        self.place = place
        self.variables = variables
        self.tokens = [
            _Token(str(match.lastgroup), match.group(), match.start())
            for match in _TOKEN.finditer(text)
        ]
        self.tokens.append(_Token("end", "", len(text.rstrip())))
        self.next = 0
        self.chain: list[Term] = []  # the numerals from 0, which share their successors

    def fail(self, message: str, token: _Token) -> InputError:
        return self.place.error(message, token.offset, self.text)

    def peek(self) -> _Token:
        return self.tokens[self.next]

    def take(self) -> _Token:
        token = self.tokens[self.next]
        self.next += token.kind != "end"
        return token

    def leaf(self, token: _Token) -> Term:
        arity = self.signature.symbols.get(token.text)
        if arity is None and self.variables and token.kind == "name":
            return var(token.text)
        if arity is None:
            known = ", ".join(self.signature.symbols)
            raise self.fail(f"unknown symbol {token.text}; known symbols: {known}", token)
        if arity:
            raise self.fail(f"{token.text} needs {_arguments(arity)}, none given", token)
        return app(token.text)

    def numeral(self, token: _Token) -> Term:
        if self.signature.numerals is None:
            return self.leaf(token)
        digits = token.text.lstrip("0") or "0"
        if len(digits) > 7 or int(digits) > _LARGEST_NUMERAL:
            raise self.fail(f"the number is too large (at most {_LARGEST_NUMERAL})", token)
        zero, successor = self.signature.numerals
        if not self.chain:
            self.chain.append(app(zero))
        while len(self.chain) <= int(digits):
            self.chain.append(app(successor, self.chain[-1]))
        return self.chain[int(digits)]

    def close(self, frame: _Frame) -> Term:
        frame.reduce(self.infix, -1)
        return frame.operands.pop()

    def term(self, until: str) -> Term:
        """Reads a term and stops before the mark `until` (or the end of the text, "")."""
        frames = [_Frame(None)]
        while True:
            frame = frames[-1]
            token = self.take()
            # A primary is due.
            if token.kind == "name" and self.peek().text == "(":
                if self.signature.symbols.get(token.text, 0) == 0:
                    raise self.fail(self.no_function(token.text), token)
                frames.append(_Frame(self.take(), head=token))
                continue
            if token.kind == "name":
                frame.operands.append(self.leaf(token))
            elif token.kind == "number":
                frame.operands.append(self.numeral(token))
            elif token.text == "(":
                frames.append(_Frame(token))
                continue
            else:
                raise self.fail(f"expected a term, found {_shown(token)}", token)
            # An operator, a comma, a closing bracket or the end is due.
            while True:
                frame = frames[-1]
                token = self.peek()
                if token.text in self.infix:
                    self.take()
                    frame.reduce(self.infix, self.infix[token.text])
                    frame.operators.append(token.text)
                    break
                if token.text == "," and frame.head is not None:
                    self.take()
                    frame.args.append(self.close(frame))
                    break
                if token.text == ")" and frame.opener is not None:
                    self.take()
                    frames.pop()
                    inner = self.close(frame)
                    if frame.head is not None:
                        inner = self.application(frame.head, [*frame.args, inner])
                    frames[-1].operands.append(inner)
                    continue
                if frame.opener is not None and (token.kind == "end" or token.text == until):
                    raise self.fail("this bracket is never closed", frame.opener)
                if len(frames) == 1 and (token.text == until or token.kind == "end"):
                    return self.close(frame)
                closing = ")" if frame.opener is not None else until or "the end"
                expected = [*self.infix, *([","] if frame.head else []), closing]
                raise self.fail(f"expected {' or '.join(expected)}, found {_shown(token)}", token)

    def no_function(self, name: str) -> str:
        if name in self.signature.symbols:
            return f"{name} is a constant and takes no arguments"
        known = ", ".join(f"{s}/{n}" for s, n in self.signature.symbols.items() if n)
        return f"unknown function {name}; known symbols with arguments: {known}"

    def application(self, head: _Token, args: list[Term]) -> Term:
        arity = self.signature.symbols[head.text]
        if len(args) != arity:
            raise self.fail(f"{head.text} needs {_arguments(arity)}, {len(args)} given", head)
        return app(head.text, *args)

    def end(self) -> None:
        if self.peek().kind != "end":
            raise self.fail(f"expected the end, found {_shown(self.peek())}", self.peek())


def _arguments(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"


def _shown(token: _Token) -> str:
    return "the end" if token.kind == "end" else repr(token.text)


def parse_term(
    text: str, signature: Signature, *, place: Place | None = None, variables: bool = True
) -> Term:
    """Reads one term; with `variables=False` a name that the signature lacks is an error."""
    reader = _Reader(text, signature, place or Place(), variables)
    term = reader.term("")
    reader.end()
    return term


def parse_equation(
    text: str,
    signature: Signature,
    *,
    place: Place | None = None,
    variables: bool = True,
    sign: str = "=",
) -> tuple[Term, Term]:
    """Reads `term = term`; `sign` is the one-character mark between the sides."""
    reader = _Reader(text, signature, place or Place(), variables)
    lhs = reader.term(sign)
    token = reader.take()
    if token.text != sign:
        raise reader.fail(f"expected {sign!r} and a second term, found {_shown(token)}", token)
    rhs = reader.term("")
    reader.end()
    return lhs, rhs


def pieces(
    term: Term, signature: Signature, position: Position | None = None
) -> Iterator[tuple[bool, str]]:
    """The text of a term in pieces, each with whether it belongs to the subterm at `position`.

    An infix term in brackets inside an infix term, `f(s,t)`, decimal numbers for numerals. A
    position inside a numeral is taken as that of the numeral.
    """
    numeral = numeral_values(term, signature)
    inside, outside = -1, -2  # else: how many steps of the path lead to this subterm
    end = len(position) if position is not None else outside
    start = 0 if position is not None else outside
    stack: list[tuple[Term, int, bool] | tuple[bool, str]] = [(term, start, False)]
    while stack:
        item = stack.pop()
        if len(item) == 2:
            yield item
            continue
        t, on_path, bracket = item
        if on_path == end != outside or (on_path >= 0 and id(t) in numeral):
            on_path = inside
        marked = on_path == inside

        def below(index: int, on_path: int = on_path) -> int:
            if on_path < 0 or position is None:
                return on_path
            return on_path + 1 if position[on_path] == index else outside

        if id(t) in numeral:
            yield marked, str(numeral[id(t)])
        elif t.head in signature.infix and len(t.args) == 2:
            if bracket:
                yield marked, "("
                stack.append((marked, ")"))
            stack.append((t.args[1], below(1), True))
            stack.append((marked, f" {t.head} "))
            stack.append((t.args[0], below(0), True))
        elif not t.args:
            yield marked, t.head
        else:
            yield marked, f"{t.head}("
            stack.append((marked, ")"))
            for index in range(len(t.args) - 1, -1, -1):
                stack.append((t.args[index], below(index), False))
                if index:
                    stack.append((marked, ","))


def numeral_values(term: Term, signature: Signature) -> dict[int, int]:
    """Values of the subterms (by object) that are numerals."""
    values: dict[int, int] = {}
    if signature.numerals is not None:
        zero, successor = signature.numerals

        def combine(t: Term, args: tuple[int | None, ...]) -> int | None:
            value = None
            if t.head == zero and not t.is_variable:
                value = 0
            elif t.head == successor and args and args[0] is not None:
                value = args[0] + 1
            if value is not None:
                values[id(t)] = value
            return value

        term.fold(combine)
    return values


def format_term(term: Term, signature: Signature) -> str:
    """The term as `parse_term` reads it."""
    return "".join(text for _, text in pieces(term, signature))


def format_equation(equation: Equation, signature: Signature) -> str:
    """`lhs = rhs`, or `lhs := rhs` for a definition."""
    sign = ":=" if equation.kind == "definition" else "="
    lhs = format_term(equation.lhs, signature)
    return f"{lhs} {sign} {format_term(equation.rhs, signature)}"
