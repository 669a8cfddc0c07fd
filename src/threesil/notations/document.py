"""What a file says: a theory, its problems, and how it was read.

A `Document` is the same whatever the notation was: the file's equations are the theory, its goals
are the problems. Symbols that occur in goals only belong to the signature. A file whose denied
goals are several (clauses `s != t`, any of which may be contradicted) has `any_goal`: it is proved
as soon as one of its problems is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of

NOTATIONS = ("tptp", "ladr", "theory")


@dataclass(frozen=True, slots=True)
class Document:
    """A theory and problems in it. `hints` are equations that may help, without being assumed.

    `notes` say, in sentences for people, what was read in another way than it stands there.
    """

    theory: Theory
    problems: tuple[Problem, ...] = ()
    notation: str = "theory"
    hints: tuple[Equation, ...] = ()
    notes: tuple[str, ...] = ()
    any_goal: bool = False

    @property
    def name(self) -> str:
        return self.theory.name

    def terms(self) -> Iterator[Term]:
        """All sides of equations, hints and goals, in this order."""
        for equation in (*self.theory.equations, *self.hints):
            yield from (equation.lhs, equation.rhs)
        for problem in self.problems:
            yield problem.start
            if problem.target is not None:
                yield problem.target


def theory_of(
    name: str,
    title: str,
    symbols: Mapping[str, int],
    infix: Mapping[str, int],
    equations: Iterable[Equation],
    *,
    goal: Goal = Goal.EQUATION,
    one_way: Iterable[str] = (),
    constructors: Iterable[str] = (),
) -> Theory:
    """The theory of a file, with the standard actions: moves, then each equation both ways."""
    signature = Signature(symbols, infix)
    equations = tuple(equations)
    return Theory(
        name,
        title,
        signature,
        equations,
        (*moves_of(signature), *rewrites_of(equations, goal, frozenset(one_way))),
        goal,
        constructors=frozenset(constructors),
        no_repeats=goal is Goal.EQUATION,
    )
