"""Lists of equations of one signature, and of pairs "does equation i imply equation j".

A list has one equation a line, as in a theory file: a name with a bracket behind it is a function,
every other name is a variable unless a line `Constants e.` says otherwise, `Infix 2 o.` declares an
operator. Equation n is called `En`. A TPTP, LADR or theory file gives its own equations and names.

The *mirror image* of an equation has the arguments of all symbols in reverse order. If i implies j,
then the mirror image of i implies that of j, by the mirror images of the same steps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from threesil.errors import InputError
from threesil.files import read_lines
from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Problem, Signature, Theory
from threesil.notations.document import theory_of
from threesil.notations.lines import Text, beginning
from threesil.notations.reading import notation_of, read
from threesil.notations.reading.article import read_article

_DECLARED = re.compile(r"(?:Constants|Infix|Prefix)\s")
Pair = tuple[int, int]


@dataclass(frozen=True)
class EquationList:
    """Equations that belong together; they are known by their numbers, from 0."""

    signature: Signature
    equations: tuple[Equation, ...]
    _theories: dict[int, Theory] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.equations)

    def name(self, pair: Pair) -> str:
        """What the problem "does i imply j" is called: E12_E345."""
        return "_".join(self.equations[index].name for index in pair)

    def theory(self, index: int) -> Theory:
        """The theory whose only axiom is this equation."""
        if index not in self._theories:
            equation = self.equations[index]
            of = self.signature
            self._theories[index] = theory_of(
                equation.name, f"The theory of {equation.name}", of.symbols, of.infix, [equation]
            )
        return self._theories[index]

    def problem(self, pair: Pair) -> Problem:
        """The second equation as something to prove in the theory of the first."""
        equation = self.equations[pair[1]]
        return Problem(self.name(pair), equation.lhs, equation.rhs)

    @cached_property
    def free(self) -> Theory:
        """The theory without any equation."""
        of = self.signature
        return theory_of("equations", "No equation", of.symbols, of.infix, ())

    @property
    def sides(self) -> list[tuple[Term, Term]]:
        return [(equation.lhs, equation.rhs) for equation in self.equations]

    @cached_property
    def places(self) -> dict[str, int]:
        """The numbers of the equations by their names."""
        return {equation.name: index for index, equation in enumerate(self.equations)}

    @cached_property
    def mirror(self) -> tuple[int | None, ...]:
        """The number of each equation's mirror image, up to names and sides, if it is here."""
        places: dict[frozenset[tuple[object, ...]], int] = {}
        for index, (lhs, rhs) in enumerate(self.sides):
            places.setdefault(_canonical(lhs, rhs), index)
        images = [_canonical(mirrored(lhs), mirrored(rhs)) for lhs, rhs in self.sides]
        return tuple(places.get(image) for image in images)

    def reflected(self, pair: Pair) -> Pair | None:
        """The pair of the two mirror images, if both are here."""
        i, j = (self.mirror[index] for index in pair)
        return None if i is None or j is None else (i, j)


def mirrored(term: Term) -> Term:
    """The term with the arguments of all symbols in reverse order."""
    return term.fold(lambda t, args: Term(t.head, args[::-1], is_variable=t.is_variable))


def _canonical(lhs: Term, rhs: Term) -> frozenset[tuple[object, ...]]:
    """The same for equations that are equal up to names of variables and the order of sides."""
    return frozenset(_shape(a, b) for a, b in ((lhs, rhs), (rhs, lhs)))


def _shape(lhs: Term, rhs: Term) -> tuple[object, ...]:
    numbers: dict[str, int] = {}
    shape: list[object] = []
    for t in (*lhs.subterms(), *rhs.subterms()):
        shape.append(numbers.setdefault(t.head, len(numbers)) if t.is_variable else t.head)
    return tuple(shape)


def read_equations(path: Path) -> EquationList:
    """The equations of a file."""
    content = beginning(path)
    undeclared = "\n".join(line for line in content.split("\n") if not _DECLARED.match(line))
    theory = _read_list(path) if notation_of(undeclared) is None else read(path).theory
    if len(theory.equations) < 2:
        raise InputError("expected at least two equations, one a line", source=str(path))
    return EquationList(theory.signature, theory.equations)


def _read_list(path: Path) -> Theory:
    """The lines of a list, each made a statement of a theory file."""
    lines: list[str] = []
    added: dict[int, int] = {}  # how much was put before a line
    count = 0
    for number, line in read_lines(path):
        text = line.split("#")[0].rstrip()
        if text.strip() and not _DECLARED.match(text):
            count += 1
            prefix = f"Axiom E{count}: "
            added[number] = len(prefix)
            text = f"{prefix}{text.removesuffix('.')}."
        lines.append(text)
    try:
        return read_article(Text(str(path), "\n".join(lines)), path.stem).theory
    except InputError as error:
        shift = added.get(error.line or 0, 0)
        if error.column is None or error.text is None:
            raise
        shown, column = error.text[shift:].removesuffix("."), max(1, error.column - shift)
        raise InputError(
            error.message, source=error.source, line=error.line, column=column, text=shown
        ) from None


def read_pairs(path: Path, given: EquationList) -> list[Pair]:
    """The pairs of a file: two columns with numbers from 1, or names; the rest is ignored."""
    places = {equation.name: index for index, equation in enumerate(given.equations)}
    places |= {str(number): number - 1 for number in range(1, len(given) + 1)}
    pairs: dict[Pair, int] = {}
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        columns = re.split(r"[\t, ]+", line.strip())[:2]
        unknown = [column for column in columns if column not in places]
        if len(columns) < 2 or unknown:
            which = f", not {unknown[0]!r}" if unknown else ""
            message = f"expected the numbers of two equations, from 1 to {len(given)}{which}"
            raise InputError(message, source=str(path), line=number)
        pair = places[columns[0]], places[columns[1]]
        if pair in pairs:
            message = f"this pair stands in line {pairs[pair]} already"
            raise InputError(message, source=str(path), line=number)
        pairs[pair] = number
    if not pairs:
        raise InputError("there is no pair in it", source=str(path))
    return list(pairs)
