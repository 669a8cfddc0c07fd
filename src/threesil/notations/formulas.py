"""Formulas that are one equation under quantifiers, and what they mean for a theory.

    ! [X] : ? [Y] : s = t        for all X there is a Y with s = t

A formula is a *literal* `s = t` or `s != t` with *marks* around it: quantifiers and negations.
Negations are moved inwards, so that a prefix of quantifiers remains; variables that nothing binds
are universal. Then

- an assumption `s = t` is an equation; an element that it says exists gets a name, a new function
  of the universal variables before it (Skolem);
- a goal `s = t` is a problem; universal variables behind existential ones become new functions of
  these (Herbrand), the others stay variables;
- a denied goal, `s != t` among the assumptions, is the goal that its negation states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from threesil.errors import InputError
from threesil.files import limits
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Problem
from threesil.notations.document import Document, Origin, theory_of
from threesil.notations.lines import Text

NOT = ("not", "")
_MOST_ARGUMENTS = 10_000  # of all new functions of a formula; more is no formula that people write
_NO_NAMES = ("", "goal", "goals", "conjecture", "negated_conjecture")


@dataclass(slots=True)
class Formula:
    """A literal and the marks around it, the innermost first: `NOT`, ("all", X), ("some", X)."""

    lhs: Term
    rhs: Term
    equal: bool
    marks: list[tuple[str, str]] = field(default_factory=list)

    def prefix(self) -> tuple[list[tuple[bool, str]], bool]:
        """(universal, variable) from the outermost, and whether the literal is an equation.

        Variables that do not occur, or that are bound again further inside, are left out.
        """
        found: dict[str, bool] = {}
        flip = False
        for mark, name in reversed(self.marks):
            if mark == "not":
                flip = not flip
            else:
                found.pop(name, None)
                found[name] = (mark == "all") != flip
        occurring = dict.fromkeys((*self.lhs.variables(), *self.rhs.variables()))
        free = [(True, name) for name in occurring if name not in found]
        bound = [(universal, name) for name, universal in found.items() if name in occurring]
        return [*free, *bound], self.equal != flip

    def deny(self) -> None:
        """Turns it into its negation; what was free is bound first."""
        prefix, _ = self.prefix()
        bound = {name for mark, name in self.marks}
        self.marks += [("all", name) for _, name in reversed(prefix) if name not in bound]
        self.marks.append(NOT)


@dataclass(frozen=True, slots=True)
class Statement:
    """A formula and what the file makes of it.

    `role` is axiom, definition, known, denial (an assumption that belongs to a denied goal), goal
    or hint. `offset` is its place in `text`.
    """

    name: str
    role: str
    formula: Formula
    text: Text
    offset: int

    def error(self, message: str) -> InputError:
        return self.text.error(message, self.offset)


@dataclass(slots=True)
class Assembly:
    """Makes a document of the statements of a file, under the symbols that they use."""

    name: str
    symbols: dict[str, int]
    notes: list[str]
    source: str | None = None
    functions: set[str] = field(default_factory=set)  # that were made
    renamed: dict[str, str] = field(default_factory=dict)  # variables that are called like symbols
    equation_names: Names = field(default_factory=lambda: Names())
    problem_names: Names = field(default_factory=lambda: Names())
    term_names: Names = field(default_factory=lambda: Names())  # of symbols and variables

    def document(
        self,
        statements: Sequence[Statement],
        notation: str,
        infix: dict[str, int],
        title: str = "",
    ) -> Document:
        equations: list[Equation] = []
        hints: list[Equation] = []
        claims: list[tuple[Statement, Formula]] = []
        denials: list[Statement] = []
        self.term_names.taken |= self.symbols.keys()
        for statement in statements:
            for side in (statement.formula.lhs, statement.formula.rhs):
                self.term_names.taken.update(side.variables())
        for statement in statements:
            prefix, equal = statement.formula.prefix()
            if statement.role == "goal":
                if not equal:
                    raise statement.error(
                        "this goal is a disequation; equations prove equations only"
                    )
                claims.append((statement, statement.formula))
            elif statement.role == "hint":
                self.hint(statement, prefix, equal, hints)
            elif equal:
                equations.append(self.equation(statement, prefix))
            else:
                denials.append(statement)
        asked = self.asked(denials, bool(claims))
        for statement in asked:
            statement.formula.deny()
            claims.append((statement, statement.formula))
        any_goal = len(asked) > 1
        problems = [
            self.problem(statement, formula, number if len(claims) > 1 else 0, any_goal)
            for number, (statement, formula) in enumerate(claims, 1)
        ]
        if any_goal:
            self.notes.append(
                f"{len(asked)} goals are denied together: the file is proved when one of them is"
            )
        theory = theory_of(self.name, title, self.symbols, infix, equations, source=self.source)
        origin = Origin(bool(asked), frozenset(self.functions))
        notes = tuple(self.notes)
        return Document(theory, tuple(problems), notation, tuple(hints), notes, any_goal, origin)

    def asked(self, denials: list[Statement], has_goals: bool) -> list[Statement]:
        """The denied goals; a disequation beside a goal of the file is none, and is refused."""
        real = [s for s in denials if s.role == "denial"]
        others = [s for s in denials if s.role != "denial"]
        if has_goals and denials:
            refused = denials[0]
        elif real and others:
            refused = others[0]
        else:
            for s in others:
                self.notes.append(
                    f"the disequation {s.name or 'of the assumptions'} is read as a denied goal"
                )
            return denials
        raise refused.error(
            "a disequation as an axiom beside a goal: only equations can be assumed"
        )

    def equation(self, statement: Statement, prefix: list[tuple[bool, str]]) -> Equation:
        lhs, rhs, _ = self.named(statement, prefix, universal=False)
        kind = statement.role if statement.role in ("definition", "known") else "axiom"
        if kind == "definition" and not is_definition(lhs):
            kind = "axiom"
        return Equation(self.equation_names.unique(statement.name or "axiom"), lhs, rhs, kind)

    def hint(
        self,
        statement: Statement,
        prefix: list[tuple[bool, str]],
        equal: bool,
        hints: list[Equation],
    ) -> None:
        if equal and all(universal for universal, _ in prefix):
            lhs, rhs, _ = self.named(statement, prefix, universal=False)
            hints.append(Equation(self.equation_names.unique(statement.name or "hint"), lhs, rhs))
        else:
            self.notes.append(f"the hint {statement.name or ''} is no equation, and left out")

    def problem(
        self, statement: Statement, formula: Formula, number: int, any_goal: bool
    ) -> Problem:
        prefix, _ = formula.prefix()
        lhs, rhs, left = self.named(statement, prefix, universal=True)
        name = statement.name
        if any_goal or name in _NO_NAMES:
            name = f"{self.name}#{number}" if number else self.name
        line = statement.text.line(statement.offset)
        return Problem(self.problem_names.unique(name), lhs, rhs, (), line, left)

    def named(
        self, statement: Statement, prefix: list[tuple[bool, str]], *, universal: bool
    ) -> tuple[Term, Term, tuple[str, ...]]:
        """The sides, with new functions for those variables that stand behind the other sort.

        With `universal` these are the universal variables, behind existential ones (Herbrand);
        else all existential ones (Skolem). Also the existential variables that are left.
        """
        values: dict[str, Term] = {}
        before: list[Term] = []  # the variables that a new function depends on
        size = 0
        for is_universal, name in prefix:
            value = self.variable(name)
            if is_universal != universal:
                before.append(value)
            elif not universal or before:
                size += len(before)
                if size > _MOST_ARGUMENTS:
                    raise statement.error("too many quantifiers inside one another")
                value = self.function(statement, name, before, universal)
            if value != var(name):
                values[name] = value
        formula = statement.formula
        lhs, rhs = formula.lhs, formula.rhs
        if values:
            lhs, rhs = lhs.substitute(values), rhs.substitute(values)
        left = tuple(t.head for t in before) if universal else ()
        return lhs, rhs, left

    def function(
        self, statement: Statement, name: str, before: list[Term], universal: bool
    ) -> Term:
        if len(before) > limits.ARITY:
            raise statement.error("too many quantifiers inside one another")
        symbol = self.term_names.unique(f"{'h' if universal else 'sk'}_{name}")
        self.symbols[symbol] = len(before)
        self.functions.add(symbol)
        others = ",".join(t.head for t in before)
        written = f"{symbol}({others})" if others else symbol
        what = "arbitrary" if universal else "that exists"
        where = f", given {others}," if others else ""
        self.notes.append(f"{statement.name or 'a formula'}: {name}, {what}{where} is {written}")
        return app(symbol, *before)

    def variable(self, name: str) -> Term:
        """A variable, under a name that no symbol has."""
        if name not in self.symbols:
            return var(name)
        if name not in self.renamed:
            self.renamed[name] = self.term_names.unique(name)
        return var(self.renamed[name])


@dataclass(slots=True)
class Names:
    """Makes names different from those given before, by numbers behind them."""

    taken: set[str] = field(default_factory=set)
    last: dict[str, int] = field(default_factory=dict)

    def unique(self, name: str) -> str:
        new = name
        if name in self.taken:
            number = self.last.get(name, 1) + 1
            while f"{name}_{number}" in self.taken:
                number += 1
            self.last[name] = number
            new = f"{name}_{number}"
        self.taken.add(new)
        return new


def is_definition(lhs: Term) -> bool:
    """Whether this is a symbol of different variables: what the left side of a definition is."""
    variables = [t.head for t in lhs.args if t.is_variable]
    return not lhs.is_variable and len(set(variables)) == len(lhs.args)
