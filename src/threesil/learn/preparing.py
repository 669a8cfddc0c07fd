"""Before a training from axioms alone: theorems, their parts, lemmas and costs of rules.

The lemmas are derived rules that belong to the training part. Nothing here looks at what is held
back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from threesil.engine import Stop
from threesil.errors import InputError
from threesil.files import is_file, write_atomically
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Problem, Theory
from threesil.learn.derived import derived
from threesil.learn.growing import grade, growing_theorems
from threesil.learn.lemma_choice import choose_costs, choose_lemmas
from threesil.learn.measured import Measured
from threesil.problems.files import format_problem, load_problems
from threesil.problems.parts import Parts, part_of, split
from threesil.problems.rows import is_solved
from threesil.problems.sets import different
from threesil.search.learned import Costs, with_lemmas, write_costs

DEV, TEST = "dev.tsv", "test.tsv"
Listen = Callable[[str, int, int], None]  # what is done, how much of it, of how much


@dataclass(frozen=True)
class Prepared:
    """What a training begins with."""

    parts: Parts
    lemmas: tuple[Proof, ...]
    costs: Costs

    @property
    def words(self) -> list[str]:
        """What people should know about it."""
        parts = self.parts
        if not parts.dev or not parts.test:
            count = len(parts.train)
            few = "1 problem is" if count == 1 else f"{count} problems are"
            return [
                f"{few} too few to hold some back: all are for training, and there will be no "
                "table; --problems generated makes more, with more --minutes"
            ]
        in_dev, in_test = parts.instances()
        return [
            f"{len(parts.train)} theorems for training, {len(parts.dev)} for development "
            f"({in_dev} of them instances of training theorems), {len(parts.test)} for the test "
            f"({in_test}); {len(self.lemmas)} lemmas"
        ]

    def write(self, directory: Path, theory: Theory) -> None:
        """Adds to a run what its problems and lemmas do not tell."""
        write_costs(directory, self.costs)
        for name, problems in ((DEV, self.parts.dev), (TEST, self.parts.test)):
            lines = "".join(format_problem(problem, theory) + "\n" for problem in problems)
            write_atomically(directory / name, lines.encode())


def held_back(directory: Path, theory: Theory, name: str) -> list[Problem]:
    """The problems of a run that were held back, DEV or TEST."""
    path = directory / name
    return load_problems(path, theory) if is_file(path) and path.stat().st_size else []


def prepare(
    theory: Theory,
    listed: Sequence[Problem],
    count: int,
    seed: int,
    *,
    threads: int = 1,
    seconds: float = math.inf,
    known: Measured | None = None,
    listen: Listen = lambda what, done, total: None,
    stop: Stop | None = None,
) -> Prepared:
    """The listed problems, and `count` that are made, for which there are about so many seconds.

    Listed ones whose sides are the same, or that say the same as others, are left out.
    `known` is what was measured before; all else is done again, which takes seconds.
    """
    listen("deriving", 0, 1)
    rules = derived(theory, stop=stop)
    wanted = different(theory, [problem for problem in listed if not is_solved(theory, problem)])
    problems = grade(theory, wanted, threads=threads, stop=stop, known=known)
    if count:
        made = growing_theorems(
            theory,
            count,
            seed,
            rules,
            threads=threads,
            seconds=seconds,
            progress=lambda found: listen("making theorems", found, count),
            stop=stop,
            known=known,
        )
        problems += [(one.problem, one.difficulty) for one in made]
    problems.sort(key=lambda graded: graded[1])
    parts = split(theory, different(theory, [problem for problem, _ in problems]))
    if not parts.train:
        raise InputError("the two sides of each problem are the same: there is nothing to prove")
    place = part_of(theory)
    mine = [rule for rule in rules if place(rule.problem) == "train"]
    listen("choosing lemmas", 0, 1)
    lemmas = choose_lemmas(theory, mine, parts.train, stop)
    costs = choose_costs(with_lemmas(theory, lemmas), parts.train, stop).costs
    return Prepared(parts, lemmas, costs)
