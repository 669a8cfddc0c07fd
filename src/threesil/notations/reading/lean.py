"""Reading Lean 4: the theorems of a file whose proof is `sorry`, as problems.

    variable {M : Type u} (mul : M → M → M)
    class Loop (M : Type u) extends Mul M, One M where
      one_mul : ∀ x : M, 1 * x = x
    theorem left (e : M) (h : ∀ x, mul e x = x) : ∀ x, mul e (mul e x) = x := sorry

What is read is one type, operations on it and equations for all its elements: as arguments, as
variables that a statement mentions, or as the fields of a structure or class in the same file. A
statement is an equation under ∀ and ∃. Whatever else has a `sorry` is named in the notes, by line.

The equations are the hypotheses that Lean admits in the proof. An element that a hypothesis is
about is a constant; the others are the variables of the problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Final

from threesil.errors import InputError
from threesil.kernel.theory import Theory
from threesil.notations.document import Document
from threesil.notations.lines import Text
from threesil.notations.operators import Token, shown
from threesil.notations.reading.lean_operators import BUILTIN
from threesil.notations.reading.lean_statements import Class, Context, Law, LeanGoal
from threesil.notations.reading.lean_tokens import (
    FIXES,
    MODIFIERS,
    Binder,
    behind_universes,
    binders_at,
    closing,
    commands,
    fields_of,
    find,
    names_in,
    split,
    tokens_of,
    unquoted,
)
from threesil.notations.writing.calc import Spelled

_HEADS: Final = ("extends", "where")


@dataclass(frozen=True, slots=True)
class LeanFile:
    """The statements of a file that lack proofs; the last class; notes on what was not read."""

    text: Text
    goals: tuple[LeanGoal, ...]
    last: Theory | None
    notes: tuple[str, ...]
    names: frozenset[str]
    """all that occur in the file"""


def read_lean(text: Text, name: str) -> LeanFile:
    """The statements of a file, in order."""
    return _Reading(text, name).file()


def lean_document(text: Text, name: str) -> Document:
    """The same as a document, for which all statements need to have the same hypotheses."""
    file = read_lean(text, name)
    theories: list[Theory | None] = list(dict.fromkeys(goal.theory for goal in file.goals))
    theories = theories or [file.last]
    notes = (*text.notes, *file.notes)
    if theories[0] is None:
        said = notes[0] if notes else "there is no theorem or class with equations"
        raise text.error(f"nothing of this file can be read: {said}", 0)
    if len(theories) > 1:
        second = next(goal for goal in file.goals if goal.theory is theories[1])
        message = "this theorem has other hypotheses than those before it; only prove reads such"
        raise text.error(f"{message} a file", second.gap.head)
    problems = tuple(goal.problem for goal in file.goals)
    return Document(theories[0], problems, "lean", (), notes)


@dataclass(slots=True)
class _Scope:
    """A namespace, a section, or the file: what has been declared in it."""

    name: str
    space: bool
    variables: list[Binder] = field(default_factory=list)
    included: set[str] = field(default_factory=set)
    opened: list[str] = field(default_factory=list)
    signs: dict[str, tuple[str, int, str]] = field(default_factory=dict)


class _Reading:
    """Goes through the commands of a file, and keeps what is declared."""

    def __init__(self, text: Text, name: str) -> None:
        self.text, self.name = text, name
        self.scopes = [_Scope("", True)]
        self.once: list[Binder] = []  # of a `variable … in`
        self.classes: dict[str, Class | InputError] = {}
        self.theories: dict[object, Theory] = {}
        self.last: Theory | None = None
        self.goals: list[LeanGoal] = []
        self.stated: dict[str, int] = {}
        self.notes: list[str] = []
        self.tokens = list(tokens_of(text))

    def file(self) -> LeanFile:
        for command in commands(self.tokens, self.text.content):
            try:
                self.command(command)
            except InputError as error:
                self.note(error.line or self.text.line(command[0].offset), error.message)
        names = {part for t in self.tokens if t.kind == "name" for part in t.text.split(".")}
        return LeanFile(
            self.text, tuple(self.goals), self.last, tuple(self.notes), frozenset(names)
        )

    def note(self, line: int, message: str) -> None:
        self.notes.append(f"line {line} is left as it is: {message}")

    def fail(self, message: str, offset: int) -> InputError:
        return self.text.error(message, offset)

    @property
    def space(self) -> str:
        """The namespace, with a dot behind it."""
        return "".join(f"{scope.name}." for scope in self.scopes if scope.space and scope.name)

    def command(self, tokens: list[Token]) -> None:
        at = 0
        while tokens[at].text in MODIFIERS or tokens[at].text == "@[":
            at = closing(tokens, at) + 1 if tokens[at].text == "@[" else at + 1
            if at == len(tokens):
                return
        head, rest = tokens[at], tokens[at + 1 :]
        once, self.once = self.once, []
        if head.text in ("theorem", "lemma", "example"):
            self.theorem(head, rest, once)
        elif head.text == "variable":
            found = binders_at(rest, 0, self.fail)[0]
            if rest and rest[-1].text == "in":
                self.once = found
            else:
                self.scopes[-1].variables += found
        elif head.text in ("namespace", "section"):
            self.scopes.append(_Scope(rest[0].text if rest else "", head.text == "namespace"))
        elif head.text == "end":
            if len(self.scopes) > 1:
                self.scopes.pop()
        elif head.text == "open":
            self.scopes[-1].opened += [t.text for t in rest if t.kind == "name"]
            self.once = once
        elif head.text in ("include", "omit"):
            named = {t.text for t in rest if t.kind == "name"}
            included = self.scopes[-1].included
            self.scopes[-1].included = (
                included | named if head.text == "include" else included - named
            )
        elif head.text in (*FIXES, "notation"):
            self.sign(head, rest)
        elif head.text in ("structure", "class"):
            self.structure(rest)
        elif head.text == "set_option":
            self.once = once
        elif sorry := next((t for t in rest if t.text == "sorry"), None):
            raise self.fail("sorry is read as the proof of a theorem only", sorry.offset)

    # Operators

    def sign(self, head: Token, tokens: list[Token]) -> None:
        """`infixl:70 " * " => mul`, `notation "e" => one`; others are not known afterwards."""
        at, precedence = 0, 1024
        if len(tokens) > 1 and tokens[0].text == ":":
            given = {"max": "1024", "arg": "1023", "lead": "1022"}
            number = given.get(tokens[1].text, tokens[1].text)
            if not re.fullmatch("[0-9]{1,4}", number):
                return
            precedence, at = int(number), 2
        while at < len(tokens) and tokens[at].text == "(":
            at = closing(tokens, at) + 1
        rest = tokens[at:]
        kinds = [t.kind if t.text != "=>" else "=>" for t in rest]
        if kinds == ["string", "=>", "name"]:
            sign = unquoted(rest[0].text).strip()
            self.scopes[-1].signs[sign] = (head.text, precedence, rest[2].text)

    def signs(self) -> dict[str, tuple[str, int, str]]:
        return {sign: what for scope in self.scopes for sign, what in scope.signs.items()}

    # Structures

    def structure(self, tokens: list[Token]) -> None:
        if not tokens or tokens[0].kind != "name" or tokens[0].text in ("inductive", "abbrev"):
            return
        name = self.space + tokens[0].text
        try:
            made = self.fields(name, tokens)
            self.classes[name] = made
            if made.laws:
                context = Context(self, name)
                context.instance(made, "", tokens[0])
                self.last = context.theory(name.rpartition(".")[2])
        except InputError as error:
            self.classes[name] = error

    def fields(self, name: str, tokens: list[Token]) -> Class:
        at = behind_universes(tokens, 1)
        binders, at = binders_at(tokens, at, self.fail)
        context = Context(self, name)
        for binder in binders:
            context.declare(binder)
        if len(context.types) != 1 or context.symbols:
            raise self.fail("a class of one type was expected", tokens[0].offset)
        fields: dict[str, tuple[str, str, int]] = {}
        laws: list[Law] = []
        if at < len(tokens) and tokens[at].text == ":":
            at = next((k for k in range(at, len(tokens)) if tokens[k].text in _HEADS), len(tokens))
        if at < len(tokens) and tokens[at].text == "extends":
            end = next(
                (k for k in range(at, len(tokens)) if tokens[k].text == "where"), len(tokens)
            )
            for parent in split(tokens[at + 1 : end], ","):
                self.parent(parent, tokens[at].offset, context, fields, laws)
            at = end
        for one in fields_of(tokens[at + 1 :], self.text.content):
            self.member(name, one, context, fields, laws)
        return Class(name, fields, tuple(laws))

    def parent(
        self,
        tokens: list[Token],
        offset: int,
        context: Context,
        fields: dict[str, tuple[str, str, int]],
        laws: list[Law],
    ) -> None:
        if len(tokens) != 2 or tokens[1].text not in context.types:
            raise self.fail("expected a class of this type behind extends", offset)
        found = self.class_named(tokens[0])
        fields |= found.fields
        laws += [law for law in found.laws if law not in laws]
        for symbol, (owner, called, arity) in found.fields.items():
            builtin = BUILTIN.get(owner)
            context.add(symbol, arity, builtin.spelled if builtin else Spelled(called), called)

    def member(
        self,
        owner: str,
        tokens: list[Token],
        context: Context,
        fields: dict[str, tuple[str, str, int]],
        laws: list[Law],
    ) -> None:
        """A field: operations, or an equation."""
        start = tokens[0].offset
        if tokens[0].text == "(" and closing(tokens, 0) == len(tokens) - 1:
            tokens = tokens[1:-1]
        cut = find(tokens, ":")
        if cut is None or find(tokens, ":=") is not None:
            raise self.fail("only fields such as `mul : M → M → M` are read", start)
        names = list(takewhile(lambda token: token.kind == "name", tokens[:cut]))
        binders, _ = binders_at(tokens[:cut], len(names), self.fail)
        arity = context.arity(tokens[cut + 1 :])
        for token in names:
            if arity is not None and not binders:
                fields[token.text] = (owner, token.text, arity)
                context.add(token.text, arity, Spelled(token.text), token.text)
            else:
                laws.append(context.law(token.text, owner, binders, tokens[cut + 1 :]))

    def class_named(self, token: Token) -> Class:
        for prefix in self.prefixes():
            found = self.classes.get(prefix + token.text)
            if isinstance(found, InputError):
                where = f"line {found.line}: {found.message}"
                raise self.fail(f"{token.text} is outside what is read ({where})", token.offset)
            if found is not None:
                return found
        builtin = BUILTIN.get(token.text)
        if builtin is None:
            message = f"{token.text} is no class of this file"
            raise self.fail(message, token.offset)
        return Class(token.text, {builtin.symbol: (token.text, builtin.field, builtin.arity)}, ())

    def prefixes(self) -> Iterator[str]:
        """What may stand before a name: the namespaces from the innermost, what is opened."""
        parts = self.space.split(".")[:-1]
        for count in range(len(parts), -1, -1):
            yield "".join(f"{part}." for part in parts[:count])
        for scope in reversed(self.scopes):
            for opened in scope.opened:
                yield f"{opened}."
                for count in range(len(parts), 0, -1):
                    yield "".join(f"{part}." for part in (*parts[:count], opened))

    # Theorems

    def theorem(self, head: Token, tokens: list[Token], once: list[Binder]) -> None:
        sorry = next((t for t in tokens if t.text == "sorry" and t.kind == "name"), None)
        name, at = "", 0
        if head.text != "example" and tokens and tokens[0].kind == "name":
            name = self.space + tokens[0].text
            at = behind_universes(tokens, 1)
        line = self.text.line(head.offset)
        first = self.stated.setdefault(name or f"example at line {line}", line)
        if sorry is None:
            return
        if name and first != line:
            raise self.fail(f"there is a theorem {name} already, at line {first}", head.offset)
        cut = find(tokens, ":=")
        proof = [] if cut is None else [t.text for t in tokens[cut + 1 :]]
        if cut is None or proof not in (["sorry"], ["by", "sorry"]):
            raise self.fail("its proof is more than a sorry", sorry.offset)
        if tokens.index(sorry) < cut:
            raise self.fail("sorry can't stand in a statement", sorry.offset)
        binders, at = binders_at(tokens, at, self.fail)
        if at >= cut or tokens[at].text != ":":
            raise self.fail(
                f"expected : and a statement, found {shown(tokens[at])}", tokens[at].offset
            )
        statement = tokens[at + 1 : cut]
        context = Context(self, name)
        for binder in (*self.mentioned((*binders, *once), tokens[:cut]), *once, *binders):
            context.declare(binder)
        by = tokens[cut + 1].offset if len(proof) == 2 else None
        goal = context.goal(name or f"example_{line}", line, statement, head.offset)
        gap = replace(goal.gap, start=sorry.offset, end=sorry.offset + 5, by=by)
        self.goals.append(replace(goal, gap=gap))

    def mentioned(self, own: Sequence[Binder], tokens: Sequence[Token]) -> list[Binder]:
        """The variables that Lean takes into a statement: those that it mentions, and so on."""
        names = names_in(tokens)
        for binder in own:
            names |= binder.about()
        for sign, (_, _, target) in self.signs().items():
            if any(t.text == sign for t in tokens):
                names.add(target.split(".")[0])
        declared = [binder for scope in self.scopes for binder in scope.variables]
        known = {t.text for binder in declared for t in binder.names}
        for scope in self.scopes:
            names |= scope.included
        taken: list[Binder] = []
        while True:
            new = [b for b in declared if b not in taken and self.needs(b, names, known)]
            if not new:
                break
            taken += new
            for binder in new:
                names |= binder.about() | {t.text for t in binder.names}
        bound = {t.text for binder in own for t in binder.names}
        for binder in taken:
            if hidden := binder.about() & bound:
                message = f"it declares {min(hidden)} again, which a variable is about"
                raise self.fail(message, binder.offset)
        kept = []
        for binder in declared:
            if binder in taken and binder.type:
                free = tuple(t for t in binder.names if t.text not in bound)
                if free or binder.bracket == "[":
                    # Of `(mul inv : …)` Lean takes those that are mentioned.
                    used = tuple(t for t in free if t.text in names) if len(free) > 1 else free
                    kept.append(binder._replace(names=used))
        return kept

    def needs(self, binder: Binder, names: set[str], known: set[str]) -> bool:
        if binder.bracket == "[":
            return (binder.about() & known) <= names
        return any(t.text in names for t in binder.names)
