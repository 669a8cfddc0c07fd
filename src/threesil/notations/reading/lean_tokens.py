"""The tokens of a Lean file, its commands, and the arguments that are declared in brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from threesil.errors import InputError
from threesil.notations.lines import Text
from threesil.notations.operators import Token

_LETTERS: Final = (
    "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0391-\u039f\u03a1\u03a2\u03a4-\u03a9"
    "\u03b1-\u03ba\u03bc-\u03fb\u1f00-\u1ffe\u2100-\u214f\U0001d49c-\U0001d59f"
)
_PART: Final = (
    rf"(?:[{_LETTERS}][{_LETTERS}0-9'!?\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c]*|«[^»\n]*»)"
)
NAME: Final = rf"{_PART}(?:\.{_PART})*"
_MARKS: Final = ":= :: => -> ⁻¹ @[ <| |> ++ <= >= != == && ||"
OPEN: Final = {"(": ")", "{": "}", "[": "]", "⦃": "⦄", "@[": "]", "⟨": "⟩"}
_COMMAND_WORDS = """
    theorem lemma example def abbrev instance structure class inductive axiom variable universe
    namespace section end import notation infixl infixr infix prefix postfix macro syntax elab
    macro_rules mutual opaque include omit export initialize deriving
"""
# Commands too, where they begin a line.
_START_WORDS = """
    open set_option attribute @[ private protected public noncomputable unsafe partial nonrec
    local scoped #check #eval #print #guard
"""
_MODIFIER_WORDS = """
    private protected public noncomputable unsafe partial nonrec local scoped
"""
_COMMANDS: Final = frozenset(_COMMAND_WORDS.split())
_STARTS: Final = frozenset(_START_WORDS.split())
MODIFIERS: Final = frozenset(_MODIFIER_WORDS.split())
QUANTIFIERS: Final = ("∀", "∃", "forall", "exists")
FIXES: Final = ("infixl", "infixr", "infix", "prefix", "postfix")
Fail = Callable[[str, int], InputError]


class Binder(NamedTuple):
    """`(x y : M)`: the bracket, the names and the type."""

    bracket: str
    names: tuple[Token, ...]
    type: tuple[Token, ...]
    offset: int

    def about(self) -> set[str]:
        """The names in the type; what stands behind `Type` is a universe."""
        universe = bool(self.type) and self.type[0].text in ("Type", "Sort")
        return set() if universe else names_in(self.type)


def tokens_of(text: Text) -> Iterator[Token]:
    """All tokens but comments; blanks and comments only separate them."""
    content = text.content
    signs = {unquoted(m[1]).strip() for m in _SIGN.finditer(content)}
    marks = sorted({*_MARKS.split(), *(s for s in signs if s)}, key=len, reverse=True)
    words = "|".join(map(re.escape, (s for s in marks if not re.fullmatch(NAME, s))))
    pattern = re.compile(
        rf"(?P<blank>\s+|--[^\n]*)|(?P<comment>/-)|(?P<string>\"[^\"\\]*(?:\\.[^\"\\]*)*\")"
        rf"|(?P<name>{NAME}|\#[a-z]+)|(?P<number>[0-9]+)|(?P<mark>{words}|\S)",
        re.DOTALL,
    )
    at = 0
    while at < len(content):
        found = pattern.match(content, at)
        assert found is not None
        kind = str(found.lastgroup)
        if kind == "comment":
            at = _behind_comment(text, at)
            continue
        if kind != "blank":
            yield Token(kind, found.group(), at)
        at = found.end()


_SIGN = re.compile(r'(?:infixl|infixr|infix|prefix|postfix|notation)[^"\n]*"([^"\n]*)"')
_EDGE = re.compile("/-|-/")


def _behind_comment(text: Text, start: int) -> int:
    """Where a comment ends, which may hold others."""
    depth, at = 0, start
    while found := _EDGE.search(text.content, at):
        depth += 1 if found.group() == "/-" else -1
        at = found.end()
        if not depth:
            return at
    raise text.error("this comment is never closed", start)


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text.strip('"'))


def commands(tokens: Sequence[Token], content: str) -> Iterator[list[Token]]:
    """The commands of a file: each begins with a word that nothing else begins with."""
    command: list[Token] = []
    depth = 0
    for token in tokens:
        starts = token.kind != "string" and depth == 0 and _starts(token, content)
        if starts and command and not _modifies(command):
            yield command
            command = []
        depth += (token.text in OPEN) - (token.text in OPEN.values())
        depth = max(depth, 0)
        command.append(token)
    if command:
        yield command


def _starts(token: Token, content: str) -> bool:
    if token.text in _COMMANDS:
        return True
    first = not content[content.rfind("\n", 0, token.offset) + 1 : token.offset].strip()
    return first and token.text in _STARTS


def _modifies(command: Sequence[Token]) -> bool:
    """Whether these are attributes and modifiers alone."""
    at = 0
    while at < len(command):
        if command[at].text == "@[":
            at = closing(command, at)
        elif command[at].text not in MODIFIERS:
            return False
        at += 1
    return True


def closing(tokens: Sequence[Token], start: int) -> int:
    """Where the bracket is closed that is opened at `start`; the end if it is not."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += (tokens[at].text in OPEN) - (tokens[at].text in OPEN.values())
        if depth == 0:
            return at
    return len(tokens) - 1


def find(tokens: Sequence[Token], mark: str) -> int | None:
    """Where a mark stands outside of brackets."""
    at = 0
    while at < len(tokens):
        if tokens[at].text == mark:
            return at
        at = closing(tokens, at) + 1 if tokens[at].text in OPEN else at + 1
    return None


def split(tokens: Sequence[Token], *marks: str) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.text in marks:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def behind_universes(tokens: Sequence[Token], at: int) -> int:
    """Behind `.{u, v}`, if that stands there."""
    if [t.text for t in tokens[at : at + 2]] == [".", "{"]:
        return closing(tokens, at + 1) + 1
    return at


def binders_at(tokens: Sequence[Token], at: int, fail: Fail) -> tuple[list[Binder], int]:
    """The arguments in brackets that stand at a place, and where they end."""
    found = []
    while at < len(tokens) and tokens[at].text in ("(", "{", "[", "⦃"):
        end = closing(tokens, at)
        inside = tokens[at + 1 : end]
        if find(inside, ":=") is not None:
            raise fail("arguments with a default are not read", tokens[at].offset)
        cut = find(inside, ":")
        bracket = tokens[at].text
        names, kind = ((), inside) if bracket == "[" else (inside, ())
        if cut is not None:
            names, kind = inside[:cut], inside[cut + 1 :]
        found.append(Binder(bracket, tuple(names), tuple(kind), tokens[at].offset))
        at = end + 1
    return found, at


def fields_of(tokens: Sequence[Token], content: str) -> Iterator[list[Token]]:
    """The fields of a structure: each begins where the first one does in its line."""
    column: int | None = None
    one: list[Token] = []
    depth = 0
    for token in tokens:
        start = content.rfind("\n", 0, token.offset) + 1
        first = not content[start : token.offset].strip()
        indent = token.offset - start
        whole = bool(one) and one[0].text == "(" and depth == 0 and token.text == "("
        if one and depth == 0 and (whole or (first and indent == column)):
            yield one
            one = []
        if first and column is None:
            column = indent
        depth += (token.text in OPEN) - (token.text in OPEN.values())
        one.append(token)
        if len(one) == 2 and one[1].text == "::":  # the constructor's name
            one = []
    if one:
        yield one


def names_in(tokens: Sequence[Token]) -> set[str]:
    """The names in a text, without those that it binds; of `G.mul` also G."""
    names, bound = set[str](), set[str]()
    binds = False
    for token in tokens:
        if token.text in QUANTIFIERS:
            binds = True
        elif token.text in (":", ","):
            binds = False
        elif token.kind == "name":
            (bound if binds else names).update((token.text, token.text.split(".")[0]))
    return names - bound
