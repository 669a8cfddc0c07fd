"""Wrong proofs of type theory, each made of a right one by a single change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

_BINDER = re.compile(r"(?:forall|exists|fun|∀|∃) \([^:]*: U\)")
_NAME = re.compile(r"(?:M\.)?[A-Za-z_][A-Za-z0-9_']*")
_TURNED = re.compile(r"eq_sym|Eq\.symm")


def mutants(body: str, kinds: Mapping[str, str], count: int, random: Random) -> list[str]:
    """At most `count` mutants of a statement and its proof; `kinds` are the types of its names.

    A mutant has one name changed for another of its kind, a symbol for one of the same arity, a
    variable for another or for a constant; or one equation read in the wrong direction. So it is
    well-formed, and wrong, for every step's terms are what the next one starts with.
    """
    binders = [found.span() for found in _BINDER.finditer(body)]
    changes = [(found.span(), ["id"]) for found in _TURNED.finditer(body)]
    for found in _NAME.finditer(body):
        others = [n for n, kind in kinds.items() if n != found[0] and kind == kinds.get(found[0])]
        if others and not any(start <= found.start() < end for start, end in binders):
            changes.append((found.span(), others))
    chosen = random.sample(changes, min(count, len(changes)))
    return [body[:start] + random.choice(new) + body[end:] for (start, end), new in chosen]
