r"""From the files of the repositories to problem files; nothing here depends on the time or place.

What a repository has beyond the problems that train and dev sets are drawn from becomes test
problems. Which these are is fixed: names, line numbers and pairs are kept in `recorded/`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files as resources
from typing import Final

from threesil.errors import InputError

PARTS: Final = ("train", "valid", "test")
POLYNOMIALS: Final = range(1, 7)
_THEOREM: Final = re.compile(r"^Theorem (\w+): (.+)\.$", re.MULTILINE)
_TRIPLE: Final = re.compile(r"([()SUC0+* ]+),([0-9]+),([0-9]+|\?)")


def aim(files: Mapping[str, bytes]) -> dict[str, str]:
    """One article a theorem, whose name is that of the file."""
    theorems: dict[str, str] = {}
    for path, content in files.items():
        found = _THEOREM.findall(_text(path, content))
        if [name for name, _ in found] != [path.rsplit("/", 1)[-1]]:
            raise InputError("expected one theorem, named like its file", source=path)
        theorems.update(found)
    test = set(recorded("aim-test.txt").split())
    rows = {name: f"{name}\t{theorems[name]}\n" for name in sorted(theorems)}
    return {
        "aim/problems.tsv": "".join(row for name, row in rows.items() if name not in test),
        "aim/test.tsv": "".join(row for name, row in rows.items() if name in test),
    }


def robinson(files: Mapping[str, bytes]) -> dict[str, str]:
    """`(SUC (* 0 0)),1,2`: an expression, its value, and the length of a derivation."""
    made = {}
    for part in PARTS:
        path = f"data_arith_lopl/{part}"
        rows = []
        for number, line in _lines(path, files[path]):
            found = _TRIPLE.fullmatch(line)
            if found is None:
                message = "expected an expression, its value and a length"
                raise InputError(message, source=path, line=number)
            expression = re.sub("[() ]", "", found[1]).replace("SUC", "S")
            rows.append(f"{expression}\t{found[2]}\t{found[3]}\n")
        made[f"robinson/{part}.tsv.gz"] = "".join(rows)
    return made


def polynomial(files: Mapping[str, bytes]) -> dict[str, str]:
    """Two files beside each other: expressions and what they expand to.

    First come the recorded lines, of which each thousand is a split, then all others.
    """
    made = {}
    for number, gaps in zip(POLYNOMIALS, recorded("polynomial.txt.gz").splitlines(), strict=True):
        sides = []
        for side in ("before", "after"):
            path = f"data/polynomial/poly{number}/valid.{side}"
            sides.append([line for _, line in _lines(path, files[path])])
        if len(sides[0]) != len(sides[1]):
            raise InputError(f"poly{number}/valid.before and valid.after differ in their lines")
        rows = [f"{before}\t{after}\n" for before, after in zip(*sides, strict=True)]
        first = list(_running(map(int, gaps.split())))
        if first[-1] > len(rows):
            raise InputError(f"poly{number}/valid.before has only {len(rows)} lines")
        chosen = set(first)
        others = (row for line, row in enumerate(rows, 1) if line not in chosen)
        made[f"polynomial/poly{number}.tsv.gz"] = "".join(
            (*(rows[line - 1] for line in first), *others)
        )
    return made


def etp(files: Mapping[str, bytes]) -> dict[str, str]:
    """An equation a line; the pairs are bundled, for their licence allows it."""
    path = "data/equations.txt"
    equations = (line.replace("◇", "*") for _, line in _lines(path, files[path]))
    return {
        "etp/equations.txt": "".join(f"{equation}\n" for equation in equations),
        "etp/dev.tsv": recorded("etp-dev.tsv.gz"),
        "etp/train.tsv": recorded("etp-train.tsv.gz"),
    }


def recorded(name: str) -> str:
    """What is bundled about the splits."""
    content = resources(__package__).joinpath("recorded", name).read_bytes()
    return (gzip.decompress(content) if name.endswith(".gz") else content).decode()


def _running(gaps: Iterator[int]) -> Iterator[int]:
    """Line numbers from 1, written as the distances between them."""
    line = 0
    for gap in gaps:
        line += gap
        yield line


def _text(path: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", source=path) from None


def _lines(path: str, content: bytes) -> list[tuple[int, str]]:
    return list(enumerate(_text(path, content).removesuffix("\n").split("\n"), 1))
