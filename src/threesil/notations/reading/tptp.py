"""Reading TPTP: clauses (CNF) and first-order formulas (FOF) that are single equations.

    include('Axioms/GRP004-0.ax').
    cnf(left_unit, axiom, ( multiply(unit,X) = X )).
    fof(inverse, axiom, ! [X] : ? [Y] : multiply(Y,X) = unit).
    cnf(goal, negated_conjecture, multiply(a,b) != multiply(b,a)).
    fof(goal, conjecture, ! [X] : ? [Y] : multiply(X,Y) = unit).

Words with a small first letter, 'quoted ones' and numbers are symbols; names with a capital are
variables. What follows from the axioms by its role (lemma, theorem, corollary) is known. A file is
included from beside the file that asks for it, from the directory that the environment variable
TPTP names, or from a directory above the file. All else of the language is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Final

from threesil.files import limits
from threesil.kernel.terms import Term, app, var
from threesil.notations.document import Document
from threesil.notations.formulas import NOT, Assembly, Formula, Statement
from threesil.notations.lines import Text, read_text
from threesil.notations.operators import Operator, Table, Token, parse, shown

_ROLES: Final = {
    **dict.fromkeys(("axiom", "hypothesis", "assumption", "plain", "unknown"), "axiom"),
    **dict.fromkeys(("lemma", "theorem", "corollary"), "known"),
    "definition": "definition",
    "conjecture": "goal",
    "negated_conjecture": "denial",
}
_LANGUAGES: Final = {"tff": "typed", "tcf": "typed", "thf": "higher-order", "tpi": "tool"}
_CONNECTIVES: Final = {
    "|": "a disjunction",
    "&": "a conjunction",
    "=>": "an implication",
    "<=": "an implication",
    "<=>": "an equivalence",
    "<~>": "an exclusive disjunction",
    "~|": "a connective",
    "~&": "a connective",
}
TABLE: Final = Table(
    infix={"=": Operator(500, 499, 499), "!=": Operator(500, 499, 499)}
    | {mark: Operator(700, 700, 700) for mark in _CONNECTIVES},
    prefix={"~": Operator(600, 0, 600)},
    postfix={},
    binder=Operator(600, 0, 600),
)
_TOKEN = re.compile(
    r"(?P<blank>[\s]+|%[^\n]*|/\*.*?\*/)"
    r"|(?P<name>[a-z][A-Za-z0-9_]*)"
    r"|(?P<variable>[A-Z][A-Za-z0-9_]*)"
    r"|(?P<quoted>'[^'\\\n]*(?:\\['\\][^'\\\n]*)*')"
    r"|(?P<number>[+-]?[0-9]+(?:[./][0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>\$+[A-Za-z0-9_]*)"
    r'|(?P<distinct>"[^"\\\n]*(?:\\["\\][^"\\\n]*)*")'
    r"|(?P<mark><=>|<~>|=>|<=|~\||~&|!=|[()\[\],.:=~!?&|*])",
    re.DOTALL | re.ASCII,
)
_HEAD = re.compile(  # of a formula, outside of comments and quotes
    r"%[^\n]*|/\*.*?(?:\*/|\Z)|'[^'\\\n]*(?:\\['\\][^'\\\n]*)*'?"
    r"|\b(?:cnf|fof)\s*\(\s*(?:\w+|'[^'\n]*')\s*,\s*(?P<role>\w+)",
    re.DOTALL,
)
_DEEPEST = 100
_may_include = True


def forbid_includes() -> None:
    """From now on no file includes another: for a process that reads what others have given."""
    global _may_include
    _may_include = False


def read_tptp(text: Text, name: str) -> Document:
    """The document of a TPTP file, with all that it includes."""
    _check_count(text)
    reading = _Reading(text)
    statements = list(reading.statements())
    assembly = Assembly(name, reading.symbols, [*reading.notes], text.source)
    return assembly.document(statements, "tptp", {}, f"The theory of {name}")


def _check_count(text: Text) -> None:
    """Refuses a file with too many equations before it is read."""
    count = 0
    for found in _HEAD.finditer(text.content):
        count += _ROLES.get(found["role"] or "") in ("axiom", "known", "definition")
        if count > limits.EQUATIONS:
            message = f"too many equations: a theory has at most {limits.EQUATIONS:,}"
            raise text.error(message, found.start())


@dataclass(slots=True)
class _File:
    """A file that is being read: its tokens, and which of its formulas are asked for."""

    text: Text
    tokens: Iterator[Token]
    only: frozenset[str] | None
    path: Path | None


@dataclass(slots=True)
class _Reading:
    text: Text
    symbols: dict[str, int] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    files: list[_File] = field(default_factory=list)
    whole: set[Path] = field(default_factory=set)
    numbers: dict[str, str] = field(default_factory=dict)  # with their kinds of token
    size: int = 0

    def statements(self) -> Iterator[Statement]:
        self.open(self.text, None, self.text.path)
        while self.files:
            file = self.files[-1]
            token = next(file.tokens)
            if token.kind == "end":
                self.files.pop()
            elif token.text in ("cnf", "fof"):
                yield from self.formula(file)
            elif token.text == "include":
                self.include(file)
            elif token.text in _LANGUAGES:
                what = _LANGUAGES[token.text]
                raise file.text.error(
                    f"{token.text} is the {what} language of TPTP; cnf and fof are read",
                    token.offset,
                )
            else:
                message = (
                    f"expected cnf(name, role, s = t). or fof or include, found {token.text!r}"
                )
                raise file.text.error(message, token.offset)

    def open(self, text: Text, only: frozenset[str] | None, path: Path | None) -> None:
        self.notes |= dict.fromkeys(text.notes)
        self.files.append(_File(text, _tokens(text), only, path.resolve() if path else None))

    # Including

    def include(self, file: _File) -> None:
        """`include('file').` or `include('file', [name, ...]).`"""
        _expect(file, "(")
        token = next(file.tokens)
        if token.kind != "quoted":
            raise file.text.error(f"expected a 'file', found {shown(token)}", token.offset)
        only: frozenset[str] | None = None
        mark = _expect(file, ",", ")")
        if mark.text == ",":
            mark = _expect(file, "[", "*")
            if mark.text == "[":
                only = frozenset(_names(file))
            _expect(file, ")")
        _expect(file, ".")
        path = _find(file, token)
        if any(path == other.path for other in self.files):
            raise file.text.error(f"{token.text} includes itself", token.offset)
        if len(self.files) > _DEEPEST:
            raise file.text.error("too many files include one another", token.offset)
        if path in self.whole:
            return
        if only is None:
            self.whole.add(path)
        if file.only is not None:
            only = file.only if only is None else only & file.only
        included = read_text(path)
        self.size += len(included.content) + 1000  # so that empty files have an end too
        if self.size > limits.TEXT:
            raise file.text.error("too much is included", token.offset)
        self.open(included, only, path)

    # Formulas

    def formula(self, file: _File) -> Iterator[Statement]:
        """`cnf(name, role, formula, annotations).`; the annotations are passed over."""
        _expect(file, "(")
        name = next(file.tokens)
        if name.kind not in ("name", "quoted", "number"):
            raise file.text.error(f"expected a name, found {shown(name)}", name.offset)
        _expect(file, ",")
        role = next(file.tokens)
        _expect(file, ",")
        tokens, closing = _until(file, ",)")
        if closing.text == ",":
            _until(file, ")", keep=False)
        _expect(file, ".")
        if file.only is not None and name.text not in file.only:
            return
        if role.text not in _ROLES:
            message = f"formulas of the role {role.text} are not read; roles: {', '.join(_ROLES)}"
            raise file.text.error(message, role.offset)
        if role.text in ("plain", "unknown"):
            self.notes[f"formulas of the role {role.text} are read as axioms"] = None
        value = parse(tokens, TABLE, _Builder(self, file.text).build, file.text.error)
        if isinstance(value, Term):
            raise file.text.error(
                "a predicate is no equation; only s = t and s != t are read", tokens[0].offset
            )
        yield Statement(name.text, _ROLES[role.text], value, file.text, tokens[0].offset)


@dataclass(slots=True)
class _Builder:
    """Makes terms and formulas of tokens and their arguments."""

    reading: _Reading
    text: Text

    def build(self, token: Token, args: list[Term | Formula]) -> Term | Formula:
        mark = token.text if token.kind in ("mark", "binder") else ""
        if mark in ("=", "!=") and len(args) == 2:
            lhs, rhs = self.terms(token, args)
            return Formula(lhs, rhs, mark == "=")
        if mark in _CONNECTIVES:
            message = f"{_CONNECTIVES[mark]} is no equation; only s = t and s != t are read"
            raise self.text.error(message, token.offset)
        if mark == "~" or token.kind == "binder":
            (inner,) = args
            if isinstance(inner, Term):
                message = "a predicate is no equation; only s = t and s != t are read"
                raise self.text.error(message, token.offset)
            kind = "all" if mark == "!" else "some"
            marks = [(kind, name) for name in reversed(token.names)]
            inner.marks.extend([NOT] if mark == "~" else marks)
            return inner
        if mark or token.text == "=":
            raise self.text.error(f"{token.text} can't be a function", token.offset)
        return self.term(token, self.terms(token, args))

    def terms(self, token: Token, args: list[Term | Formula]) -> list[Term]:
        terms = [value for value in args if isinstance(value, Term)]
        if len(terms) < len(args):
            raise self.text.error("a formula can't stand inside a term", token.offset)
        return terms

    def term(self, token: Token, args: list[Term]) -> Term:
        if token.kind == "variable":
            if args:
                raise self.text.error(f"the variable {token.text} has arguments", token.offset)
            return var(token.text)
        if token.text[0] in "+-0123456789":
            self.number(token)
        if len(args) > limits.ARITY:
            message = f"{token.text} has {len(args)} arguments; at most {limits.ARITY} are read"
            raise self.text.error(message, token.offset)
        arity = self.reading.symbols.setdefault(token.text, len(args))
        if arity != len(args):
            message = f"{token.text} has {len(args)} arguments here and {arity} before"
            raise self.text.error(message, token.offset)
        return app(token.text, *args)

    def number(self, token: Token) -> None:
        """A number and the quoted word of the same characters are different constants in TPTP."""
        if token.kind == "number":
            self.reading.notes["numbers are read as constants without a meaning"] = None
        if self.reading.numbers.setdefault(token.text, token.kind) != token.kind:
            message = f"{token.text} and '{token.text}' can't be distinguished here: rename one"
            raise self.text.error(message, token.offset)


def _tokens(text: Text) -> Iterator[Token]:
    """The tokens, blanks and comments left out, and end tokens without an end behind them.

    Quoted names come without their quotes.
    """
    content, end = text.content, 0
    match = _TOKEN.match
    while found := match(content, end):
        start, end = end, found.end()
        kind = found.lastgroup
        if kind in ("name", "variable", "mark", "number"):
            yield Token(kind, found.group(), start)
        elif kind == "quoted":
            inner = re.sub(r"\\(.)", r"\1", found.group()[1:-1])
            if not inner:
                raise text.error("a name needs at least one letter", start)
            yield Token(kind, inner, start)
        elif kind == "distinct":
            message = "distinct objects differ from one another, which equations can't say"
            raise text.error(message, start)
        elif kind == "word":
            message = f"{found.group()} is a word of TPTP itself; only terms and equations are read"
            raise text.error(message, start)
    if end < len(content):
        character = content[end]
        unclosed = {"'": "this quote is never closed", "/": "this comment is never closed"}
        raise text.error(unclosed.get(character, f"unexpected character {character!r}"), end)
    yield from repeat(Token("end", "", len(content.rstrip())))


def _expect(file: _File, *marks: str) -> Token:
    token = next(file.tokens)
    if token.kind != "mark" or token.text not in marks:
        message = f"expected {' or '.join(marks)}, found {shown(token)}"
        raise file.text.error(message, token.offset)
    return token


def _names(file: _File) -> Iterator[str]:
    while True:
        token = next(file.tokens)
        if token.kind not in ("name", "quoted", "number"):
            raise file.text.error(f"expected a name, found {shown(token)}", token.offset)
        yield token.text
        if _expect(file, ",", "]").text == "]":
            return


def _until(file: _File, marks: str, *, keep: bool = True) -> tuple[list[Token], Token]:
    """The tokens up to a mark outside of brackets, quantifiers joined with their variables."""
    tokens: list[Token] = []
    depth = 0
    for token in file.tokens:
        if token.kind == "mark":
            if depth == 0 and token.text in marks:
                tokens.append(Token("end", "", token.offset))
                return tokens, token
            if keep and token.text in ("!", "?"):
                token = _binder(file, token)
            elif token.text in ("(", "["):
                depth += 1
            elif token.text in (")", "]"):
                depth -= 1
        elif token.kind == "end":
            raise file.text.error(
                f"expected {marks[-1]} and a full stop, found the end", token.offset
            )
        if keep:
            tokens.append(token)
    raise AssertionError("there is always another token")


def _binder(file: _File, quantifier: Token) -> Token:
    """`! [X, Y] :` as one token."""
    _expect(file, "[")
    names: list[str] = []
    while True:
        token = next(file.tokens)
        if token.kind != "variable":
            raise file.text.error(f"expected a variable, found {shown(token)}", token.offset)
        names.append(token.text)
        if _expect(file, ",", "]").text == "]":
            break
    _expect(file, ":")
    return Token("binder", quantifier.text, quantifier.offset, tuple(names))


def _find(file: _File, token: Token) -> Path:
    """The path of an included file."""
    if not _may_include:
        raise file.text.error("no other file is read here; put its content here", token.offset)
    places: list[Path] = []
    if file.path is not None:
        places.append(file.path.parent)
    if root := os.environ.get("TPTP"):
        places.append(Path(root))
    if file.path is not None:
        places += file.path.parent.parents
    for place in places:
        try:
            if (path := place / token.text).is_file():
                return path.resolve()
        except (OSError, ValueError):
            break
    raise file.text.error(
        f"there is no file {token.text} beside this one, above it, or where the environment "
        "variable TPTP says",
        token.offset,
    )
