"""Names that a prover's language takes, and the way back.

Every language has its own idea of which names are symbols, which are variables and which are
words of its own. A `Language` says so; a `Renaming` gives each symbol and variable of a problem a
legal name, different names different ones, and always the same ones for the same problem. A name
that is legal already stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from threesil.errors import InputError
from threesil.formats.infix import format_term
from threesil.terms import Term, app, var
from threesil.theory import Equation, Problem, Signature, Theory

_WORDS = {"*": "mul", "\\": "ld", "/": "rd", "+": "add", "-": "sub", "^": "pow", "0": "zero"}


@dataclass(frozen=True)
class Language:
    """Which names are legal: whole ones that match `symbol` or `variable`, less the reserved.

    `infix` are the binary operators that the language has itself; every other symbol is written
    `f(s,t)`. With `fold_case` two names must differ in more than the case of their letters, and
    the reserved words are given in small letters.
    """

    symbol: str
    variable: str
    variable_prefix: str
    reserved: frozenset[str] = frozenset()
    infix: frozenset[str] = frozenset()
    longest: int = 200
    fold_case: bool = False

    def key(self, name: str) -> str:
        """What different names must not have in common."""
        return name.lower() if self.fold_case else name

    def takes_symbol(self, name: str) -> bool:
        return self._takes(name, self.symbol)

    def takes_variable(self, name: str) -> bool:
        return self._takes(name, self.variable)

    def _takes(self, name: str, pattern: str) -> bool:
        whole = re.fullmatch(pattern, name, re.ASCII) is not None
        return whole and len(name) <= self.longest and self.key(name) not in self.reserved


@dataclass(frozen=True)
class Renaming:
    """Legal names for symbols and variables: `to` and `back` translate terms.

    `signature` has the symbols under their new names. A goal's variables stand for arbitrary
    elements; for a language that can't say so, `freeze` makes them constants of their own.
    """

    symbols: Mapping[str, str]
    variables: Mapping[str, str]
    constants: Mapping[str, str]
    signature: Signature

    def to(self, term: Term) -> Term:
        """The term under its new names."""
        return _rename(term, self.symbols, {old: var(new) for old, new in self.variables.items()})

    def freeze(self, term: Term) -> Term:
        """The term under its new names, its variables constants."""
        return _rename(term, self.symbols, {old: app(new) for old, new in self.constants.items()})

    def back(self, term: Term) -> Term:
        """The term as it was before `to` or `freeze`; a name that neither gave stays."""
        symbols = {new: old for old, new in self.symbols.items()}
        variables = {new: var(old) for old, new in self.variables.items()}
        frozen = {new: var(old) for old, new in self.constants.items()}
        return _rename(term, symbols, variables | frozen, frozen)

    def text(self, term: Term) -> str:
        """A term under its new names, as the language writes it."""
        return format_term(term, self.signature)


def _rename(
    term: Term,
    symbols: Mapping[str, str],
    variables: Mapping[str, Term],
    constants: Mapping[str, Term] | None = None,
) -> Term:
    def combine(t: Term, args: tuple[Term, ...]) -> Term:
        if t.is_variable:
            return variables.get(t.head, t)
        if constants and not args and t.head in constants:
            return constants[t.head]
        return Term(symbols.get(t.head, t.head), args)

    return term.fold(combine)


def rename(
    language: Language,
    signature: Signature,
    equations: Iterable[Equation] = (),
    goal: Equation | None = None,
) -> Renaming:
    """The renaming of a signature and of all that occurs in the equations and in the goal."""
    equations = (*equations, goal) if goal else tuple(equations)
    arities, occurring = _occurring(signature, equations)
    taken: set[str] = set()

    def first(names: Iterable[str], legal: Callable[[str], bool]) -> str | None:
        for name in names:
            if legal(name) and language.key(name) not in taken:
                taken.add(language.key(name))
                return name
        return None

    def find(names: Iterable[str], legal: Callable[[str], bool]) -> str:
        name = first(names, legal)
        assert name is not None  # there are endlessly many
        return name

    infix = {name: rank for name, rank in signature.infix.items() if name in language.infix}
    kept = {
        name: name if name in infix else first([name], language.takes_symbol) for name in arities
    }
    symbols = {
        name: new or find(_names(name, "s_", name[:1].lower() + name[1:]), language.takes_symbol)
        for name, new in kept.items()
    }
    prefix = language.variable_prefix
    variables = {
        name: find(_names(name, prefix, name, name[:1].upper() + name[1:]), language.takes_variable)
        for name in occurring
    }
    constants = {
        name: find(_names(name, "c_"), language.takes_symbol)
        for name in (goal.variables if goal else ())
    }
    renamed = {symbols[name]: arity for name, arity in arities.items()}
    frozen = dict.fromkeys(constants.values(), 0)
    return Renaming(symbols, variables, constants, Signature(renamed | frozen, infix))


def _occurring(
    signature: Signature, equations: Iterable[Equation]
) -> tuple[dict[str, int], dict[str, None]]:
    """The symbols with their arities, those of the signature first, and the variables."""
    arities = dict(signature.symbols)
    variables: dict[str, None] = {}
    for equation in equations:
        for side in (equation.lhs, equation.rhs):
            for term in side.subterms():
                if term.is_variable:
                    variables[term.head] = None
                else:
                    arities.setdefault(term.head, len(term.args))
    return arities, variables


def _names(name: str, prefix: str, *first: str) -> Iterator[str]:
    """Names to try, endlessly many: the first ones, a word for an operator, then numbered ones."""
    yield from first
    if name in _WORDS:
        yield _WORDS[name]
    plain = re.sub("[^A-Za-z0-9]", "_", name)[:12]
    yield prefix + plain
    yield from _numbered(prefix + plain)


@dataclass(frozen=True)
class Statements:
    """What a prover is given: labelled assumptions, labelled hints and the goal."""

    assumptions: tuple[tuple[str, Equation], ...]
    hints: tuple[tuple[str, Equation], ...]
    goal: Equation
    renaming: Renaming


def statements(
    language: Language,
    theory: Theory,
    problem: Problem,
    lemmas: Iterable[Equation] = (),
    hints: Iterable[Equation] = (),
) -> Statements:
    """The theory's equations and the lemmas, the hints and the problem, with their new names.

    A label is the equation's name in letters, digits and underscores, no two of them the same.
    """
    if problem.target is None:
        message = "there is no equation to prove: the theory's goal is a normal form"
        raise InputError(f"{problem.name}: {message}")
    goal = Equation("goal", problem.start, problem.target)
    assumptions, suggestions = (*theory.equations, *lemmas), tuple(hints)
    renaming = rename(language, theory.signature, (*assumptions, *suggestions), goal)
    taken = {"goal"}
    labelled = tuple((_label(e.name, taken), e) for e in (*assumptions, *suggestions))
    cut = len(assumptions)
    return Statements(labelled[:cut], labelled[cut:], goal, renaming)


def _label(name: str, taken: set[str]) -> str:
    plain = re.sub("[^A-Za-z0-9_]", "_", name)[:60] or "_"
    label = next(label for label in chain([plain], _numbered(plain)) if label not in taken)
    taken.add(label)
    return label


def as_problem(
    label: str, path: Path, lhs: Term, rhs: Term, renaming: Renaming, signature: Signature
) -> Problem:
    """A goal that was read from a file, under the names of the theory.

    Names that the theory does not have are arbitrary elements, so they become variables, with
    small letters and apart from the theory's symbols. A goal without a label of its own is named
    after its file.
    """
    lhs, rhs = renaming.back(lhs), renaming.back(rhs)
    taken = set(signature.symbols)
    variables: dict[str, Term] = {}
    for old in dict.fromkeys((*lhs.variables(), *rhs.variables())):
        small = old[:1].lower() + old[1:]
        new = next(name for name in chain([small], _numbered(small)) if name not in taken)
        taken.add(new)
        variables[old] = var(new)
    name = path.stem if label in ("", "goal") else label
    return Problem(name, lhs.substitute(variables), rhs.substitute(variables))


def _numbered(name: str) -> Iterator[str]:
    return (f"{name}_{number}" for number in count(2))
