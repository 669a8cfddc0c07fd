"""The step function once more, slow and plain, for comparison with the engine.

Written from the definitions: a state is a term and a cursor; a rewrite unifies the subterm under
the cursor with one side of an equation whose variables are renamed apart. Introduced variables
are the terms `X0`, `X1`, ...; the problem's own variables are constants, since nothing may
instantiate them. An equation to prove is one term, its sides under `=`.
"""

from __future__ import annotations

from collections.abc import Iterable

from threesil.kernel.terms import Position, Term, app, var
from threesil.kernel.theory import Action, Direction, Equation, Goal, Move, Problem, Theory

Bindings = dict[str, Term]


def unify(left: Term, right: Term, *, quirk: bool = False) -> Bindings | None:
    """A most general unifier, every value fully substituted, or None.

    Pairs are solved depth first, arguments from left to right; of two unbound variables the left
    one is bound. The occurs check follows bindings. With `quirk` it also fires where an unbound
    variable meets another that is already bound to it; the textbook takes that pair as solved.
    """
    bindings: Bindings = {}
    pairs = [(left, right)]
    while pairs:
        p, q = pairs.pop()
        if p == q:
            continue
        if p.is_variable:
            if p.head in bindings:
                pairs.append((bindings[p.head], q))
            elif not quirk and q.substitute(bindings) == p:
                continue
            elif not _bind(bindings, p.head, q):
                return None
        elif q.is_variable:
            if q.head in bindings:
                pairs.append((p, bindings[q.head]))
            elif not _bind(bindings, q.head, p):
                return None
        elif p.head != q.head or len(p.args) != len(q.args):
            return None
        else:
            pairs.extend(reversed(list(zip(p.args, q.args, strict=True))))
    return bindings


def _bind(bindings: Bindings, variable: str, value: Term) -> bool:
    value = value.substitute(bindings)
    if any(t.is_variable and t.head == variable for t in value.subterms()):
        return False
    for name in bindings:
        bindings[name] = bindings[name].substitute({variable: value})
    bindings[variable] = value
    return True


def skolem(term: Term, problem: Problem) -> Term:
    """The term with the problem's variables as constants."""
    return term.substitute({name: app(name) for name in _variables(problem)})


def _variables(problem: Problem) -> Iterable[str]:
    yield from problem.start.variables()
    if problem.target is not None:
        yield from problem.target.variables()


def bound(term: Term) -> int:
    """1 + the largest index of an introduced variable, 0 if there is none."""
    return max((int(name[1:]) + 1 for name in term.variables()), default=0)


class Reference:
    """One episode: `term`, `cursor`, `mask()`, `step()`, `done`.

    `excluded` counts the rewrites that the masks left out because their result had been visited.
    """

    def __init__(self, theory: Theory, problem: Problem, *, quirk: bool = False) -> None:
        self.theory = theory
        self.quirk = quirk
        self.excluded = 0
        self.term = skolem(problem.start, problem)
        self.target: Term | None = None
        if problem.target is not None and theory.goal is not Goal.NORMAL_FORM:
            self.target = skolem(problem.target, problem)
        if theory.goal is Goal.EQUATION:
            assert self.target is not None
            self.term = app("=", self.term, self.target)
        self.visited: set[Term] = set()
        self.to_root(self.term)

    def to_root(self, term: Term) -> None:
        self.term = term
        self.cursor: Position = ()
        self.bound = bound(term)
        self.visited.add(term)

    @property
    def done(self) -> bool:
        if self.theory.goal is Goal.EQUATION:
            return unify(*self.term.args, quirk=self.quirk) is not None
        if self.theory.goal is Goal.NORMAL_FORM:
            return all(t.head in self.theory.constructors for t in self.term.subterms())
        return self.term == self.target

    def mask(self) -> list[bool]:
        """Which actions are legal."""
        return [self.legal(action) for action in self.theory.actions]

    def legal(self, action: Action) -> bool:
        if isinstance(action, Move):
            args = self.term.at(self.cursor).args
            if action.argument >= len(args):
                return False
            return self.theory.enter_leaves or bool(args[action.argument].args)
        result = self.rewritten(action.alternatives)
        if result is not None and self.theory.no_repeats and result in self.visited:
            self.excluded += 1
            return False
        return result is not None

    def step(self, action: int) -> None:
        chosen = self.theory.actions[action]
        if isinstance(chosen, Move):
            self.cursor = (*self.cursor, chosen.argument)
            return
        result = self.rewritten(chosen.alternatives)
        assert result is not None
        self.to_root(result)

    def rewritten(self, alternatives: Iterable[tuple[str, Direction]]) -> Term | None:
        """The whole term after a rewrite at the cursor with the first alternative that applies."""
        if self.theory.goal is Goal.EQUATION and not self.cursor:
            return None
        subterm = self.term.at(self.cursor)
        for name, direction in alternatives:
            source, result = self.theory.by_name[name].sides(direction)
            if not (subterm.is_variable or source.is_variable or subterm.head == source.head):
                continue
            apart = self.renaming(self.theory.by_name[name])
            unifier = unify(subterm, source.substitute(apart), quirk=self.quirk)
            if unifier is not None:
                new = self.term.replace(self.cursor, result.substitute(apart))
                return new.substitute(unifier)
        return None

    def renaming(self, equation: Equation) -> Bindings:
        """The equation's variables, numbered after those of the term."""
        return {name: var(f"X{self.bound + j}") for j, name in enumerate(equation.variables)}
