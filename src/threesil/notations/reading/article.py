"""Theory files: a theory, and theorems about it, as statements of one line each.

    # groups                         a comment
    Theory groups: Groups.           name and title; without it the file's name
    Goal equation.                   or: Goal target.   or: Goal normal 0 S.   or: Goal any.
    Constants e.
    Infix 2 o.                       further operators; the higher, the tighter they bind
    Axiom unit: e * x = x.           both directions
    Rule inv: i(x) * x -> e.         left to right only
    Definition c(x,y) := i(y * x) * (x * y).
    Known unit2: x * e = x.
    Theorem t1: i(i(x)) = x.
    Theorem t2: exists y: x * y = e.
    Hint h: i(e) = e.                what may help, without being assumed

This is also how AIMLEAP writes its articles (with `Admitted.` behind a theorem). A name with a
bracket behind it is a function; a name under `Constants` is a constant; every other name is a
variable. The infix operators are ^, then * / \\ ◇ ⋄ and then + -, all associating to the left;
`-x` and `x'` are operators where they are used. Other names of symbols and statements are "quoted".
With `Goal any` one of the theorems is enough. Actions: first the moves to argument 1, 2, ..., then
each equation from left to right and from right to left, where the goal allows it: only an
equation's goal can take in new variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from threesil.errors import InputError
from threesil.files import limits
from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Goal, Problem, Signature
from threesil.notations.document import EQUATIONS, WORDS, Document, check_count, theory_of
from threesil.notations.formulas import is_definition
from threesil.notations.infix import parse_equation
from threesil.notations.lines import Text
from threesil.notations.names import BRACKETED, NAME, unquoted
from threesil.notations.operators import Token
from threesil.notations.tokens import POSTFIX, Place, is_operator, tokenize

PRIORITIES: Final = {"^": 3, "*": 2, "/": 2, "\\": 2, "◇": 2, "⋄": 2, "+": 1, "-": 1}
_QUOTED: Final = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_COMMENT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*\\?(?:"|$)|#')
_LABEL = re.compile(rf"\s*({_QUOTED}|[^\s:\"]+)\s*:(?!=)")
_ONE = rf"(?:{NAME}|{BRACKETED})"
_EXISTS = re.compile(rf"\s*exists\s+({_ONE}(?:\s*,\s*{_ONE})*)\s*:", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its word, its name where it has one, the rest and where that stands."""

    word: str
    name: str
    body: str
    place: Place

    def error(self, message: str, offset: int = 0) -> InputError:
        return self.place.error(message, offset, self.body)


def read_article(text: Text, name: str, within: Signature | None = None) -> Document:
    """The document of a theory file; with `within`, its names are those of another theory."""
    statements = list(_statements(text))
    _check_count(statements)
    signature = _signature(statements, within)
    title = ""
    goal, constructors, any_goal = Goal.EQUATION, frozenset[str](), False
    equations: dict[str, Equation] = {}
    one_way: set[str] = set()
    problems: list[Problem] = []
    hints: list[Equation] = []
    for s in statements:
        if s.word == "Theory":
            name, title = s.name, s.body.strip()
        elif s.word == "Goal":
            goal, constructors, any_goal = _goal(s, signature)
        elif s.word == "Theorem":
            problems.append(_theorem(s, signature))
        elif s.word == "Hint":
            hints.append(_equation(s, signature))
        elif s.word in EQUATIONS:
            equation = _equation(s, signature)
            if equation.name in equations:
                raise s.error(f"there is an equation {equation.name} already")
            equations[equation.name] = equation
            if s.word == "Rule":
                one_way.add(equation.name)
    theory = theory_of(
        name,
        title or f"The theory of {name}",
        signature.symbols,
        signature.infix,
        equations.values(),
        goal=goal,
        one_way=one_way,
        constructors=constructors,
        source=text.source,
    )
    return Document(theory, tuple(problems), "theory", tuple(hints), text.notes, any_goal)


def _check_count(statements: Sequence[Statement]) -> None:
    listed = [s for s in statements if s.word in EQUATIONS and s.word not in ("Theorem", "Hint")]
    try:
        check_count(len(listed))
    except ValueError as error:
        raise listed[-1].error(str(error)) from None


def _statements(text: Text) -> Iterator[Statement]:
    """All statements of a file; comments, blank lines and `Admitted.` are passed over."""
    for number, line in enumerate(text.content.split("\n"), 1):
        comment = (found.start() for found in _COMMENT.finditer(line) if found.group() == "#")
        content = line[: next(comment, len(line))].rstrip()
        start = len(content) - len(content.lstrip())
        if not content.strip() or content.strip() == "Admitted.":
            continue
        place = Place(text.source, number, start + 1, line)
        word, _, rest = content[start:].removesuffix(".").partition(" ")
        if word not in WORDS:
            raise place.error(f"expected one of {', '.join(WORDS)}, found {word!r}", 0, line)
        if not content.endswith("."):
            message = "a statement ends with a full stop"
            raise place.error(message, len(content) - start, line)
        name = ""
        offset = start + len(word) + 1
        if word in EQUATIONS or word == "Theory":
            head = _LABEL.match(rest)
            if head is not None:
                name, rest = head.group(1), rest[head.end() :]
                name = unquoted(name) if name.startswith('"') else name
                offset += head.end()
            elif word != "Definition":
                raise place.error("expected a name and a colon", len(word) + 1, line)
        yield Statement(word, name, rest, Place(text.source, number, offset + 1, line))


def _theorem(s: Statement, signature: Signature) -> Problem:
    lhs, rhs, exists = parse_claim(s.body, signature, s.place)
    return Problem(s.name, lhs, rhs, (), s.place.line, exists)


def parse_claim(
    text: str,
    signature: Signature,
    place: Place,
    *,
    variables: bool = True,
    advice: Mapping[str, str] | None = None,
) -> tuple[Term, Term, tuple[str, ...]]:
    """Reads `s = t` or `exists y, z: s = t`: the sides, and the variables that are to exist."""
    body, exists = text, tuple[str, ...]()
    if quantified := _EXISTS.match(text):
        names = re.findall(_ONE, quantified.group(1), re.DOTALL)
        plain = (unquoted(name[1:-1]) if name.startswith("[") else name for name in names)
        exists = tuple(dict.fromkeys(plain))
        body = " " * quantified.end() + text[quantified.end() :]  # columns stay right
    lhs, rhs = parse_equation(body, signature, place=place, variables=variables, advice=advice)
    occurring = {*lhs.variables(), *rhs.variables()}
    for name in exists:
        if name not in occurring:
            message = f"there is no variable {name} in this equation"
            raise place.error(message, max(0, text.find(name, text.index("exists") + 6)), text)
    return lhs, rhs, exists


def _equation(s: Statement, signature: Signature) -> Equation:
    sign = {"Definition": ":=", "Rule": "->"}.get(s.word, "=")
    if sign not in s.body:
        sign = "="
    lhs, rhs = parse_equation(s.body, signature, place=s.place, sign=sign)
    kind = {"Known": "known", "Definition": "definition"}.get(s.word, "axiom")
    if kind == "definition" and not is_definition(lhs):
        raise s.error("a definition begins with a symbol of different variables: c(x,y) := ...")
    return Equation(s.name or lhs.head, lhs, rhs, kind)


def _goal(s: Statement, signature: Signature) -> tuple[Goal, frozenset[str], bool]:
    words = [t.text for t in tokenize(s.body)[:-1]]
    match words:
        case ["equation"]:
            return Goal.EQUATION, frozenset(), False
        case ["any"]:
            return Goal.EQUATION, frozenset(), True
        case ["target"]:
            return Goal.TARGET, frozenset(), False
        case ["normal", *symbols] if symbols:
            for symbol in symbols:
                if symbol not in signature.symbols:
                    raise s.error(f"unknown symbol {symbol}", s.body.index(symbol))
            return Goal.NORMAL_FORM, frozenset(symbols), False
    raise s.error("expected equation, any, target, or normal and the symbols of normal forms")


# The signature


@dataclass(slots=True)
class _Symbols:
    """Constants and operators as declared, operators and functions as they are used."""

    symbols: dict[str, int] = field(default_factory=dict)
    infix: dict[str, int] = field(default_factory=dict)
    priorities: dict[str, int] = field(default_factory=lambda: dict(PRIORITIES))
    prefix: set[str] = field(default_factory=set)

    def declare(self, s: Statement) -> None:
        if s.word == "Constants":
            for token in tokenize(s.body)[:-1]:
                if token.kind == "mark" and token.text != ",":
                    raise s.error(f"{token.text!r} is not a name", token.offset)
                if token.kind != "mark":
                    self.add(s, token, 0)
            return
        names = s.body.split()
        rank = 2
        if s.word == "Infix" and names and re.fullmatch("[0-9]{1,4}", names[0], re.ASCII):
            rank = int(names.pop(0))
        for name in names:
            symbol = unquoted(name) if name.startswith('"') else name
            if not is_operator(symbol) and not re.fullmatch(NAME, symbol):
                raise s.error(f"{symbol!r} can't be an operator", s.body.index(name))
            if s.word == "Infix":
                self.priorities[symbol] = rank
            else:
                self.prefix.add(symbol)
            if len(self.priorities) + len(self.prefix) > limits.OPERATORS:
                raise s.error(f"too many operators; at most {limits.OPERATORS:,} are read")

    def use(self, s: Statement) -> None:
        """Takes in the symbols of an equation; mistakes of syntax are left to its reader."""
        operators = [o for o in (*self.priorities, *self.prefix) if is_operator(o)]
        tokens = tokenize(s.body, operators)
        open_: list[tuple[Token | None, int]] = []  # heads of open brackets, commas since
        behind = False  # whether an operand is complete
        for token, follower in pairwise(tokens):
            mark = token.text if token.kind == "mark" else ""
            applied = follower.kind == "mark" and follower.text == "("
            if mark == "(":
                if not open_ or open_[-1][1] != -1:
                    open_.append((None, 0))
                else:
                    open_[-1] = (open_[-1][0], 0)
                behind = False
            elif mark == ")":
                head, commas = open_.pop() if open_ else (None, 0)
                if head is not None:
                    self.add(s, head, commas + 1)
                behind = True
            elif mark == ",":
                if open_:
                    open_[-1] = (open_[-1][0], open_[-1][1] + 1)
                behind = False
            elif behind and token.text in self.priorities:
                self.add(s, token, 2)
                self.infix[token.text] = self.priorities[token.text]
                behind = False
            elif mark in POSTFIX or (mark and not behind and is_operator(mark)):
                self.add(s, token, 1)
            elif token.kind in ("name", "quoted") and applied and not behind:
                open_.append((token, -1))
            elif mark:
                behind = False
            else:
                if token.kind == "quoted":
                    self.add(s, token, 0)
                behind = True
        for head, commas in open_:
            if head is not None:
                self.add(s, head, commas + 1)

    def add(self, s: Statement, token: Token, arity: int) -> None:
        if token.text == "=":
            raise s.error("= can't be a symbol", token.offset)
        before = self.symbols.setdefault(token.text, arity)
        if before != arity:
            message = f"{token.text} has {arity} arguments here and {before} before"
            raise s.error(message, token.offset)
        if arity > limits.ARITY:
            message = f"{token.text} has {arity} arguments; at most {limits.ARITY} are read"
            raise s.error(message, token.offset)


def _signature(statements: Iterable[Statement], within: Signature | None) -> Signature:
    found = _Symbols()
    if within is not None:
        found.symbols |= within.symbols
        found.infix |= within.infix
        found.priorities |= within.infix
    for s in statements:
        if s.word in ("Constants", "Infix", "Prefix"):
            found.declare(s)
    for s in statements:
        if s.word in EQUATIONS:
            body = _EXISTS.sub(lambda part: " " * len(part.group()), s.body, count=1)
            found.use(Statement(s.word, s.name, body, s.place))
    numerals = within.numerals if within else None
    return Signature(found.symbols, found.infix, numerals)
