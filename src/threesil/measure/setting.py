"""How results were made: what two runs must have in common for their rows to belong together.

The *digest* of problems is SHA-256 of their names, of both sides of each, and of the theory that
each is to be solved in. Terms are hashed bottom-up, every node with the hashes of its arguments:
equal terms hash alike however they are shared in memory, and a shared one is hashed once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from math import isfinite
from typing import Any, Final

from threesil.errors import InputError
from threesil.kernel.terms import Term
from threesil.kernel.theory import Problem, Theory
from threesil.problems.sets import name_of_all

FORMAT: Final = 1
"""of results files"""
LIMITS: Final = ("seconds", "expansions", "memory")
"""what may be raised when results are resumed"""
# What a difference of settings is called.
_WORDS: Final = {
    "system": "solver",
    "model": "weights",
    "format": "format of the file",
    "count": "number of problems",
    "digest": "digest of the problems",
    "theory_digest": "digest of the theory",
    "version": "version of threesil",
    "memory": "megabytes of memory",
}


@dataclass(frozen=True)
class Setting:
    """How rows were made.

    `digest` is that of the problems: their names, what they say, the theory of each. `system` is
    the solver or another prover, `options` all else that it was given, `model` the digest of its
    network's weights. Each problem got so many `seconds` of CPU time, `expansions` and megabytes of
    `memory`, where there is such a limit. `problems` and `shown` are for people and bind nobody:
    the set or file as it was named, and what a report says about the solver.
    """

    problems: str
    count: int
    digest: str
    theory: str
    theory_digest: str
    system: str
    seconds: float | None = None
    expansions: int | None = None
    memory: int | None = None
    seed: int = 0
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    version: str = field(default_factory=lambda: version("threesil"))
    format: int = FORMAT

    def differences(self, other: Setting) -> dict[str, str]:
        """What differs in another setting, by the name of the field, as `word old → new`."""
        found = {}
        for key in (f.name for f in fields(self)):
            old, new = getattr(self, key), getattr(other, key)
            if key not in ("problems", "shown") and old != new:
                found[key] = f"{_WORDS.get(key, key)} {_short(old)} → {_short(new)}"
        return found

    def extends(self, other: Setting) -> bool:
        """Whether this is the other setting with a higher limit, or several."""
        changed = set(other.differences(self))
        if not changed or not changed <= set(LIMITS):
            return False
        return all(self._allows_more(other, key) for key in changed)

    def _allows_more(self, other: Setting, key: str) -> bool:
        now, before = getattr(self, key), getattr(other, key)
        return now is not None and before is not None and now > before

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def make_setting(
    problems: Sequence[Problem],
    theory_of: Callable[[Problem], Theory],
    theory: Theory,
    name: str,
    system: str,
    *,
    seconds: float | None = None,
    options: Mapping[str, Any] | None = None,
    **more: Any,
) -> Setting:
    """The setting for these problems, each of which needs a name of its own.

    `name` is what the set or the file is called, `theory` the one that the problems belong to, or
    the first of several.
    """
    if not problems:
        raise InputError(f"{name} has no problems")
    if seconds is not None and not (isfinite(seconds) and seconds >= 0):
        raise InputError(f"expected a number of seconds, not {seconds}")
    check_names(problems, name)
    digest = digest_of(problems, theory_of)
    about = name_of_all(map(theory_of, problems))
    facts = name, len(problems), digest, about, theory.digest, system
    plain = json.loads(json.dumps(dict(options or {})))  # as it will be read again
    return Setting(*facts, seconds=seconds, options=plain, **more)


def check_names(problems: Iterable[Problem], source: str) -> None:
    """Refuses two problems of the same name; `source` is what the set or the file is called."""
    places: dict[str, str] = {}
    for number, problem in enumerate(problems, 1):
        place = f"number {number}" + (f" (line {problem.line})" if problem.line else "")
        first = places.setdefault(problem.name, place)
        if first is not place:
            raise InputError(
                f"{source} has two problems with the name {problem.name}: {first} and {place}; "
                "results go by the names, so each needs one of its own"
            )


def digest_of(problems: Iterable[Problem], theory_of: Callable[[Problem], Theory]) -> str:
    """SHA-256 of the problems in their order: names, both sides, the theory of each."""
    whole = hashlib.sha256()
    for problem in problems:
        target = None if problem.target is None else _term_digest(problem.target)
        facts = problem.name, _term_digest(problem.start), target, problem.exists
        whole.update(_digest((*facts, theory_of(problem).digest)).encode())
    return whole.hexdigest()


def _term_digest(term: Term) -> str:
    """The same for equal terms; as much work as there are nodes in memory."""
    return term.fold(lambda node, args: _digest((node.head, node.is_variable, args)))


def _digest(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _short(value: object) -> str:
    if isinstance(value, str) and len(value) == 64:  # a digest
        return value[:12]
    return f"{value:g}" if isinstance(value, float) else json.dumps(value).strip('"')
