"""Reading LADR, the language of Prover9 and Mace4: lists of formulas that are single equations.

    set(prolog_style_variables).             then names with a capital are variables
    op(400, infix_left, "o").
    formulas(assumptions).                   or sos, usable, demodulators
      e * x = x # label("left unit").
      all x exists y (y * x = e).
      a * b != b * a.                        a denied goal, where there is no goal
    end_of_list.
    formulas(goals).
      x'' = x.
    end_of_list.

Names that begin with u to z are variables, and so is what a quantifier binds. As in Prover9, the
operators `* + / \\ ^ @ v` don't associate, `-x` binds tighter than they, and `x'` tighter still.
Settings of the provers are passed over; what belongs to another program (`if(Mace4)`) too. A
second label `known` or `definition` says what an assumption is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from threesil.errors import InputError
from threesil.files import limits
from threesil.kernel.terms import Term, app, var
from threesil.notations.document import Document
from threesil.notations.formulas import NOT, Assembly, Formula, Statement
from threesil.notations.lines import Text
from threesil.notations.operators import Operator, Table, Token, parse, shown

_LISTS: Final = {
    **dict.fromkeys(("assumptions", "sos", "usable", "demodulators"), "axiom"),
    "goals": "goal",
    "hints": "hint",
}
_PASSED: Final = ("set", "clear", "assign", "lex", "function_order", "predicate_order", "skolem")
_CONNECTIVES: Final = {
    "|": "a disjunction",
    "&": "a conjunction",
    "->": "an implication",
    "<-": "an implication",
    "<->": "an equivalence",
}
_MEANINGS: Final = {
    "equality": "=",
    "negated_equality": "!=",
    "negation": "-",
    "disjunction": "|",
    "conjunction": "&",
    "implication": "->",
    "backward_implication": "<-",
    "equivalence": "<->",
    "universal_quantification": "all",
    "existential_quantification": "exists",
    "attribute": "#",
}
_OWN: Final = ("$T", "$F")  # truth values of Prover9
_RELATIONS: Final = ("<", "<=", ">", ">=", "==", "@<", "@<=", "@>", "@>=")
_ARGUMENTS: Final[dict[str, Callable[[int], Operator]]] = {
    "infix": lambda p: Operator(p, p - 1, p - 1),
    "infix_left": lambda p: Operator(p, p, p - 1),
    "infix_right": lambda p: Operator(p, p - 1, p),
    "prefix": lambda p: Operator(p, 0, p),
    "prefix_paren": lambda p: Operator(p, 0, p - 1),
    "postfix": lambda p: Operator(p, p, 0),
    "postfix_paren": lambda p: Operator(p, p - 1, 0),
}
TABLE: Final = Table(
    infix={mark: Operator(800, 799, 799) for mark in ("->", "<-", "<->")}
    | {"|": Operator(790, 789, 790), "&": Operator(780, 779, 780)}
    | {mark: Operator(700, 699, 699) for mark in ("=", "!=", *_RELATIONS)}
    | {mark: Operator(500, 499, 499) for mark in ("+", "*", "@", "/", "\\", "^", "v")},
    prefix={"-": Operator(350, 0, 350)},
    postfix={"'": Operator(300, 300, 0)},
    binder=Operator(750, 0, 750),
)
_TOKEN = re.compile(
    r"(?P<blank>\s+|%BEGIN.*?END%|%(?!BEGIN)[^\n]*)"
    r"|(?P<name>[A-Za-z0-9_$]+)"
    r'|(?P<quoted>"[^"\n]*")'
    r"|(?P<special>[-+*/\\^<>=`~?@&|!#';:]+)"
    r"|(?P<mark>[()\[\],.])",
    re.DOTALL | re.ASCII,
)
_HEAD = re.compile(  # of a list, and the end of a formula, outside of comments and quotes
    r'%BEGIN.*?(?:END%|\Z)|%[^\n]*|"[^"\n]*"'
    r"|\b(?:formulas|clauses)\s*\(\s*(?P<list>\w+)\s*\)\s*\.|(?P<close>\bend_of_list\s*\.)"
    r"|(?P<end>\.)",
    re.DOTALL,
)
_PROLOG = re.compile("prolog_style_variables")


def read_ladr(text: Text, name: str) -> Document:
    """The document of a LADR file."""
    _check_count(text)
    reading = _Reading(text)
    statements = list(reading.statements())
    assembly = Assembly(name, reading.symbols, [*reading.notes], text.source)
    return assembly.document(statements, "ladr", reading.infix(), f"The theory of {name}")


def _check_count(text: Text) -> None:
    """Refuses a file with too many equations before it is read."""
    count, role = 0, ""
    for found in _HEAD.finditer(text.content):
        if found["list"]:
            role = _LISTS.get(found["list"], "")
        elif found["close"]:
            role = ""
        elif found["end"]:
            count += role == "axiom"
        if count > limits.EQUATIONS:
            message = f"too many equations: a theory has at most {limits.EQUATIONS:,}"
            raise text.error(message, found.start())


@dataclass(slots=True)
class _Reading:
    text: Text
    table: Table = TABLE
    symbols: dict[str, int] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    prolog: bool = False
    bound: frozenset[str] = frozenset()
    meaning: dict[str, str] = field(default_factory=dict)  # of what was redeclared
    known: tuple[frozenset[str], int] = field(init=False)  # operators, letters of the longest

    def __post_init__(self) -> None:
        self.use(self.table)

    def use(self, table: Table) -> None:
        """Reads with these operators; all but those of formulas are names too."""
        symbols = table.symbols
        fixed = {*_CONNECTIVES, *_RELATIONS, "=", "!="}
        self.table = replace(table, names=symbols - fixed)
        known = symbols | self.meaning.keys()
        self.known = known, max(map(len, known))

    def statements(self) -> Iterator[Statement]:
        """All formulas; commands change how those behind them are read."""
        self.notes |= dict.fromkeys(self.text.notes)
        if _PROLOG.search(self.text.content):  # Prover9 obeys it wherever in the file it stands
            for tokens in self.sentences():
                if _argument(tokens) == "prolog_style_variables":
                    self.prolog = tokens[0].text == "set"
        role: str | None = None  # of the list that is open
        passed: Token | None = None  # the list or program whose part is passed over
        found = False  # whether there is a formula
        depth = 0  # of conditions inside what is passed over
        for tokens in self.sentences():
            first = tokens[0]
            word = first.text if first.kind == "name" else ""
            if passed is not None:
                depth += (word == "if") - (word == "end_if") if passed.text == "if" else 0
                if (depth < 0) if passed.text == "if" else (word == "end_of_list"):
                    passed, depth = None, 0
            elif word == "end_of_list" and len(tokens) == 2:
                role = None
            elif role is not None:
                found = True
                yield self.formula(tokens, role)
            elif word in ("formulas", "clauses"):
                role = self.role(tokens)
            elif word == "list":
                self.notes[f"list({_argument(tokens)}) is passed over"] = None
                passed = first
            elif word == "if":
                passed = None if _argument(tokens) == "Prover9" else first
            elif word == "op":
                self.declare(tokens)
            elif word == "redeclare":
                self.redeclare(tokens)
            elif word not in _PASSED and word != "end_if":
                message = f"expected formulas(assumptions). or a command, found {shown(first)}"
                raise self.fail(message, first.offset)
        if passed is not None or (role is not None and not found):
            message = "the last list is never closed; expected end_of_list."
            raise self.fail(message, len(self.text.content.rstrip()))
        if role is not None:  # Prover9 reads it all the same
            self.notes["the last list is not closed; it is read to the end of the file"] = None

    def fail(self, message: str, offset: int) -> InputError:
        return self.text.error(message, offset)

    def sentences(self) -> Iterator[list[Token]]:
        """The tokens up to each full stop, with an end token behind them."""
        tokens: list[Token] = []
        content, end = self.text.content, 0
        match = _TOKEN.match
        while found := match(content, end):
            start, end = end, found.end()
            kind, part = str(found.lastgroup), found.group()
            if kind == "special":
                tokens += self.split(part, start)
            elif kind == "mark" and part == ".":
                if not tokens:
                    raise self.fail("expected a formula, found '.'", start)
                yield [*map(self.meant, tokens), Token("end", "", start)]
                tokens = []
            elif kind == "quoted":
                tokens.append(Token(kind, _unquoted(part), start))
            elif kind != "blank":
                tokens.append(Token(kind, part, start))
        if end < len(content):
            character = content[end]
            unclosed = {'"': "this quote is never closed", "%": "this comment has no END%"}
            raise self.fail(unclosed.get(character, f"unexpected character {character!r}"), end)
        if tokens:
            raise self.fail("expected a full stop, found the end", len(content.rstrip()))

    def split(self, part: str, start: int) -> Iterator[Token]:
        """Operators that stand side by side, each as long as possible: `=-` is `=` and `-`."""
        known, longest = self.known
        index = 0
        while index < len(part):
            sizes = range(min(longest, len(part) - index), 1, -1)
            size = next((n for n in sizes if part[index : index + n] in known), 1)
            yield Token("mark", part[index : index + size], start + index)
            index += size

    # Commands

    def role(self, tokens: list[Token]) -> str:
        name = _argument(tokens)
        if name not in _LISTS:
            message = f"there is no list {name!r}; lists: {', '.join(_LISTS)}"
            raise self.fail(message, tokens[min(2, len(tokens) - 1)].offset)
        return _LISTS[name]

    def declare(self, tokens: list[Token]) -> None:
        """`op(400, infix, "o").`, `op(400, infix, [o, p]).` or `op(ordinary, "*").`"""
        offset = tokens[0].offset
        parts = [t for t in tokens[1:-1] if t.kind != "mark" or t.text not in "()[],"]
        infix, prefix, postfix = ({**part} for part in _parts(self.table))
        usage = 'expected op(precedence, type, "symbol"), the type one of ' + ", ".join(_ARGUMENTS)
        if not parts:
            raise self.fail(usage, offset)
        precedence, kind = 0, "ordinary"
        names = parts[1:]
        if parts[0].text != "ordinary":
            if len(parts) < 3 or not re.fullmatch("[0-9]{1,3}", parts[0].text, re.ASCII):
                raise self.fail(usage, offset)
            precedence, kind, names = int(parts[0].text), parts[1].text, parts[2:]
        if not names or (kind != "ordinary" and kind not in _ARGUMENTS):
            raise self.fail(usage, offset)
        for token in names:
            name = token.text.strip('"')
            if name in _CONNECTIVES or name in ("=", "!="):
                raise self.fail(f"the meaning of {name} can't be changed", token.offset)
            for part in (infix, prefix, postfix):
                part.pop(name, None)
            if kind != "ordinary":
                places = {"infix": infix, "prefix": prefix, "postfix": postfix}
                places[kind.split("_")[0]][name] = _ARGUMENTS[kind](precedence)
            if len(infix) + len(prefix) + len(postfix) > limits.OPERATORS:
                message = f"too many operators; at most {limits.OPERATORS:,} are read"
                raise self.fail(message, token.offset)
        self.use(replace(self.table, infix=infix, prefix=prefix, postfix=postfix))

    def redeclare(self, tokens: list[Token]) -> None:
        """`redeclare(negation, "~").`: another sign for what formulas are made of."""
        parts = [t for t in tokens[1:-1] if t.kind != "mark" or t.text not in "(),"]
        if len(parts) != 2 or parts[0].text not in _MEANINGS:
            usage = "expected redeclare(meaning, symbol), the meaning one of "
            raise self.fail(usage + ", ".join(_MEANINGS), tokens[0].offset)
        self.meaning[parts[1].text.strip('"')] = _MEANINGS[parts[0].text]
        self.use(self.table)

    def meant(self, token: Token) -> Token:
        """A sign that was redeclared as the one that it stands for."""
        if token.kind not in ("mark", "name") or token.text not in self.meaning:
            return token
        text = self.meaning[token.text]
        return token._replace(kind="name" if text.isalpha() else "mark", text=text)

    def infix(self) -> dict[str, int]:
        """The binary operators that occur, with priorities: the tighter, the higher."""
        used = {
            name: operator.precedence
            for name, operator in self.table.infix.items()
            if self.symbols.get(name) == 2
        }
        ranks = sorted(set(used.values()), reverse=True)
        return {name: ranks.index(precedence) + 1 for name, precedence in used.items()}

    # Formulas

    def formula(self, tokens: list[Token], role: str) -> Statement:
        body, labels = self.attributes(tokens)
        joined = list(self.joined(body))
        self.bound = frozenset(name for token in joined for name in token.names)
        value = parse(joined, self.table, self.build, self.text.error)
        if isinstance(value, Term):
            message = "a predicate is no equation; only s = t and s != t are read"
            raise self.fail(message, tokens[0].offset)
        if role == "axiom" and labels[1:] in (["known"], ["definition"]):
            role = labels[1]
        name = labels[0] if labels else ""
        return Statement(name, role, value, self.text, tokens[0].offset)

    def attributes(self, tokens: list[Token]) -> tuple[list[Token], list[str]]:
        """The formula without what stands behind `#`, and its labels."""
        cut = next((i for i, t in enumerate(tokens) if t.kind == "mark" and t.text == "#"), None)
        if cut is None:
            return tokens, []
        rest = tokens[cut:]
        for index, sign in enumerate(rest):
            is_sign = sign.kind == "mark" and sign.text == "#"
            if is_sign and not (rest[index + 1].kind == "name" and rest[index + 2].text == "("):
                raise self.fail("expected label(NAME) behind #", sign.offset)
        labels = [
            name.text.strip('"')
            for word, bracket, name in zip(rest, rest[1:], rest[2:], strict=False)
            if word.text == "label" and bracket.text == "(" and name.kind != "end"
        ]
        return [*tokens[:cut], Token("end", "", tokens[cut].offset)], labels

    def joined(self, tokens: list[Token]) -> Iterator[Token]:
        """`all x` and `exists x` as one token each."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            follower = tokens[min(index + 1, len(tokens) - 1)]
            if token.kind == "name" and token.text in ("all", "exists"):
                if follower.kind != "name":
                    message = f"expected a variable, found {shown(follower)}"
                    raise self.fail(message, follower.offset)
                yield Token("binder", token.text, token.offset, (follower.text,))
                index += 1
            else:
                yield token
            index += 1

    def build(self, token: Token, args: list[Term | Formula]) -> Term | Formula:
        text = token.text
        operator = token.kind == "mark"
        denies = operator and text == "-" and len(args) == 1 and isinstance(args[0], Formula)
        if token.kind == "binder" or denies:
            (inner,) = args
            if isinstance(inner, Term):
                message = "a predicate is no equation; only s = t and s != t are read"
                raise self.fail(message, token.offset)
            kind = "all" if text == "all" else "some"
            inner.marks.extend([NOT] if operator else [(kind, token.names[0])])
            return inner
        terms = [value for value in args if isinstance(value, Term)]
        if operator and text in _CONNECTIVES:
            message = f"{_CONNECTIVES[text]} is no equation; only s = t and s != t are read"
            raise self.fail(message, token.offset)
        if len(terms) < len(args):
            raise self.fail("a formula can't stand inside a term", token.offset)
        if operator and text in ("=", "!=") and len(terms) == 2:
            return Formula(terms[0], terms[1], text == "=")
        if operator and text in ("=", "!=", *_RELATIONS):
            raise self.fail(f"{text} is a relation; only s = t and s != t are read", token.offset)
        if text in _OWN:
            message = f"{text} is a truth value; only terms and equations are read"
            raise self.fail(message, token.offset)
        if not args and token.kind == "name" and (text in self.bound or self.free(text)):
            return var(text)
        if len(args) > limits.ARITY:
            message = f"{text} has {len(args)} arguments; at most {limits.ARITY} are read"
            raise self.fail(message, token.offset)
        arity = self.symbols.setdefault(text, len(args))
        if arity != len(args):
            message = f"{text} has {len(args)} arguments here and {arity} before"
            raise self.fail(message, token.offset)
        return app(text, *terms)

    def free(self, name: str) -> bool:
        return "A" <= name[0] <= "Z" if self.prolog else "u" <= name[0] <= "z"


def _argument(tokens: list[Token]) -> str:
    """The argument of a command with one name in brackets, or nothing."""
    return tokens[2].text if len(tokens) == 5 and tokens[1].text == "(" else ""


def _parts(table: Table) -> tuple[dict[str, Operator], ...]:
    return dict(table.infix), dict(table.prefix), dict(table.postfix)


def _unquoted(part: str) -> str:
    """A quoted name; one that could stand without its quotes keeps them, being another name."""
    inner = part[1:-1]
    plain = re.fullmatch(r"[A-Za-z0-9_$]*|[-+*/\\^<>=`~?@&|!#';:]+", inner, re.ASCII)
    return part if plain else inner
