"""Twee's readable proofs: chains of rewrites, each by a named axiom or lemma.

    Axiom 1 (assoc): f(X, f(Y, Z)) = f(f(X, Y), Z).

    Lemma 2: f(a, X) = X.
    Proof:
      f(a, X)
    = { by axiom 1 (assoc) R->L }
      X

    Goal 1 (goal): f(X, b) = b.
    The goal is true when:
      X = a

    Proof:
      ...

A term may go over several lines. Names that begin with a capital letter are variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from threesil.kernel.terms import Term
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT
from threesil.notations.lines import Text
from threesil.provers.proofs.skeleton import Fact, Link, Parent, Skeleton, UnreadableProof
from threesil.provers.proofs.syntax import Tokens, read_term

_HEAD = re.compile(r"^(Axiom|Lemma|Goal) (\d+)(?: \((.*?)\))?: ", re.M)
_STOP = re.compile(r"\.$", re.M)
_BY = re.compile(r"^= \{ by (axiom|lemma) (\d+)(?: \(.*?\))?( R->L)? \}$", re.M)
_WHEN = re.compile(r"^The goal is true when:\n(.*?)\n\n", re.M | re.S)
_PROOF = re.compile(r"^Proof:\n", re.M)
_END = re.compile(r"^RESULT:", re.M)
_OPERATORS = frozenset({"+", "-", "*", "/", "\\", "^", "·", "∘"})


def is_twee(text: str) -> bool:
    """Whether the text has one of Twee's goals and a step of its chains."""
    return re.search(r"^Goal \d+(?: \(.*?\))?: ", text, re.M) is not None


def read(text: str, source: str = "<output>") -> Skeleton:
    """The skeleton of the last goal's proof."""
    end = _END.search(text)
    text = text[: end.start()] if end else text
    heads, whole = list(_heads(text)), Text(source, text)
    axioms: list[Fact] = []
    lemmas: list[Fact] = []
    goal: Fact | None = None
    witnesses: dict[str, Term] = {}
    for head, after in zip(heads, (*heads[1:], None), strict=False):
        kind, number, label = head.kind, head.number, head.label
        sides = _equation(whole, head.formula, head.end - 1)
        name = f"{kind.lower()} {number}"
        stop = after.start if after else len(text)
        if kind == "Axiom":
            axioms.append(Fact(name, sides, label=label or ""))
            continue
        if goal is not None:
            raise whole.error("a proof has one goal", head.start, UnreadableProof)
        first, links = _chain(whole, head.end, stop)
        parents = tuple(map(Parent, dict.fromkeys(link.fact for link in links)))
        fact = Fact(name, sides, label=label or "", rule="chain", parents=parents, chain=links)
        if kind == "Lemma":
            if first != sides[0]:
                raise whole.error(f"{name} has another start", head.start, UnreadableProof)
            lemmas.append(fact)
        else:
            goal = fact
            witnesses = dict(_witnesses(whole, head.end, stop))
    if goal is None:
        raise UnreadableProof("there is no goal in Twee's output", source=source)
    return Skeleton("twee", tuple(axioms), goal, tuple(lemmas), witnesses)


class _Head(NamedTuple):
    """What begins a fact: its kind, number and label; where it, its formula and its dot stand."""

    kind: str
    number: str
    label: str | None
    start: int
    formula: int
    end: int


def _heads(text: str) -> Iterator[_Head]:
    at = 0
    while (head := _HEAD.search(text, at)) and (stop := _STOP.search(text, head.end())):
        yield _Head(head[1], head[2], head[3], head.start(), head.end(), stop.end())
        at = stop.end()


def _chain(text: Text, start: int, stop: int) -> tuple[Term, tuple[Link, ...]]:
    """The first term of a proof, and the rewrites that follow it."""
    begin = _PROOF.search(text.content, start, stop)
    if begin is None:
        raise text.error("expected a proof", start, UnreadableProof)
    marks = list(_BY.finditer(text.content, begin.end(), stop))
    ends = [*(mark.start() for mark in marks), stop]
    first = _term(text, begin.end(), ends[0])
    links = []
    for mark, end in zip(marks, ends[1:], strict=True):
        kind, number, backwards = mark.groups()
        way = RIGHT_TO_LEFT if backwards else LEFT_TO_RIGHT
        links.append(Link(_term(text, mark.end(), end), f"{kind} {number}", way))
    return first, tuple(links)


def _witnesses(text: Text, start: int, stop: int) -> Iterator[tuple[str, Term]]:
    """The values that the goal's variables take; a value may go over several lines."""
    found = _WHEN.search(text.content, start, stop)
    if found is None:
        return
    tokens = Tokens.of(text, found.start(1), found.end(1))
    while tokens.peek():
        name = tokens.take()
        tokens.expect("=")
        yield name, _read(tokens)


def _equation(text: Text, start: int, end: int) -> tuple[Term, Term]:
    tokens = Tokens.of(text, start, end)
    lhs = _read(tokens)
    tokens.expect("=")
    rhs = _read(tokens)
    tokens.expect("")
    return lhs, rhs


def _term(text: Text, start: int, end: int) -> Term:
    tokens = Tokens.of(text, start, end)
    term = _read(tokens)
    tokens.expect("")
    return term


def _read(tokens: Tokens) -> Term:
    return read_term(tokens, _is_variable, infix=_OPERATORS)


def _is_variable(name: str) -> bool:
    return name[0].isupper()
