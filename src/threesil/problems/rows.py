"""Rows of problem files: which problems a recorded set has, without reading their terms.

A `Row` is a line of a problem file, split at its tabs. The split of a benchmark picks rows.
Problems that are solved at the start are left out of a set; for most rows the letters tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from threesil.errors import InputError
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.notations.lines import read_lines
from threesil.problems.files import load_problems, parse_problem
from threesil.theories import benchmark_of
from threesil.theories.benchmark import Row

_PUNCTUATION = " (),0123456789"
_NUMBER = re.compile("[0-9]{2,}")


def read_rows(path: Path, theory: Theory) -> list[Row]:
    """The rows of a file that `load_problems` makes problems of."""
    source = str(path)
    rows = [
        Row(source, number, line.split("\t"))
        for number, line in read_lines(path)
        if line and line[0] not in "#%" and not line.isspace()
    ]
    largest = benchmark_of(theory).largest_number
    if largest is None:
        return rows
    return [row for row in rows if not _writes_above(largest, row)]


def _writes_above(largest: int, row: Row) -> bool:
    numbers = _NUMBER.findall("".join(row.columns[1:2]))
    return any(len(n) > len(str(largest)) or int(n) > largest for n in numbers)


def is_solved(theory: Theory, problem: Problem) -> bool:
    """Whether there is nothing to do for the problem."""
    if theory.goal is Goal.NORMAL_FORM:
        return all(t.head in theory.constructors for t in problem.start.subterms())
    return problem.start == problem.target


def count_open(theory: Theory, rows: Iterable[Row]) -> int:
    """How many of the rows' problems are not solved at the start.

    Equal terms, however they are written, have the same letters, but for numerals and brackets:
    where the letters differ, no term needs to be read.
    """
    numerals = theory.signature.numerals or ()
    ignored = str.maketrans("", "", _PUNCTUATION + "".join(numerals))
    if theory.goal is Goal.NORMAL_FORM and theory.constructors <= set(numerals):
        return sum(bool(row.columns[0].translate(ignored)) for row in rows)
    count = 0
    for row in rows:
        letters = [side.translate(ignored) for side in _sides(theory, row)]
        differ = len(letters) == 2 and (
            len(letters[0]) != len(letters[1]) or sorted(letters[0]) != sorted(letters[1])
        )
        count += differ or not is_solved(theory, _read(theory, row))
    return count


def _sides(theory: Theory, row: Row) -> list[str]:
    """What the row says about the start, and about the target if there is one."""
    if theory.goal is Goal.EQUATION:
        return list(row.columns[:2][-1].partition("=")[::2])
    return list(row.columns[: 1 if theory.goal is Goal.NORMAL_FORM else 2])


def _read(theory: Theory, row: Row) -> Problem:
    """The problem of the row; all of its file is read if it is not in infix notation."""
    try:
        return parse_problem(" = ".join(_sides(theory, row)), theory)
    except InputError:
        return next(p for p in load_problems(row.source, theory) if p.line == row.line)
