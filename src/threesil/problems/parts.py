"""Parts of a set for training, development and test.

The part of a theorem is decided by a hash of what it says: renaming its variables, swapping its
sides or reading it in the mirror does not change it, so that no theorem of one part is in another
under such a disguise. The *mirror image* of a term has all arguments in reverse order; where the
theory is its own mirror image under other names for some symbols, as a loop is when its two
divisions change places, these names are used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from threesil.kernel.matching import find_correspondence
from threesil.kernel.naming import canonical
from threesil.kernel.terms import Term, app
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.problems.sets import novel

HELD_BACK = 10  # of a hundred: for development, and as many for the test
FEWEST = 30  # problems that can be split


@dataclass(frozen=True)
class Parts:
    """Problems by what they are for; `train` is all there is if there are too few."""

    train: tuple[Problem, ...]
    dev: tuple[Problem, ...] = ()
    test: tuple[Problem, ...] = ()

    def instances(self) -> tuple[int, int]:
        """How many problems of dev and of test are instances of one for training."""
        dev, test = (len(part) - len(novel(part, self.train)) for part in (self.dev, self.test))
        return dev, test


def split(theory: Theory, problems: Sequence[Problem]) -> Parts:
    """The parts of a set of equations, each in the set's order."""
    if len(problems) < FEWEST:
        return Parts(tuple(problems))
    place = part_of(theory)
    parts: dict[str, list[Problem]] = {"train": [], "dev": [], "test": []}
    for problem in problems:
        parts[place(problem)].append(problem)
    return Parts(*(tuple(parts[name]) for name in ("train", "dev", "test")))


def part_of(theory: Theory) -> Callable[[Problem], str]:
    """Says of a problem whether it is for `train`, `dev` or `test`."""
    names = _mirror_names(theory)

    def place(problem: Problem) -> str:
        assert problem.target is not None
        s, t = problem.start, problem.target
        said = [(s, t), (t, s)]
        said += [(mirrored(a, names), mirrored(b, names)) for a, b in said]
        key = min(_written(canonical(app("=", a, b))) for a, b in said)
        number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % 100
        if number < HELD_BACK:
            return "dev"
        return "test" if number < 2 * HELD_BACK else "train"

    return place


def mirrored(term: Term, names: dict[str, str]) -> Term:
    """The mirror image of a term; `names` are the symbols that change."""
    return term.fold(
        lambda t, args: t if t.is_variable else Term(names.get(t.head, t.head), args[::-1])
    )


def _mirror_names(theory: Theory) -> dict[str, str]:
    """The names under which the mirror image of the theory is the theory; none if it is not."""
    own = theory.without([lemma.name for lemma in theory.lemmas], theory.name)
    images = [
        Equation(e.name, mirrored(e.lhs, {}), mirrored(e.rhs, {}), e.kind) for e in own.equations
    ]
    try:
        image = own.without([e.name for e in own.equations], theory.name).extended(images)
    except ValueError:  # without equations there is nothing that the agent can do
        return {}
    found = find_correspondence(image, own)
    if found is None or not found.exact:
        return {}
    names = dict(found.symbols)
    back_and_forth = all(names.get(names[symbol]) == symbol for symbol in names)
    return names if back_and_forth else {}


def _written(term: Term) -> str:
    return " ".join(("?" if t.is_variable else "") + t.head for t in term.subterms())
