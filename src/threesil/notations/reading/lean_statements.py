"""Statements in Lean: what they are about, and the equation that they claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol

from threesil.errors import InputError
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.notations.document import theory_of
from threesil.notations.formulas import Names
from threesil.notations.lines import Text
from threesil.notations.operators import Token, parse, shown
from threesil.notations.reading.lean_operators import BINDING, BUILTIN, SIGNS, table
from threesil.notations.reading.lean_tokens import (
    FIXES,
    OPEN,
    QUANTIFIERS,
    Binder,
    binders_at,
    closing,
    find,
    split,
)
from threesil.notations.tokens import is_operator
from threesil.notations.writing.calc import Cited, Spelled

_IGNORED: Final = ("Nonempty", "Inhabited", "DecidableEq")  # they say nothing about equations
_MOST: Final = 1000  # variables of a statement
_APPLY: Final = Token("mark", "", 0)  # stands between a function and its argument


@dataclass(frozen=True, slots=True)
class Gap:
    """Where a proof is missing, and the words of the file for what the proof is about.

    `start` to `end` is `sorry`, `by` where such a word stands before it. `bound` are the variables
    that the statement itself binds. `kind` is the type, `filler` an element of it if one is there.
    """

    start: int
    end: int
    by: int | None
    head: int
    bound: tuple[str, ...]
    symbols: Mapping[str, Spelled]
    cited: Mapping[str, Cited]
    kind: str
    filler: str


@dataclass(frozen=True, slots=True)
class LeanGoal:
    """A statement without a proof, as a problem in the theory of its hypotheses."""

    theory: Theory
    problem: Problem
    gap: Gap


class Law(NamedTuple):
    """An equation of a class: the variables in order, and those that are implicit."""

    name: str
    owner: str
    variables: tuple[str, ...]
    implicit: frozenset[str]
    lhs: Term
    rhs: Term


@dataclass(frozen=True, slots=True)
class Class:
    """A structure or class: its operations, each with whose field it is, and its equations."""

    name: str
    fields: Mapping[str, tuple[str, str, int]]  # symbol: owner, field, arity
    laws: tuple[Law, ...]


@dataclass(slots=True)
class _Claim:
    """`s = t`, or a term whose function still lacks arguments."""

    sides: tuple[Term, Term]


@dataclass(slots=True)
class _Partial:
    token: Token
    symbol: str
    arity: int
    args: tuple[Term, ...] = ()


_Value = Term | _Partial | _Claim


class Surroundings(Protocol):
    """What a file says before a statement."""

    text: Text
    name: str
    theories: dict[object, Theory]

    @property
    def space(self) -> str:
        """The namespace, with a dot behind it."""

    def fail(self, message: str, offset: int) -> InputError:
        """The error at a place."""

    def signs(self) -> dict[str, tuple[str, int, str]]:
        """The operators that are declared: how they stand, how they bind, what they mean."""

    def class_named(self, token: Token) -> Class:
        """The class of this name."""

    def prefixes(self) -> Iterator[str]:
        """What may stand before a name: the namespaces from the innermost, what is opened."""


class Context:
    """What a statement is about: a type, operations, elements, hypotheses."""

    def __init__(self, reading: Surroundings, called: str) -> None:
        self.reading, self.called = reading, called
        self.fail = reading.fail
        self.types: dict[str, None] = {}
        self.symbols: dict[str, int] = {}
        self.spelled: dict[str, Spelled] = {}
        self.local: dict[str, str] = {}  # names of arguments and fields: the symbol
        self.full: dict[str, str] = {}  # names of fields with their class
        self.elements: dict[str, Token] = {}
        self.pending: list[tuple[Token, tuple[Token, ...]]] = []
        self.laws: dict[str, tuple[Term, Term]] = {}
        self.cited: dict[str, Cited] = {}
        self.signs = reading.signs()
        self.base = ""

    def add(self, symbol: str, arity: int, spelled: Spelled, *names: str) -> None:
        self.symbols[symbol] = arity
        self.spelled[symbol] = spelled
        for name in names:
            self.local[name] = symbol

    def arity(self, tokens: Sequence[Token]) -> int | None:
        """Of an operation with this type; None if it is the type of something else."""
        parts = split([t for t in tokens if t.text not in "()"], "→", "->")
        plain = all(len(part) == 1 and part[0].text in self.types for part in parts)
        return len(parts) - 1 if plain else None

    def declare(self, binder: Binder) -> None:
        if not binder.type:
            unknown = next((t for t in binder.names if t.text not in self.types), None)
            if unknown and unknown.text not in self.local and unknown.text not in self.elements:
                raise self.fail(f"the type of {unknown.text} is not given", unknown.offset)
            return
        first = binder.type[0]
        if first.text in ("Type", "Sort"):
            self.types |= dict.fromkeys(t.text for t in binder.names)
            if len(self.types) > 1:
                raise self.fail("one type of elements is read, and there are more", first.offset)
            return
        arity = self.arity(binder.type)
        if arity is not None:
            for token in binder.names:
                if token.text in (self.symbols if arity else self.elements):
                    raise self.fail(f"{token.text} is declared twice", token.offset)
                if arity:
                    self.add(token.text, arity, Spelled(token.text), token.text)
                else:
                    self.elements[token.text] = token
        elif binder.bracket == "[":
            self.given(binder)
        elif len(binder.type) == 2 and binder.type[1].text in self.types and first.kind == "name":
            for token in binder.names:
                self.instance(self.reading.class_named(first), token.text, first)
        else:
            for token in binder.names:
                self.pending.append((token, binder.type))

    def given(self, binder: Binder) -> None:
        """`[Group M]` or `[G : Group M]`."""
        first = binder.type[0]
        if first.text in _IGNORED:
            return
        if len(binder.type) != 2 or binder.type[1].text not in self.types:
            raise self.fail(f"{first.text} is not read as a class of the type", first.offset)
        self.instance(self.reading.class_named(first), "", first)

    def instance(self, found: Class, named: str, token: Token) -> None:
        """Takes in the operations and equations of a class; `named` is a structure's own name."""
        self.base = self.base or found.name.rpartition(".")[2]
        renamed: dict[str, str] = {}
        for symbol, (owner, called, arity) in found.fields.items():
            full = f"{named}.{called}" if named else f"{owner}.{called}"
            builtin = None if named else BUILTIN.get(owner)
            new = symbol
            if symbol in self.symbols:
                if not named:
                    message = f"there are two operations {symbol} of this type"
                    raise self.fail(message, token.offset)
                new = full
            renamed[symbol] = new
            self.add(new, arity, builtin.spelled if builtin else Spelled(full))
            self.full[full] = new
        for law in found.laws:
            sides = (_renamed(law.lhs, renamed), _renamed(law.rhs, renamed))
            name = law.name if law.name not in self.laws else f"{named or law.owner}.{law.name}"
            if name in self.laws:
                raise self.fail(f"there are two equations {name}", token.offset)
            text = f"{named or law.owner}.{law.name}"
            self.laws[name] = sides
            self.cited[name] = Cited(text, law.variables, law.implicit)

    def inside(self, cited: Cited) -> Cited:
        """A citation without the namespaces that the statement is in."""
        parts = cited.text.split(".")
        known = {*self.local, *self.elements, *(token.text for token, _ in self.pending)}
        for count in range(len(parts) - 1, 0, -1):
            space = "".join(f"{part}." for part in parts[:count])
            if self.reading.space.startswith(space) and parts[count] not in known:
                return replace(cited, text=".".join(parts[count:]))
        return cited

    # Statements

    def law(self, name: str, owner: str, binders: Sequence[Binder], tokens: Sequence[Token]) -> Law:
        """An equation for all values."""
        bound, exists, (lhs, rhs) = self.claim(binders, tokens)
        if exists:
            raise self.fail(f"{name} says that something exists", tokens[0].offset)
        implicit = frozenset(name for name, bracket in bound.items() if bracket != "(")
        return Law(name, owner, tuple(bound), implicit, lhs, rhs)

    def claim(
        self, binders: Sequence[Binder], tokens: Sequence[Token]
    ) -> tuple[dict[str, str], tuple[str, ...], tuple[Term, Term]]:
        """The variables of a claim with their brackets, those that exist, and the sides."""
        bound: dict[str, str] = {}
        exists: list[str] = []
        for binder in binders:
            self.bind(binder, bound, [])
        rest = list(tokens)
        while rest and len(bound) <= _MOST:
            opened = next((at for at, t in enumerate(rest[:_MOST]) if t.text != "("), 0)
            quantified = rest[opened].text in QUANTIFIERS
            if opened and quantified and closing(rest, 0) == len(rest) - 1:
                rest = rest[1:-1]
            elif rest[0].text in QUANTIFIERS:
                comma = find(rest, ",")
                if comma is None:
                    raise self.fail("expected a comma behind the variables", rest[0].offset)
                there = rest[0].text in ("∃", "exists")
                if exists and not there:
                    raise self.fail("∀ behind ∃ is not read", rest[0].offset)
                part = rest[1:comma]
                if part and part[0].text not in OPEN:
                    cut = find(part, ":")
                    names, kind = (part, []) if cut is None else (part[:cut], part[cut + 1 :])
                    found = [Binder("(", tuple(names), tuple(kind), part[0].offset)]
                else:
                    found, end = binders_at(part, 0, self.fail)
                    if end < len(part):
                        message = f"expected a comma, found {shown(part[end])}"
                        raise self.fail(message, part[end].offset)
                for binder in found:
                    self.bind(binder, bound, exists if there else [])
                rest = rest[comma + 1 :]
            else:
                break
        value = self.parsed(rest, bound, tokens)
        return {n: b for n, b in bound.items() if n not in exists}, tuple(exists), value

    def bind(self, binder: Binder, bound: dict[str, str], exists: list[str]) -> None:
        if binder.type and self.arity(binder.type) != 0:
            raise self.fail("a variable of another type is not read", binder.offset)
        for token in binder.names:
            if token.kind != "name" or "." in token.text:
                raise self.fail(f"expected a variable, found {shown(token)}", token.offset)
            if token.text in bound:
                raise self.fail(f"{token.text} is bound twice", token.offset)
            bound[token.text] = binder.bracket
            exists.append(token.text)

    def parsed(
        self, tokens: list[Token], bound: Mapping[str, str], whole: Sequence[Token]
    ) -> tuple[Term, Term]:
        end = Token("end", "", whole[-1].offset + len(whole[-1].text) if whole else 0)
        if not tokens:
            raise self.fail("expected an equation, found the end", end.offset)
        value = parse(
            [*self.applied(tokens), end],
            table(self.signs),
            lambda token, args: self.build(token, args, bound),
            self.fail,
        )
        if not isinstance(value, _Claim):
            raise self.fail("expected an equation, found a term", tokens[0].offset)
        return value.sides

    def applied(self, tokens: list[Token]) -> Iterator[Token]:
        """The tokens with a mark between a function and its argument, without `: M` in terms."""
        ended, skip = False, 0
        for at, token in enumerate(tokens):
            if skip:
                skip -= 1
                continue
            after = [t.text for t in tokens[at + 1 : at + 3]]
            if token.text == ":" and after[1:] == [")"] and after[0] in self.types:
                skip = 1
                continue
            operand = token.kind in ("name", "number") and not self.is_sign(token)
            if ended and (operand or token.text == "("):
                yield _APPLY._replace(offset=token.offset)
            yield token
            ended = operand or token.text in (")", "⁻¹", "ᶜ") or self.fixed(token) == "postfix"

    def fixed(self, token: Token) -> str:
        return self.signs.get(token.text, ("", 0, ""))[0]

    def is_sign(self, token: Token) -> bool:
        return self.fixed(token) in FIXES or token.text in ("⊤", "⊥")

    def build(self, token: Token, args: list[_Value], bound: Mapping[str, str]) -> _Value:
        if token.text == "" and len(args) == 2:
            function, argument = args
            if not isinstance(function, _Partial) or len(function.args) == function.arity:
                raise self.fail("this is no operation that could have arguments", token.offset)
            full = (*function.args, self.complete(argument, token))
            return replace(function, args=full)
        if token.text == "=":
            left, right = (self.complete(arg, token) for arg in args)
            return _Claim((left, right))
        symbol = None
        if not args:
            if token.text in bound:
                return var(token.text)
            symbol = self.symbol(token)
            if symbol is None and token.text in self.elements:
                return var(token.text)
        elif token.text in self.signs:
            symbol = self.symbol(token)
        else:
            symbol = SIGNS.get((token.text, len(args)))
            symbol = symbol if symbol in self.symbols else None
        if symbol is None:
            raise self.fail(f"{token.text} is not known here", token.offset)
        terms = tuple(self.complete(arg, token) for arg in args)
        return _Partial(token, symbol, self.symbols[symbol], terms)

    def symbol(self, token: Token) -> str | None:
        """What a name stands for: an argument, a field, or what a notation says."""
        text = token.text
        if text in self.signs:
            text = self.signs[text][2]
        if text in self.local:
            return self.local[text]
        if text in self.elements:
            return None
        for prefix in self.reading.prefixes():
            if prefix + text in self.full:
                return self.full[prefix + text]
        symbol = SIGNS.get((text, 0))
        return symbol if symbol in self.symbols else None

    def complete(self, value: _Value, token: Token) -> Term:
        if isinstance(value, _Claim):
            raise self.fail("an equation can't stand inside a term", token.offset)
        if isinstance(value, Term):
            return value
        if len(value.args) != value.arity:
            given = f"{len(value.args)} arguments, not {value.arity}"
            raise self.fail(f"{value.token.text} has {given}", value.token.offset)
        return app(value.symbol, *value.args)

    # Results

    def goal(self, name: str, line: int, statement: list[Token], head: int) -> LeanGoal:
        if not self.types:
            raise self.fail("there is no type of elements, such as (M : Type u)", head)
        for token, tokens in self.pending:
            law = self.law(token.text, "", (), tokens)
            free = dict.fromkeys((*law.lhs.variables(), *law.rhs.variables()))
            for element in free.keys() - law.variables:
                self.constant(element)
        for token, tokens in self.pending:
            law = self.law(token.text, "", (), tokens)
            if law.name in self.laws:
                raise self.fail(f"there are two equations {law.name}", token.offset)
            self.laws[law.name] = (law.lhs, law.rhs)
            self.cited[law.name] = Cited(law.name, law.variables, law.implicit)
        bound, exists, (lhs, rhs) = self.claim((), statement)
        if any(bracket != "(" for bracket in bound.values()):
            raise self.fail("implicit variables in a statement are not read", head)
        occurring = {*lhs.variables(), *rhs.variables()}
        missing = [name for name in exists if name not in occurring]
        if missing:
            raise self.fail(f"{missing[0]} does not occur in the equation", head)
        if exists and not occurring - set(exists) and 0 not in self.symbols.values():
            if not self.elements:
                raise self.fail("no element is known to exist: the type may be empty", head)
            self.constant(next(iter(self.elements)))
        # A variable that is called like something else in the proof gets another name.
        words = {text.split(".")[0] for text in self.words()}
        names = Names({*words, *occurring, *self.elements})
        values = {n: names.unique(n) for n in (*bound, *exists) if n in words}
        renamed = {old: var(new) for old, new in values.items()}
        sides = lhs.substitute(renamed), rhs.substitute(renamed)
        problem = Problem(name, *sides, (), line, tuple(values.get(n, n) for n in exists))
        filler = next((self.spelled[s].text for s, n in self.symbols.items() if n == 0), "")
        inside = tuple(values.get(n, n) for n in bound)
        filler = next(iter((*filter(None, [filler]), *self.elements, *inside)), "")
        needed = [c for n, c in self.cited.items() if set(c.variables) - self.mentioned(n)]
        if needed and not filler:
            raise self.fail("no element is known to exist: the type may be empty", head)
        theory = self.theory(self.base or self.reading.name)
        kind = next(iter(self.types))
        spelled = {symbol: self.best(symbol) for symbol in self.symbols}
        cited = {law: self.inside(cited) for law, cited in self.cited.items()}
        gap = Gap(0, 0, None, head, inside, spelled, cited, kind, filler)
        return LeanGoal(theory, problem, gap)

    def words(self) -> Iterator[str]:
        """The names that a proof may use."""
        yield from (*self.types, *self.local, *self.symbols)
        yield from (spelled.text for spelled in self.spelled.values())
        yield from (cited.text for cited in self.cited.values())

    def constant(self, name: str) -> None:
        self.elements.pop(name)
        self.add(name, 0, Spelled(name), name)

    def mentioned(self, law: str) -> set[str]:
        return {name for side in self.laws[law] for name in side.variables()}

    def best(self, symbol: str) -> Spelled:
        """How a symbol is written: by an operator of the file if there is one."""
        spelled = self.spelled[symbol]
        for sign, (fix, _, _) in self.signs.items():
            if self.symbol(Token("name", sign, 0)) == symbol:
                place = {"prefix": "prefix", "postfix": "postfix", "notation": ""}.get(fix, "infix")
                arity = {"infix": 2, "": 0}.get(place, 1)
                if arity == self.symbols[symbol]:
                    return Spelled(sign, place)
        short = next((n for n in (spelled.text.rpartition(".")[2],) if self.reads(n, symbol)), "")
        return replace(spelled, text=short) if short else spelled

    def reads(self, name: str, symbol: str) -> bool:
        taken = {*self.local, *self.elements, *self.laws}
        return name not in taken and self.symbol(Token("name", name, 0)) == symbol

    def theory(self, name: str) -> Theory:
        """The theory of the hypotheses; one and the same for the same ones."""
        infix = {s: 1 + BINDING.get(s, 70) // 10 for s, n in self.symbols.items() if n == 2}
        infix = {s: rank for s, rank in infix.items() if is_operator(s)}
        equations = tuple(Equation(law, *sides) for law, sides in self.laws.items())
        key = (name, tuple(self.symbols.items()), equations)
        known = self.reading.theories
        if key not in known:
            title = f"The theory of {name}"
            source = self.reading.text.source
            known[key] = theory_of(name, title, self.symbols, infix, equations, source=source)
        return known[key]


def _renamed(term: Term, names: Mapping[str, str]) -> Term:
    return term.fold(lambda t, args: t if t.is_variable else app(names.get(t.head, t.head), *args))
