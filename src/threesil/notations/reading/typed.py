"""Equations as people type them: what is passed over, what is warned of, what was understood."""

from __future__ import annotations

import re
from typing import Final

from threesil.kernel.theory import Problem, Signature, Theory
from threesil.notations.infix import format_term
from threesil.notations.writing.parts import listed

_LETTERS = re.compile(r"[^\W\d_]+")
_UNITS: Final = ("1", "0", "e", "id", "unit", "one", "zero", "identity")


def cleaned(text: str) -> str:
    """The text without a byte order mark, labels behind it, and a final full stop."""
    text = text.removeprefix("\ufeff").rstrip()
    if "#" in text:
        text = text[: text.index("#")].rstrip()
    return text.removesuffix(".").rstrip()


def advice(theory: Theory) -> dict[str, str]:
    """What to write for names of an identity that people type and the theory lacks."""
    units = identities(theory)
    if len(set(units.values())) == 1:
        said = f"the identity is written {next(iter(units.values()))}"
    else:
        said = ", ".join(f"the identity of {of} is written {unit}" for of, unit in units.items())
    missing = [name for name in _UNITS if name not in theory.signature.symbols]
    return dict.fromkeys(missing, said) if units else {}


def identities(theory: Theory) -> dict[str, str]:
    """The constants that are identities: by a binary symbol f, with an equation f(c,x) = x."""
    found: dict[str, str] = {}
    for equation in theory.equations:
        for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
            if len(side.args) != 2 or not other.is_variable or other not in side.args:
                continue
            for constant in side.args:
                if not constant.is_variable and not constant.args:
                    found.setdefault(side.head, constant.head)
    return found


def warnings(problem: Problem, theory: Theory) -> list[str]:
    """Names that were read as variables though they don't look like those of the theory."""
    advised = advice(theory)
    used = {name for equation in theory.equations for name in equation.variables}
    short = all(_is_short(name) for name in used)
    found = []
    for name in problem.variables:
        if name in advised:
            found.append(f"{name} is read as a variable; {advised[name]}")
        elif short and not _is_short(name):
            symbols = ", ".join(theory.signature.symbols)
            found.append(f"{name} is read as a variable; the symbols are {symbols}")
    return found


def _is_short(name: str) -> bool:
    """Whether it is a single letter, perhaps with a number behind it."""
    return sum(map(len, _LETTERS.findall(name))) <= 1


def understood(problem: Problem, theory: Theory | Signature) -> str:
    """How a problem was read: `for all x, y: s = t`."""
    signature = theory.signature if isinstance(theory, Theory) else theory
    start = format_term(problem.start, signature)
    if problem.target is None:
        return start
    equation = f"{start} = {format_term(problem.target, signature)}"
    arbitrary = (name for name in problem.variables if name not in problem.exists)
    universal, existential = listed(arbitrary, signature), listed(problem.exists, signature)
    parts = [f"for all {universal}"] if universal else []
    parts += [f"there is {existential}"] if existential else []
    return f"{' '.join(parts)}: {equation}" if parts else equation
