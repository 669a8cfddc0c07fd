"""Which of our equations a prover's axioms are, and what its symbols mean.

A prover prints its own names: symbols that were renamed because its language has no others,
constants for the goal's variables, axioms in another order, turned around, with other variables.
An *alignment* is a one-to-one map of its symbols to ours under which every axiom is one of our
equations, up to the names of variables and the order of sides, and its goal is our problem. Labels
and equal names are tried first, then everything that fits.

The variables of our problem that stand for arbitrary elements are constants here, *frozen*; they
become variables again when the proof is put together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from threesil.errors import ThreesilError
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Problem
from threesil.provers.proofs import Fact, Skeleton

_TRIES = 20_000  # candidates looked at before an alignment is given up
_MARK = "\N{SNOWFLAKE}"

Sides = tuple[Term, Term]


class NotReconstructed(ThreesilError):
    """A printed proof that could not be made one of ours, and the step that failed."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Ours for theirs: `symbols` by name and arity, `axioms` by the name of the fact.

    `turned`: the goal's sides stand the other way round. `variables` gives the names of the
    problem's variables for those of the goal as it was printed.
    """

    symbols: Mapping[tuple[str, int], str]
    axioms: Mapping[str, Equation]
    turned: bool
    variables: Mapping[str, str]
    taken: frozenset[str]

    def term(self, term: Term) -> Term:
        """A printed term under our names, its variables apart from the problem's."""

        def combine(t: Term, args: tuple[Term, ...]) -> Term:
            if t.is_variable:
                return var(self.variable(t.head))
            head = self.symbols.get((t.head, len(args)))
            if head is None:
                raise NotReconstructed(f"the theory has no symbol for {t.head}")
            return Term(head, args)

        return term.fold(combine)

    def variable(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        return name


def frozen(name: str) -> str:
    """The name of the constant that stands for the problem's variable."""
    return _MARK + name


def freeze(problem: Problem) -> Sides:
    """The problem's sides, arbitrary elements as constants."""
    assert problem.target is not None
    values = {v: app(frozen(v)) for v in problem.variables if v not in problem.exists}
    return problem.start.substitute(values), problem.target.substitute(values)


def thaw(name: str) -> str | None:
    """The variable that a frozen constant stands for."""
    return name.removeprefix(_MARK) if name.startswith(_MARK) else None


@dataclass(frozen=True, slots=True)
class _Names:
    """Symbols that have been paired so far, in both directions."""

    ours: Mapping[tuple[str, int], str]
    theirs: Mapping[str, tuple[str, int]]

    def paired(self, theirs: Sides, ours: Sides) -> tuple[_Names, dict[str, str]] | None:
        """With the pairs that make the sides equal, and the pairs of variables; None if none do."""
        to_ours, to_theirs = dict(self.ours), dict(self.theirs)
        variables: dict[str, str] = {}
        stack = list(zip(theirs, ours, strict=True))
        while stack:
            a, b = stack.pop()
            if a.is_variable != b.is_variable or len(a.args) != len(b.args):
                return None
            if a.is_variable:
                if variables.setdefault(a.head, b.head) != b.head:
                    return None
                continue
            symbol = a.head, len(a.args)
            if to_ours.setdefault(symbol, b.head) != b.head:
                return None
            if to_theirs.setdefault(b.head, symbol) != symbol:
                return None
            stack.extend(zip(a.args, b.args, strict=True))
        if len(set(variables.values())) < len(variables):
            return None
        return _Names(to_ours, to_theirs), variables

    def renamed(self) -> int:
        return sum(theirs != ours for (theirs, _), ours in self.ours.items())


def align(skeleton: Skeleton, equations: tuple[Equation, ...], problem: Problem) -> Alignment:
    """The alignment of a printed proof with our equations and our problem."""
    by_label: dict[str, list[Equation]] = {}
    for equation in equations:
        by_label.setdefault(_plain(equation.name), []).append(equation)
    facts = sorted(skeleton.axioms, key=lambda fact: _plain(fact.label) not in by_label)
    symbols = frozenset(t.head for e in equations for s in (e.lhs, e.rhs) for t in s.distinct())
    taken = frozenset({*problem.variables, *symbols})

    def candidates(names: _Names, level: int) -> Iterator[Candidate]:
        fact = facts[level]
        labelled = by_label.get(_plain(fact.label), [])
        others = [equation for equation in equations if equation not in labelled]
        return _axioms(fact, [*labelled, *others], len(labelled), names)

    stack = [_goals(skeleton.goal, freeze(problem), _Names({}, {}))]
    path: list[Candidate] = []
    furthest = tries = 0
    while stack and tries < _TRIES:
        tries += 1
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
            continue
        path[len(stack) - 1 :] = [found]
        furthest = max(furthest, len(path))
        if len(path) == len(facts) + 1:
            chosen = (which for _, which, _ in path[1:])
            axioms = {f.name: e for f, e in zip(facts, chosen, strict=True) if e is not None}
            _, turned, variables = path[0]
            return Alignment(found[0].ours, axioms, turned is not None, variables, taken)
        stack.append(candidates(found[0], len(stack) - 1))
    if furthest == 0:
        raise NotReconstructed("its goal is not the problem")
    fact = facts[furthest - 1]
    name = fact.label or fact.name
    raise NotReconstructed(f"its axiom {name} is none of the theory's equations")


Candidate = tuple[_Names, Equation | None, dict[str, str]]


def _goals(fact: Fact, goal: Sides, names: _Names) -> Iterator[Candidate]:
    """The goal as it is, then turned around; what keeps more names first."""
    assert fact.sides is not None
    found: list[Candidate] = []
    for sides in (goal, goal[::-1]):
        pair = names.paired(fact.sides, sides)
        if pair is not None:
            turned = Equation("turned", *sides) if sides is not goal else None
            found.append((pair[0], turned, pair[1]))
    yield from sorted(found, key=lambda candidate: candidate[0].renamed())


def _axioms(
    fact: Fact, equations: list[Equation], labelled: int, names: _Names
) -> Iterator[Candidate]:
    """Our equations that the axiom may be: those with its label, then by names that are kept."""
    assert fact.sides is not None
    found: list[tuple[bool, int, Candidate]] = []
    for index, equation in enumerate(equations):
        for sides in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
            pair = names.paired(fact.sides, sides)
            if pair is not None:
                found.append((index >= labelled, pair[0].renamed(), (pair[0], equation, {})))
                break
    for _, _, candidate in sorted(found, key=lambda item: item[:2]):
        yield candidate


def _plain(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
