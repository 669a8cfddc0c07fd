"""What a file says: a theory, its problems, and how it was read.

A `Document` is the same whatever the notation was: the file's equations are the theory, its goals
are the problems. Symbols that occur in goals only belong to the signature. A file whose denied
goals are several (clauses `s != t`, any of which may be contradicted) has `any_goal`: it is proved
as soon as one of its problems is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from threesil.errors import InputError
from threesil.files import limits
from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of

NOTATIONS = ("tptp", "ladr", "theory")
EQUATIONS = ("Axiom", "Known", "Rule", "Theorem", "Hint", "Definition")
WORDS = ("Theory", "Goal", "Constants", "Infix", "Prefix", *EQUATIONS)
"""with which the statements of a theory file begin; some hold an equation"""


@dataclass(frozen=True)
class Origin:
    """What the formulas of a file were, where that is not plain from what was made of them.

    `denied`: it has denials of its goals. `functions` were made for elements that exist (Skolem),
    or, in a goal, for arbitrary ones (Herbrand).
    """

    denied: bool = False
    functions: frozenset[str] = frozenset()


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
    origin: Origin = field(default_factory=Origin)

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
    source: str | None = None,
) -> Theory:
    """The theory of a file, with the standard actions: moves, then each equation both ways.

    `InputError`, with the `source`, if there can be no such theory, or none that can be used.
    """
    equations = tuple(equations)
    try:
        check_signature(symbols)
        check_count(len(equations))
        signature = Signature(symbols, infix)
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
    except ValueError as error:
        raise InputError(str(error), source=source) from None


def check_signature(symbols: Mapping[str, int]) -> None:
    """`ValueError` for more symbols or arguments than any theory has that can be used."""
    if len(symbols) > limits.SYMBOLS:
        raise ValueError(f"{len(symbols):,} symbols; a theory has at most {limits.SYMBOLS:,}")
    for symbol, arity in symbols.items():
        if type(arity) is not int or arity < 0:
            raise ValueError(f"the arity of {symbol[:40]} should be a number")
        if arity > limits.ARITY:
            shown = f"{arity:,}" if arity < 10**15 else "too many"
            raise ValueError(
                f"the symbol {symbol[:40]} has {shown} arguments; at most {limits.ARITY} are read"
            )


def check_count(equations: int) -> None:
    """`ValueError` for more equations than a theory can have."""
    if equations > limits.EQUATIONS:
        most = f"a theory has at most {limits.EQUATIONS:,}"
        raise ValueError(f"{equations:,} equations; {most}")
