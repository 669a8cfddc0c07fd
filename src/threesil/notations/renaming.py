"""Names that a prover's language takes, and the way back.

Every language has its own idea of which names are symbols, which are variables and which are
words of its own. A `Language` says so; a `Renaming` gives each symbol and variable of a problem a
legal name, different names different ones, and always the same ones for the same problem. A name
that is legal already stays as it is.

*Identifiers* are names for the things of a file in another language, no two of them the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from threesil.errors import InputError
from threesil.kernel.naming import fresh_name
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Problem, Signature, Theory
from threesil.notations.infix import format_term

_WORDS = {"*": "mul", "\\": "ld", "/": "rd", "+": "add", "-": "sub", "^": "pow", "0": "zero"}
_WORDS |= {"'": "inv", "⁻¹": "inv", "~": "neg", "|": "join", "&": "meet"}


@dataclass(frozen=True)
class Language:
    """Which names are legal: whole ones that match `symbol` or `variable`, less the reserved.

    `infix` and `unary` are the operators that the language has itself; every other symbol is
    written `f(s,t)`. With `fold_case` two names must differ in more than the case of their
    letters, and the reserved words are given in small letters. With `unicode`, letters are those
    of all scripts.
    """

    symbol: str
    variable: str
    variable_prefix: str
    reserved: frozenset[str] = frozenset()
    infix: frozenset[str] = frozenset()
    unary: frozenset[str] = frozenset()
    longest: int = 200
    fold_case: bool = False
    unicode: bool = False

    def key(self, name: str) -> str:
        """What different names must not have in common."""
        return name.lower() if self.fold_case else name

    def takes_symbol(self, name: str) -> bool:
        return self._takes(name, self.symbol)

    def takes_variable(self, name: str) -> bool:
        return self._takes(name, self.variable)

    def _takes(self, name: str, pattern: str) -> bool:
        whole = re.fullmatch(pattern, name, 0 if self.unicode else re.ASCII) is not None
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
        """The term under its new names, its variables constants, but for existential ones."""
        variables = {old: var(new) for old, new in self.variables.items()}
        constants = {old: app(new) for old, new in self.constants.items()}
        return _rename(term, self.symbols, variables | constants)

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
    exists: Collection[str] = (),
) -> Renaming:
    """The renaming of a signature and of all that occurs in the equations and in the goal.

    `exists` are the variables of the goal that don't stand for arbitrary elements.
    """
    equations = (*equations, goal) if goal else tuple(equations)
    arities, occurring = _occurring(signature, equations)
    free = _Free(language)
    infix = {name: rank for name, rank in signature.infix.items() if name in language.infix}
    own = {*infix, *(name for name in language.unary if arities.get(name) == 1)}
    free.taken |= {language.key(name) for name in own}
    kept = {name for name in arities if name not in own and free.take([name], symbol=True)}
    symbols = {
        name: name
        if name in own or name in kept
        else free.find(name, "s_", name[:1].lower() + name[1:], symbol=True)
        for name in arities
    }
    prefix = language.variable_prefix
    variables = {
        name: free.find(name, prefix, name, *_other_case(name), symbol=False) for name in occurring
    }
    constants = {
        name: free.find(name, "c_", symbol=True)
        for name in (goal.variables if goal else ())
        if name not in exists
    }
    renamed = {symbols[name]: arity for name, arity in arities.items()}
    frozen = dict.fromkeys(constants.values(), 0)
    return Renaming(symbols, variables, constants, Signature(renamed | frozen, infix))


def _other_case(name: str) -> tuple[str, str]:
    return name[:1].upper() + name[1:], name[:1].lower() + name[1:]


class _Free:
    """The legal names of a language that are still free; gives them away."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.taken: set[str] = set()
        self.symbol = True

    def __contains__(self, name: object) -> bool:
        """Whether a name can't be had, for `fresh_name`."""
        text = str(name)
        takes = self.language.takes_symbol if self.symbol else self.language.takes_variable
        return not takes(text) or self.language.key(text) in self.taken

    def take(self, names: Iterable[str], *, symbol: bool) -> str | None:
        """The first of the names that can be had."""
        self.symbol = symbol
        for name in names:
            if name not in self:
                self.taken.add(self.language.key(name))
                return name
        return None

    def find(self, name: str, prefix: str, *first: str, symbol: bool) -> str:
        """One of the first names, a word for an operator, or one with a prefix and a number."""
        words = [_WORDS[name]] if name in _WORDS else []
        plain = prefix + re.sub("[^A-Za-z0-9]", "_", name)[:12]
        new = self.take([*first, *words], symbol=symbol)
        if new is None:
            new = fresh_name(plain, self)
            self.taken.add(self.language.key(new))
        return new


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
    goal = equation_of(problem)
    assumptions, suggestions = (*theory.equations, *lemmas), tuple(hints)
    renaming = rename(
        language, theory.signature, (*assumptions, *suggestions), goal, problem.exists
    )
    taken = {"goal"}
    labelled = tuple((_label(e.name, taken), e) for e in (*assumptions, *suggestions))
    cut = len(assumptions)
    return Statements(labelled[:cut], labelled[cut:], goal, renaming)


def equation_of(problem: Problem) -> Equation:
    """The equation that a problem asks for."""
    if problem.target is None:
        message = "there is no equation to prove: the theory's goal is a normal form"
        raise InputError(f"{problem.name}: {message}")
    return Equation("goal", problem.start, problem.target)


def _label(name: str, taken: set[str]) -> str:
    label = fresh_name(re.sub("[^A-Za-z0-9_]", "_", name)[:60] or "_", taken)
    taken.add(label)
    return label


_LONGEST = 60


class Identifiers:
    """The identifiers of one file, or of one part of it that has its own names.

    A name that is legal and free stays as it is; an operator gets a word; of any other name the
    letters and digits are kept. What is not wanted, such as a word of the language, is `reserved`.
    """

    def __init__(self, legal: str, reserved: Iterable[str] = ()) -> None:
        self._legal = re.compile(legal, re.ASCII)
        self._taken = set(reserved)
        self._given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}

    def of(self, kind: str, name: str) -> str:
        """The identifier of a thing; `kind` is a word, with which identifiers can begin."""
        if (kind, name) not in self._given:
            self._given[kind, name] = self.new(kind, name)
        return self._given[kind, name]

    def new(self, kind: str, name: str) -> str:
        """An identifier for one more thing, even if another one of its kind has its name."""
        plain = re.sub("[^A-Za-z0-9]+", "_", _WORDS.get(name, name))[:_LONGEST].strip("_")
        last = f"{kind}_{plain}" if plain else kind
        for new in (name, self._cased(plain), last):
            if len(new) <= _LONGEST + len(kind) + 1 and self._take(new):
                return new
        while True:
            number = self._last[last] = self._last.get(last, 1) + 1
            if self._take(f"{last}_{number}"):
                return f"{last}_{number}"

    def _cased(self, name: str) -> str:
        """The name, its first letter large or small if it has to be."""
        return name if self._legal.fullmatch(name) else name[:1].swapcase() + name[1:]

    def _take(self, name: str) -> bool:
        if self._legal.fullmatch(name) is None or name in self._taken:
            return False
        self._taken.add(name)
        return True
