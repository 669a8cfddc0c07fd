"""Vampire's own notation: numbered formulas, each with a rule and the numbers of its parents.

    3. mul(mul(X0,X1),X2) = mul(X0,mul(X1,X2)) [input(axiom)]
    7. mul(X2,X3) = mul(inv(inv(X2)),X3) [superposition 6,6]
    9. $false [trivial inequality removal 8]

It gives the axioms no names. With `-p tptp` it prints TSTP.
"""

from __future__ import annotations

import re

from threesil.notations.lines import Text
from threesil.provers.proofs.skeleton import Fact, Parent, Skeleton
from threesil.provers.proofs.syntax import Tokens
from threesil.provers.proofs.tstp import OTHER, clause, refutation

_LINE = re.compile(r"^(\d+)\. (.*) \[([a-z][^\[\]]*?)( \d+(?:,\d+)*)?\]$", re.M)


def is_vampire(text: str) -> bool:
    """Whether there is a numbered formula with a rule in brackets."""
    return _LINE.search(text) is not None


def read(text: str, source: str = "<output>") -> Skeleton:
    """The skeleton of the refutation."""
    facts: dict[str, Fact] = {}
    whole = Text(source, text)
    for line in _LINE.finditer(text):
        name, _, rule, numbers = line.groups()
        parents = tuple(Parent(number.strip()) for number in (numbers or "").split(",") if number)
        shape = clause(Tokens.of(whole, line.start(2), line.end(2)))
        if shape is None or "(conjecture" in rule:
            facts.setdefault(name, Fact(name, None, rule=OTHER, parents=parents))
            continue
        main = 2 if rule in ("superposition", "resolution") else 1
        facts.setdefault(name, Fact(name, *shape, rule=rule, parents=parents, main=main))
    return refutation("vampire", facts, source)
