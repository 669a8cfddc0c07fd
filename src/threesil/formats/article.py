"""Theory files: a theory, and theorems about it, as statements of one line each.

    # groups                         a comment
    Theory groups: Groups.           name and title; without it the file's name
    Goal equation.                   or: Goal target.   or: Goal normal 0 S.
    Constants e.
    Axiom unit: e * x = x.           both directions
    Rule inv: i(x) * x -> e.         left to right only
    Definition c(x,y) := i(y * x) * (x * y).
    Known unit2: x * e = x.
    Theorem t1: i(i(x)) = x.

This is also how AIMLEAP writes its articles (with `Admitted.` behind a theorem). A name with a
bracket behind it is a function; a name under `Constants` is a constant; every other name is a
variable. The infix operators are ^, then * / \\ and then + -, all associating to the left.
Actions: first the moves to argument 1, 2, ..., then each equation from left to right and from
right to left, where the goal allows it: only an equation's goal can take in new variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from threesil.errors import InputError
from threesil.formats.infix import Place, parse_equation
from threesil.formats.lines import read_lines
from threesil.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of

PRIORITIES = {"^": 3, "*": 2, "/": 2, "\\": 2, "+": 1, "-": 1}
_EQUATIONS = {"Axiom": "axiom", "Known": "known", "Rule": "rule", "Theorem": "theorem"}
_WORDS = ("Theory", "Goal", "Constants", "Axiom", "Rule", "Definition", "Known", "Theorem")
_NAME = r"[A-Za-z_][A-Za-z0-9_']*"


@dataclass(frozen=True)
class Statement:
    """One statement: its word, its name where it has one, the rest and where that stands."""

    word: str
    name: str
    body: str
    place: Place

    def error(self, message: str, offset: int = 0) -> InputError:
        return self.place.error(message, offset, self.body)


def is_article(line: str) -> bool:
    """Whether a line looks like one of an article."""
    return line.split(" ", 1)[0].rstrip(".") in (*_WORDS, "Admitted")


def read_statements(path: Path) -> Iterator[Statement]:
    """All statements of a file; comments, blank lines and `Admitted.` are passed over."""
    for number, line in read_lines(path):
        text = line.split("#", 1)[0].rstrip()
        start = len(text) - len(text.lstrip())
        if not text.strip() or text.strip() == "Admitted.":
            continue
        place = Place(str(path), number, start + 1, line)
        word, _, rest = text[start:].removesuffix(".").partition(" ")
        if word not in _WORDS:
            raise place.error(f"expected one of {', '.join(_WORDS)}, found {word!r}", 0, line)
        if not text.endswith("."):
            raise place.error("a statement ends with a full stop", len(text) - start, line)
        name = ""
        offset = start + len(word) + 1
        if word in _EQUATIONS or word == "Theory":
            head = re.match(r"\s*([^\s:]+)\s*:", rest)
            if head is None:
                raise place.error("expected a name and a colon", len(word) + 1, line)
            name, rest = head.group(1), rest[head.end() :]
            offset += head.end()
        yield Statement(word, name, rest, Place(str(path), number, offset + 1, line))


def read_theory(path: Path) -> Theory:
    """The theory of a theory file; its theorems are left to `read_theorems`."""
    statements = [s for s in read_statements(path) if s.word != "Theorem"]
    signature = _signature(statements)
    name, title = path.name.split(".")[0], ""
    goal, constructors = Goal.EQUATION, frozenset[str]()
    equations: list[Equation] = []
    one_way: set[str] = set()
    for s in statements:
        if s.word == "Theory":
            name, title = s.name, s.body.strip()
        elif s.word == "Goal":
            goal, constructors = _goal(s, signature)
        elif s.word != "Constants":
            equation = _equation(s, signature)
            if any(equation.name == other.name for other in equations):
                raise s.error(f"there is an equation {equation.name} already")
            equations.append(equation)
            if s.word == "Rule":
                one_way.add(equation.name)
    if not equations:
        raise InputError("no equation in this theory", source=str(path))
    return Theory(
        name,
        title or f"The theory of {path.name}",
        signature,
        tuple(equations),
        (*moves_of(signature), *rewrites_of(equations, goal, one_way)),
        goal,
        constructors=constructors,
        no_repeats=goal is Goal.EQUATION,
    )


def read_theorems(path: Path, signature: Signature) -> list[Problem]:
    """The theorems of an article, as problems."""
    problems = []
    for s in read_statements(path):
        if s.word == "Theorem":
            lhs, rhs = parse_equation(s.body, signature, place=s.place)
            problems.append(Problem(s.name, lhs, rhs))
    return problems


def _equation(s: Statement, signature: Signature) -> Equation:
    if s.word == "Definition":
        # The sign is blanked, not cut, so that columns stay right.
        lhs, rhs = parse_equation(s.body.replace(":=", " =", 1), signature, place=s.place)
        return Equation(lhs.head, lhs, rhs, "definition")
    text = s.body.replace("->", " =", 1) if s.word == "Rule" else s.body
    lhs, rhs = parse_equation(text, signature, place=s.place)
    return Equation(s.name, lhs, rhs, "known" if s.word == "Known" else "axiom")


def _goal(s: Statement, signature: Signature) -> tuple[Goal, frozenset[str]]:
    match s.body.split():
        case ["equation"]:
            return Goal.EQUATION, frozenset()
        case ["target"]:
            return Goal.TARGET, frozenset()
        case ["normal", *symbols] if symbols:
            for symbol in symbols:
                if symbol not in signature.symbols:
                    raise s.error(f"unknown symbol {symbol}", s.body.index(symbol))
            return Goal.NORMAL_FORM, frozenset(symbols)
    raise s.error("expected equation, target, or normal and the symbols of normal forms")


def _signature(statements: Iterable[Statement]) -> Signature:
    """Constants as declared, operators and functions as they are used."""
    symbols: dict[str, int] = {}
    infix: dict[str, int] = {}
    for s in statements:
        if s.word == "Constants":
            for found in re.finditer(r"[^\s,]+", s.body):
                if not re.fullmatch(rf"{_NAME}|[0-9]+", found.group()):
                    raise s.error(f"{found.group()!r} is not a name", found.start())
                symbols[found.group()] = 0
        elif s.word not in ("Theory", "Goal"):
            body = s.body.replace(":=", "  ").replace("->", "  ")
            for operator in PRIORITIES:
                if operator in body:
                    symbols[operator] = 2
                    infix[operator] = PRIORITIES[operator]
            for found in re.finditer(rf"({_NAME})\s*\(", body):
                arity = _count_arguments(body, found.end())
                if symbols.setdefault(found.group(1), arity) != arity:
                    expected = symbols[found.group(1)]
                    message = f"{found.group(1)} has {arity} arguments here and {expected} before"
                    raise s.error(message, found.start())
    return Signature(symbols, infix)


def _count_arguments(text: str, start: int) -> int:
    depth, count = 0, 1
    for character in text[start:]:
        if character == "(":
            depth += 1
        elif character == ")":
            if depth == 0:
                break
            depth -= 1
        elif character == "," and depth == 0:
            count += 1
    return count
