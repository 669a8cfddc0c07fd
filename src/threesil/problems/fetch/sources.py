"""Where the public problem sets come from: repositories at fixed commits, and what is made of them.

A source is fixed to a commit, so what is made is the same for everybody, today and later. The
SHA-256 of each file that is made is kept in `recorded/digests.txt`: that of its text, where the
file is compressed, for programs that compress may differ in their bytes.

What a repository has beyond the problems that train and dev sets are drawn from becomes test
problems. Which these are is fixed: names, line numbers and pairs are kept in `recorded/`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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


RAW: Final = "https://raw.githubusercontent.com"
ARCHIVES: Final = "https://codeload.github.com"


@dataclass(frozen=True)
class Source:
    """A problem set, the repository that it comes from, and how its files are made.

    `files` are fetched one by one; without any, the whole repository is, as an archive, of which
    the files below the directory `below` are read. `made` gives the digests of what `make` makes.
    """

    name: str
    about: str
    repository: str
    commit: str
    licence: str
    make: Callable[[Mapping[str, bytes]], dict[str, str]]
    made: Mapping[str, str]
    files: tuple[str, ...] = ()
    below: str = ""

    @property
    def folder(self) -> str:
        """The name of the repository without its owner: what a clone of it is called."""
        return self.repository.split("/")[1]

    @property
    def downloads(self) -> tuple[str, ...]:
        """What is fetched: paths below the address of a mirror, as GitHub has them."""
        if self.files:
            return tuple(f"{self.repository}/{self.commit}/{file}" for file in self.files)
        return (f"{self.repository}/tar.gz/{self.commit}",)

    @property
    def home(self) -> str:
        """The address of the public host."""
        return RAW if self.files else ARCHIVES


def _made(name: str) -> dict[str, str]:
    """The digests of a set's files."""
    lines = (line.split() for line in recorded("digests.txt").splitlines())
    return {file: digest for digest, file in lines if file.startswith(f"{name}/")}


_NONE: Final = "none named; for your own use"

SOURCES: Final = {
    source.name: source
    for source in (
        Source(
            "aim",
            "3468 theorems about AIM loops",
            "ai4reason/aimleap",
            "831630285782188d49993300976984d78f43ba58",
            _NONE,
            aim,
            _made("aim"),
            below="aimleapprobs",
        ),
        Source(
            "robinson",
            "32951 sums and products of natural numbers",
            "barakeel/arithmetic_datasets",
            "86e1b5f8b582e0755cded85c76f6e6714c5c243e",
            _NONE,
            robinson,
            _made("robinson"),
            files=tuple(f"data_arith_lopl/{part}" for part in PARTS),
        ),
        Source(
            "polynomial",
            "170000 polynomials to expand, in six sets",
            "BartoszPiotrowski/rewriting-with-NNs",
            "a71e6aa7a9cfbba5e9f4c7037a92625cc0a78a39",
            _NONE,
            polynomial,
            _made("polynomial"),
            files=tuple(
                f"data/polynomial/poly{number}/valid.{side}"
                for number in POLYNOMIALS
                for side in ("before", "after")
            ),
        ),
        Source(
            "etp",
            "4694 laws of one operation, and which of them imply which",
            "teorth/equational_theories",
            "54edcda2f320cef0a241f8109fa164f901a69b87",
            "Apache License 2.0",
            etp,
            _made("etp"),
            files=("data/equations.txt",),
        ),
    )
}
