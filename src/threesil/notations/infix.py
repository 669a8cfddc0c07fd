"""Terms and equations as people write them: infix operators, `f(s, t)`, decimal numerals.

    equation ::= term "=" term
    term     ::= unary (OPERATOR unary)*            OPERATOR by priority, then to the left
    unary    ::= PREFIX* primary POSTFIX*           -x'  is  -(x')
    primary  ::= NAME | NAME "(" term ("," term)* ")" | NUMBER | "(" term ")"

A name of the signature is that symbol; any other name is a variable, unless it is quoted (see
`tokens`). The reader is an operator precedence parser with its own stack; neither it nor the
printer recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from threesil.errors import InputError
from threesil.files import limits
from threesil.kernel.terms import Position, Term, app, var
from threesil.kernel.theory import Equation, Signature
from threesil.notations.operators import Token, shown
from threesil.notations.tokens import (
    INVERSES,
    POSTFIX,
    Place,
    is_operator,
    is_prefix,
    shown_symbol,
    tokens_of,
    written,
    written_variable,
)

__all__ = [
    "Place",
    "format_equation",
    "format_term",
    "numeral_values",
    "parse_equation",
    "parse_term",
    "pieces",
]

_KNOWN = 30  # symbols that a message lists


@dataclass
class _Frame:
    """An open bracket: the operands and operators read since, and, for `f(`, its arguments.

    An operator comes with whether it stands between its arguments, not before its only one.
    """

    opener: Token | None
    head: Token | None = None
    args: list[Term] = field(default_factory=list)
    operands: list[Term] = field(default_factory=list)
    operators: list[tuple[str, bool]] = field(default_factory=list)

    def reduce(self, infix: dict[str, int], priority: int) -> None:
        while self.operators:
            symbol, binary = self.operators[-1]
            if binary and infix[symbol] < priority:
                return
            self.operators.pop()
            args = [self.operands.pop() for _ in range(1 + binary)]
            self.operands.append(app(symbol, *reversed(args)))


class _Reader:
    def __init__(
        self,
        text: str,
        signature: Signature,
        place: Place,
        variables: bool,
        advice: Mapping[str, str] | None = None,
    ) -> None:
        self.text = text
        self.signature = signature
        self.infix = dict(signature.infix)
        self.place = place
        self.variables = variables
        self.advice = advice or {}
        self.tokens = tokens_of(text, signature)
        self.next = 0

    def fail(self, message: str, token: Token) -> InputError:
        return self.place.error(message, token.offset, self.text)

    def peek(self) -> Token:
        return self.tokens[self.next]

    def take(self) -> Token:
        token = self.tokens[self.next]
        self.next += token.kind != "end"
        return token

    def leaf(self, token: Token) -> Term:
        arity = self.signature.symbols.get(token.text)
        if arity is None and self.variables and token.kind == "name":
            return var(token.text)
        if arity is None:
            advice = self.advice.get(token.text)
            known = advice or f"known symbols: {_listed(self.signature.symbols)}"
            raise self.fail(f"unknown symbol {token.text}; {known}", token)
        if arity:
            raise self.fail(f"{token.text} needs {_arguments(arity)}, none given", token)
        return app(token.text)

    def variable(self, token: Token) -> Term:
        """One in brackets, whatever symbols there are."""
        if not self.variables:
            raise self.fail(f"there are no variables here, not {token.text!r} either", token)
        return var(token.text)

    def numeral(self, token: Token) -> Term:
        if self.signature.numerals is None:
            return self.leaf(token)
        digits = token.text.lstrip("0") or "0"
        if len(digits) > 7 or int(digits) > limits.NUMERAL:
            raise self.fail(f"the number is too large (at most {limits.NUMERAL})", token)
        return _numeral(int(digits), *self.signature.numerals)

    def close(self, frame: _Frame) -> Term:
        frame.reduce(self.infix, -1)
        return frame.operands.pop()

    def term(self, until: str) -> Term:
        """Reads a term and stops before the mark `until` (or the end of the text, "")."""
        frames = [_Frame(None)]
        while True:
            if self.primary(frames):
                term = self.behind(frames, until)
                if term is not None:
                    return term

    def primary(self, frames: list[_Frame]) -> bool:
        """Takes what a primary begins with; whether an operand is complete now."""
        token = self.take()
        named = token.kind in ("name", "quoted")
        if named and self.peek().kind == "mark" and self.peek().text == "(":
            if self.signature.symbols.get(token.text, 0) == 0:
                raise self.fail(self.no_function(token.text), token)
            frames.append(_Frame(self.take(), head=token))
            return False
        if named:
            frames[-1].operands.append(self.leaf(token))
        elif token.kind == "variable":
            frames[-1].operands.append(self.variable(token))
        elif token.kind == "number":
            frames[-1].operands.append(self.numeral(token))
        elif token.text == "(":
            frames.append(_Frame(token))
            return False
        elif is_prefix(token.text, self.signature.symbols.get(token.text, 0)):
            frames[-1].operators.append((token.text, False))
            return False
        elif token.text == '"':
            raise self.fail("this quote is never closed", token)
        else:
            raise self.fail(f"expected a term, found {shown(token)}", token)
        return True

    def behind(self, frames: list[_Frame], until: str) -> Term | None:
        """Takes what stands behind an operand; the term if it ends there."""
        while True:
            frame = frames[-1]
            token = self.peek()
            mark = token.text if token.kind == "mark" else ""
            if mark in POSTFIX and mark not in self.infix:
                self.take()
                frame.operands.append(app(self.postfix(token), frame.operands.pop()))
            elif self.is_infix(token):
                self.take()
                frame.reduce(self.infix, self.infix[token.text])
                frame.operators.append((token.text, True))
                return None
            elif mark == "," and frame.head is not None:
                self.take()
                frame.args.append(self.close(frame))
                return None
            elif mark == ")" and frame.opener is not None:
                self.take()
                frames.pop()
                inner = self.close(frame)
                if frame.head is not None:
                    inner = self.application(frame.head, [*frame.args, inner])
                frames[-1].operands.append(inner)
            elif frame.opener is not None and (token.kind == "end" or mark == until != ""):
                raise self.fail("this bracket is never closed", frame.opener)
            elif len(frames) == 1 and (token.kind == "end" or mark == until != ""):
                return self.close(frame)
            else:
                closing = ")" if frame.opener is not None else until or "the end"
                expected = [*islice(self.infix, _KNOWN), *([","] if frame.head else []), closing]
                raise self.fail(f"expected {' or '.join(expected)}, found {shown(token)}", token)

    def is_infix(self, token: Token) -> bool:
        """Whether it is an operator between terms; brackets and commas are so in quotes only."""
        if token.kind == "variable" or token.text not in self.infix:
            return False
        return token.kind != "mark" or is_operator(token.text)

    def postfix(self, token: Token) -> str:
        """The symbol that `'` or `⁻¹` behind an operand stands for."""
        arities = self.signature.symbols
        named = [s for s in INVERSES if arities.get(s) == 1]
        others = [token.text, *POSTFIX, *(named if token.text == "⁻¹" else [])]
        for symbol in others:
            if arities.get(symbol) == 1:
                return symbol
        mend = f"the inverse is written {named[0]}(x)" if named else "name a variable x1, not x'"
        raise self.fail(f"this theory has no operator {token.text}; {mend}", token)

    def no_function(self, name: str) -> str:
        if name in self.signature.symbols:
            return f"{name} is a constant and takes no arguments"
        known = _listed(f"{s}/{n}" for s, n in self.signature.symbols.items() if n)
        return f"unknown function {name}; known symbols with arguments: {known}"

    def application(self, head: Token, args: list[Term]) -> Term:
        arity = self.signature.symbols[head.text]
        if len(args) != arity:
            raise self.fail(f"{head.text} needs {_arguments(arity)}, {len(args)} given", head)
        return app(head.text, *args)

    def end(self) -> None:
        if self.peek().kind != "end":
            raise self.fail(f"expected the end, found {shown(self.peek())}", self.peek())


@cache
def _numerals(zero: str, successor: str) -> list[Term]:
    """The numerals from 0 as far as they were needed; they share their successors."""
    return [app(zero)]


def _numeral(value: int, zero: str, successor: str) -> Term:
    chain = _numerals(zero, successor)
    while len(chain) <= value:
        chain.append(app(successor, chain[-1]))
    return chain[value]


def _listed(names: Iterable[str]) -> str:
    first = list(islice(names, _KNOWN + 1))
    return ", ".join(first[:_KNOWN]) + (", ..." if len(first) > _KNOWN else "")


def _arguments(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"


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
    advice: Mapping[str, str] | None = None,
) -> tuple[Term, Term]:
    """Reads `term = term`; `sign` is the mark between the sides.

    `advice` says, for names that people type and the signature lacks, what to write.
    """
    reader = _Reader(text, signature, place or Place(), variables, advice)
    lhs = reader.term(sign)
    token = reader.take()
    if token.kind != "mark" or token.text != sign:
        raise reader.fail(f"expected {sign!r} and a second term, found {shown(token)}", token)
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
            stack.append((marked, f" {shown_symbol(t.head)} "))
            stack.append((t.args[0], below(0), True))
        elif not t.args:
            yield marked, written_variable(t.head, signature) if t.is_variable else written(t.head)
        elif is_prefix(t.head, len(t.args)):
            closing = _brackets(t.args[0], signature)
            yield marked, t.head + closing[:1]
            stack.append((marked, closing[1:]))
            stack.append((t.args[0], below(0), False))
        elif t.head in POSTFIX and len(t.args) == 1:
            closing = _brackets(t.args[0], signature)
            if closing:
                yield marked, "("
            stack.append((marked, closing[1:] + t.head))
            stack.append((t.args[0], below(0), False))
        else:
            yield marked, f"{written(t.head, applied=True)}("
            stack.append((marked, ")"))
            for index in range(len(t.args) - 1, -1, -1):
                stack.append((t.args[index], below(index), False))
                if index:
                    stack.append((marked, ","))


def _brackets(term: Term, signature: Signature) -> str:
    """The brackets around the argument of a unary operator: none, or `()`."""
    infix = term.head in signature.infix and len(term.args) == 2
    unary = is_prefix(term.head, len(term.args))
    return "()" if infix or unary else ""


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
