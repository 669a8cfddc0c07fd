"""Targets: what the words on a command line stand for.

An equation in a theory; the problems of a file; or a file with equations of its own, which are
then the theory, and its goals the problems. A file without a goal asks for a model: the problem is
`x = y`, which the models with two elements or more refute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from threesil.errors import InputError
from threesil.files import is_file
from threesil.kernel.naming import fresh_name
from threesil.kernel.terms import var
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.notations.document import Document, Origin
from threesil.notations.lines import Text, read_text
from threesil.notations.reading import (
    looks_like_path,
    missing,
    notation_of,
    notation_of_file,
    parse,
    read,
)
from threesil.notations.reading.lean import LeanFile, read_lean
from threesil.problems.files import load_problems, parse_problem
from threesil.theories import get_theory

DEFAULT_THEORY = "aim"
Usual = Callable[[], Theory]  # the theory of equations that come without one


@dataclass(frozen=True)
class Target:
    """Problems in a theory; with `any_goal` one of them is enough. `notes` say how it was read.

    `no_goal`: there was none, and any model will do. `file`: where the theory is from, if a file
    that was named as a target has brought it along; `origin` says what its formulas were.
    `lean` is the Lean file that a statement is from. `hints` guide a search, and prove nothing.
    """

    theory: Theory
    problems: tuple[Problem, ...]
    any_goal: bool = False
    notes: tuple[str, ...] = ()
    no_goal: bool = False
    file: str = ""
    origin: Origin = field(default_factory=Origin)
    lean: LeanFile | None = None
    hints: tuple[Equation, ...] = ()


def read_targets(
    texts: Sequence[str],
    theory: str | Path | Theory | None = None,
    assume: Sequence[str] = (),
    typed: str = "",
    usual: Usual = lambda: get_theory(DEFAULT_THEORY),
) -> list[Target]:
    """What the arguments stand for; `-` is the text `typed`.

    `assume` adds equations to whatever theory the target has. Equations that nobody names a theory
    for are about the `usual` one.
    """
    given = None if theory is None else get_theory(theory)
    targets = (target for text in texts for target in _read(text, given, usual, typed))
    return [_assuming(target, assume) for target in targets]


def _read(text: str, given: Theory | None, usual: Usual, typed: str) -> Iterator[Target]:
    if text == "-":
        yield from _read_typed(typed, given, usual)
    elif is_file(text):
        notation = notation_of_file(Path(text)) if given is None else None
        if notation == "lean":
            for target in _from_lean(read_text(Path(text)), Path(text).stem):
                yield replace(target, file=text)
        elif notation is not None:
            yield replace(_from_document(read(text), text), file=text)
        else:
            chosen = given or usual()
            yield Target(chosen, tuple(load_problems(text, chosen)))
    elif looks_like_path(text):
        raise missing(text)
    else:
        yield _equation(text, given or usual())


def _read_typed(typed: str, given: Theory | None, usual: Usual) -> Iterator[Target]:
    """A whole file from standard input, or an equation a line."""
    notation = notation_of(typed) if given is None else None
    if notation == "lean":
        yield from _from_lean(Text("standard input", typed), "input")
        return
    if notation is not None:
        yield _from_document(parse(typed, "input"), "standard input")
        return
    if not typed.strip():
        raise InputError("nothing was given; expected equations, one a line, or a whole file")
    theory = given or usual()
    for number, line in enumerate(typed.splitlines(), 1):
        if line.strip():
            try:
                yield _equation(line, theory)
            except InputError as error:
                error.line = number if error.column is not None else None
                raise


def _equation(text: str, theory: Theory) -> Target:
    notes: list[str] = []
    problem = parse_problem(text, theory, notes)
    return Target(theory, (problem,), notes=tuple(notes))


def _from_document(document: Document, source: str) -> Target:
    if not document.problems:
        if not document.theory.equations:
            raise InputError("there is no equation in this file", source=source)
        one = Problem(document.name, var("x"), var("y"))
        note = f"{source}: there is no goal in it, so that a model is looked for"
        return Target(document.theory, (one,), notes=(*document.notes, note), no_goal=True)
    if not document.theory.equations:
        raise InputError(
            "there are goals but no equations in this file; --theory names a theory for them",
            source=source,
        )
    theory, problems, origin = document.theory, document.problems, document.origin
    notes, hints = document.notes, document.hints
    return Target(theory, problems, document.any_goal, notes, origin=origin, hints=hints)


def _from_lean(text: Text, name: str) -> Iterator[Target]:
    """A target for each statement without a proof."""
    file = read_lean(text, name)
    notes = (*text.notes, *file.notes)
    if not file.goals:
        said = "; ".join(notes) or "there is no theorem whose proof is sorry"
        raise InputError(f"nothing to prove: {said}", source=text.source)
    for number, goal in enumerate(file.goals):
        yield Target(goal.theory, (goal.problem,), notes=() if number else notes, lean=file)


def _assuming(target: Target, assume: Sequence[str]) -> Target:
    if not assume:
        return target
    theory, added = target.theory, list[Equation]()
    names = {equation.name for equation in theory.equations}
    for number, text in enumerate(assume, 1):
        problem = parse_problem(text, theory)
        if problem.target is None or problem.exists:
            raise InputError(f"--assume {text!r}: expected an equation that holds for all values")
        name = fresh_name(f"assumption {number}", names)
        names.add(name)
        added.append(Equation(name, problem.start, problem.target))
    return replace(target, theory=theory.extended(added))
