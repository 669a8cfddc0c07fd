"""Terms and equations as people write them: infix operators, `f(s, t)`, decimal numerals.

    equation ::= term "=" term
    term     ::= unary (OPERATOR unary)*            OPERATOR by priority, then to the left
    unary    ::= PREFIX* primary POSTFIX*           -x'  is  -(x')
    primary  ::= NAME | NAME "(" term ("," term)* ")" | NUMBER | "(" term ")"

A name of the signature is that symbol; any other name is a variable, unless it is quoted (see
`tokens`). Neither the reader nor the printer recurses.

In prefix notation every symbol is one character, without blanks: `S*S00` is S(S(0) * 0).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import ClassVar

from threesil.errors import InputError
from threesil.files import limits
from threesil.kernel.terms import Position, Term, app, var
from threesil.kernel.theory import Equation, Signature
from threesil.notations.names import quoted
from threesil.notations.operators import Operator, Table, Token, parse_part, shown
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

_KNOWN = 30  # symbols that a message lists
_QUANTIFIED = re.compile(r"\s*(?:∀|!\s*\[|(?:for\s*)?all\b)", re.IGNORECASE)
_EXISTS = re.compile(r"\s*(?:∃|\?\s*\[|exists?\b)", re.IGNORECASE)
_LACKING = re.compile(r"found '(.*)'$")
_BESIDE = re.compile(r"[\w)]\s+[\w(]|\)[\w(]")  # two terms and nothing between them


class _Reader:
    """Reads terms of a text one after the other."""

    def __init__(
        self,
        text: str,
        signature: Signature,
        place: Place,
        variables: bool,
        advice: Mapping[str, str] | None = None,
    ) -> None:
        self.text, self.signature, self.place = text, signature, place
        self.variables, self.advice = variables, advice or {}
        # An infix symbol that is a name, or stands in quotes, can be taken for nothing else so.
        self.table, self.names, operators = _table(signature)
        symbols = {symbol: name for name, symbol in self.names.items()}
        self.tokens = [
            token._replace(kind="name", text=symbols[token.text])
            if token.kind in ("name", "number", "quoted") and token.text in symbols
            else token
            for token in tokens_of(text, signature, operators)
        ]
        self.next = 0

    def fail(self, message: str, offset: int) -> InputError:
        return self.place.error(message, offset, self.text)

    def term(self, until: str) -> Term:
        """Reads a term up to the mark `until` (or the end of the text, "")."""
        build, fail = self.build, self.fail
        term, self.next = parse_part(self.tokens, self.next, self.table, build, fail, until)
        token = self.tokens[self.next]
        if token.kind != "end" and not (token.kind == "mark" and token.text == until):
            due = " or ".join([*self.table.named, until or "the end"])
            raise self.fail(f"expected {due}, found {shown(token)}", token.offset)
        self.next += token.kind != "end"
        if until and token.kind == "end":
            message = f"expected {until!r} and a second term, found the end"
            raise self.fail(message, token.offset)
        return term

    def build(self, token: Token, args: list[Term]) -> Term:
        symbol = self.names.get(token.text, token.text)
        if not args:
            return self.leaf(token, symbol)
        if token.kind == "mark" and symbol in self.table.postfix:
            return app(self.postfix(token), *args)
        arity = self.signature.symbols.get(symbol, 0)
        if not arity or token.kind in ("number", "variable"):
            raise self.fail(self.no_function(symbol), token.offset)
        if len(args) != arity:
            message = f"{symbol} needs {_arguments(arity)}, {len(args)} given"
            raise self.fail(message, token.offset)
        return app(symbol, *args)

    def leaf(self, token: Token, symbol: str) -> Term:
        if token.kind == "variable":  # one in brackets, whatever symbols there are
            if not self.variables:
                message = f"there are no variables here, not {symbol!r} either"
                raise self.fail(message, token.offset)
            return var(symbol)
        if token.kind == "number" and self.signature.numerals is not None:
            digits = symbol.lstrip("0") or "0"
            if len(digits) > 7 or int(digits) > limits.NUMERAL:
                message = f"the number is too large (at most {limits.NUMERAL})"
                raise self.fail(message, token.offset)
            return _numeral(int(digits), *self.signature.numerals)
        arity = self.signature.symbols.get(symbol)
        if arity is None and self.variables and token.kind == "name":
            return var(symbol)
        if arity is None:
            advice = self.advice.get(symbol)
            known = advice or f"known symbols: {_listed(self.signature.symbols)}"
            raise self.fail(f"unknown symbol {symbol}; {known}", token.offset)
        if arity:
            raise self.fail(f"{symbol} needs {_arguments(arity)}, none given", token.offset)
        return app(symbol)

    def postfix(self, token: Token) -> str:
        """The symbol that `'` or `⁻¹` behind an operand stands for."""
        arities = self.signature.symbols
        named = [s for s in INVERSES if arities.get(s) == 1]
        others = [token.text, *POSTFIX, *(named if token.text == "⁻¹" else [])]
        for symbol in others:
            if arities.get(symbol) == 1:
                return symbol
        mend = f"the inverse is written {named[0]}(x)" if named else "name a variable x1, not x'"
        raise self.fail(f"this theory has no operator {token.text}; {mend}", token.offset)

    def no_function(self, name: str) -> str:
        if name in self.signature.symbols:
            return f"{name} is a constant and takes no arguments"
        known = _listed(f"{s}/{n}" for s, n in self.signature.symbols.items() if n)
        return f"unknown function {name}; known symbols with arguments: {known}"


_Read = tuple[Table, dict[str, str], tuple[str, ...]]
_last: list[tuple[Signature, _Read]] = []


def _table(signature: Signature) -> _Read:
    """How operators bind, the symbols of those that are other names as tokens, and all others.

    What was made for the last signature is kept, as many texts have the same.
    """
    for known, made in _last:
        if known is signature:
            return made
    ranks = sorted(set(signature.infix.values()), reverse=True)
    names = {quoted(symbol): symbol for symbol in signature.infix if not is_operator(symbol)}
    written = {symbol: name for name, symbol in names.items()}
    infix = {}
    for symbol, rank in signature.infix.items():
        precedence = ranks.index(rank) + 2
        operator = Operator(precedence, precedence, precedence - 1)
        infix[written.get(symbol, symbol)] = operator
    unary = [s for s, arity in signature.symbols.items() if arity == 1 and is_operator(s)]
    table = Table(
        infix,
        prefix={s: Operator(1, 0, 1) for s in unary if is_prefix(s, 1)},
        postfix=dict.fromkeys((s for s in POSTFIX if s not in infix), Operator(0, 0, 0)),
        calls=False,
        named=tuple(islice(signature.infix, _KNOWN)),
    )
    operators = (*(symbol for symbol in signature.infix if is_operator(symbol)), *unary)
    _last[:] = [(signature, (table, names, operators))]
    return table, names, operators


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
    return _Reader(text, signature, place or Place(), variables).term("")


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
    try:
        lhs = reader.term(sign)
        return lhs, reader.term("")
    except InputError as error:
        if hint := _hint(text, error.message, signature):
            error.message += f"; {hint}"
        raise


def _hint(text: str, message: str, signature: Signature) -> str:
    """What to write instead of some things that people type."""
    if "==" in text:
        return "equality is written with one ="
    if _EXISTS.match(text):
        return "what is to exist is written: exists x: s = t"
    if _QUANTIFIED.match(text):
        return "the equation alone is enough: it is about all values of its variables"
    lacking = _LACKING.search(message)
    if lacking and is_operator(lacking[1]) and lacking[1] not in signature.symbols:
        return f"the equations of this theory have no operator {lacking[1]}"
    if re.search(r"found '[\w(]", message) and _BESIDE.search(text):
        named = next(iter(signature.infix), None)
        return f"write the operator, as in x {named} y" if named else "write f(x,y) for a function"
    return ""


class Spelling:
    """How `pieces` writes names: as they are read."""

    comma: ClassVar[str] = ","

    def __init__(self, signature: Signature) -> None:
        self.signature = signature

    def operator(self, symbol: str) -> str:
        return shown_symbol(symbol)

    def symbol(self, symbol: str, applied: bool) -> str:
        return written(symbol, applied=applied)

    def variable(self, name: str) -> str:
        return written_variable(name, self.signature)


def pieces(
    term: Term,
    signature: Signature,
    position: Position | None = None,
    spelling: Spelling | None = None,
) -> Iterator[tuple[bool, str]]:
    """The text of a term in pieces, each with whether it belongs to the subterm at `position`.

    An infix term in brackets inside an infix term, `f(s,t)`, decimal numbers for numerals. A
    position inside a numeral is taken as that of the numeral.
    """
    spelling = spelling or Spelling(signature)
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
            stack.append((marked, f" {spelling.operator(t.head)} "))
            stack.append((t.args[0], below(0), True))
        elif not t.args:
            leaf = spelling.variable(t.head) if t.is_variable else spelling.symbol(t.head, False)
            yield marked, leaf
        elif is_prefix(t.head, len(t.args)):
            closing = _brackets(t.args[0], signature)
            yield marked, spelling.operator(t.head) + closing[:1]
            stack.append((marked, closing[1:]))
            stack.append((t.args[0], below(0), False))
        elif t.head in POSTFIX and len(t.args) == 1:
            closing = _brackets(t.args[0], signature)
            if closing:
                yield marked, "("
            stack.append((marked, closing[1:] + spelling.operator(t.head)))
            stack.append((t.args[0], below(0), False))
        else:
            yield marked, f"{spelling.symbol(t.head, True)}("
            stack.append((marked, ")"))
            for index in range(len(t.args) - 1, -1, -1):
                stack.append((t.args[index], below(index), False))
                if index:
                    stack.append((marked, spelling.comma))


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
