"""Prover9's proofs: numbered clauses, each with a justification.

    5 x * (x \\ y) = y # label("b2").  [assumption].
    22 f(x) = x.  [para(10(a,1),8(a,1,1)),rewrite([15(2),3(7,R)]),flip(a)].
    23 $F # answer("goal").  [resolve(22,a,18,a)].

Names that begin with u to z are variables, or with a capital letter if the output says so. The
numbers that say where a rewrite took place are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from threesil.kernel.terms import Term
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT
from threesil.notations.lines import Text
from threesil.provers.proofs.skeleton import Fact, Parent, Skeleton, UnreadableProof, needed
from threesil.provers.proofs.syntax import Tokens, between, read_term

BEGIN = re.compile(r"^=+ PROOF =+\n", re.M)
END = re.compile(r"^=+ end of proof =+", re.M)
_NAME = re.compile(r"^(\d+[A-Z]*) ", re.M)
_LABEL = re.compile(r"# label\(\"?([^\")]*)\"?\)")
_STEP = re.compile(r"\b(\w+)\(((?:[^()\[\]]|\([^()]*\)|\[[^\[\]]*\])*)\)")
_NUMBER = re.compile(r"(?:^|(?<=[,\[]))(\d+[A-Z]*)(?:\(([^()]*)\))?(?=[,\]]|$)")
_OVERLAPS = ("para", "resolve", "hyper", "ur", "paramod")
_MAIN = (*_OVERLAPS, "copy", "back_rewrite", "deny", "factor")
_INPUT = ("assumption", "goal", "clausify")
_INFIX = frozenset({"+", "-", "*", "/", "\\", "^", "v", "@", "·", "∘", "<", ">", "<=", ">="})
_POSTFIX = frozenset({"'"})


def is_prover9(text: str) -> bool:
    """Whether there is a clause with a justification in its brackets."""
    return next(_lines(text, 0, len(text)), None) is not None


class _Line(NamedTuple):
    """A clause: its name, where its formula begins and ends, attributes, justification."""

    name: str
    start: int
    end: int
    attributes: str
    justification: str


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    """The lines of a part of the text that are clauses."""
    for head in _NAME.finditer(text, start, end):
        stop = text.find("\n", head.end(), end)
        stop = end if stop < 0 else stop
        cut = text.find(".  [", head.end(), stop)
        if cut < 0 or not text.endswith("].", cut + 4, stop):
            continue
        mark = text.find(" # ", head.end(), cut)
        mark = cut if mark < 0 else mark
        yield _Line(head[1], head.end(), mark, text[mark:cut], text[cut + 4 : stop - 2])


def read(text: str, source: str = "<output>") -> Skeleton:
    """The skeleton of the first proof."""
    capital = re.search(r"^[ \t]*set\(prolog_style_variables\)", text, re.M) is not None
    start, end = between(BEGIN, END, text) or (0, len(text))
    whole, facts = Text(source, text), dict[str, Fact]()
    goal = None
    for line in _lines(text, start, end):
        fact = _clause(line, whole, _capital if capital else _late)
        if fact is None:
            continue
        if fact.denied and not any(p.name in facts and facts[p.name].denied for p in fact.parents):
            fact = replace(fact, parents=())
            goal = goal or fact
        facts[fact.name] = fact
    last = next((fact for fact in facts.values() if fact.sides is None), None)
    if goal is None or last is None:
        missing = "a denied goal" if goal is None else "a line that derives $F"
        raise UnreadableProof(f"the output has no proof with {missing}", source=source)
    return needed("prover9", facts, goal, last)


def _clause(line: _Line, text: Text, is_variable: Callable[[str], bool]) -> Fact | None:
    """The fact of a line; None for the goal as it was before it was denied."""
    rule, parents, main = _justification(line.justification)
    if rule == "goal":
        return None
    label = _LABEL.search(line.attributes)
    tokens = Tokens.of(text, line.start, line.end, quotes=False)
    sides, denied = None, False
    if text.content[line.start : line.end] != "$F":
        lhs = _term(tokens, is_variable)
        sign = tokens.take()
        if sign not in ("=", "!="):
            raise text.error("expected one equation", line.start, UnreadableProof)
        sides, denied = (lhs, _term(tokens, is_variable)), sign == "!="
        tokens.expect("")
    return Fact(line.name, sides, denied, label.group(1) if label else "", rule, parents, main)


def _justification(text: str) -> tuple[str, tuple[Parent, ...], int]:
    """The rule, the parents in the order of their use, and how many were not simplifiers."""
    if text in _INPUT:
        return text, (), 0
    rule, main = "", 0
    parents: list[Parent] = []
    for name, inside in _STEP.findall(text):
        if name in _MAIN:
            rule = rule or name
            found = [_overlapped(*part) for part in _NUMBER.findall(inside)]
            main += len(found)
            parents += found
        elif name in ("rewrite", "unit_del"):
            parents += [_rewriting(*part) for part in _NUMBER.findall(inside)]
    return rule, tuple(parents), main


def _overlapped(number: str, inside: str) -> Parent:
    """`8(a,1,2,1)`: the first literal, its first side, there the position 2, 1."""
    parts = inside.split(",")[1:]
    if not parts or not all(re.fullmatch("[0-9]{1,9}", part) for part in parts):
        return Parent(number)
    return Parent(number, tuple(int(part) - 1 for part in parts))


def _rewriting(number: str, inside: str) -> Parent:
    """`3(7,R)`: from right to left."""
    return Parent(number, way=RIGHT_TO_LEFT if inside.endswith(",R") else LEFT_TO_RIGHT)


def _term(tokens: Tokens, is_variable: Callable[[str], bool]) -> Term:
    return read_term(tokens, is_variable, infix=_INFIX, postfix=_POSTFIX)


def _late(name: str) -> bool:
    return "u" <= name[0] <= "z"


def _capital(name: str) -> bool:
    return name[0].isupper()
