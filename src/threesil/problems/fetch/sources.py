"""Where the public problem sets come from: repositories at fixed commits, and what is made of them.

A source is fixed to a commit, so what is made is the same for everybody, today and later. The
SHA-256 of each file that is made is kept in `recorded/digests.txt`: that of its text, where the
file is compressed, for programs that compress may differ in their bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from threesil.problems.fetch import convert

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
    lines = (line.split() for line in convert.recorded("digests.txt").splitlines())
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
            convert.aim,
            _made("aim"),
            below="aimleapprobs",
        ),
        Source(
            "robinson",
            "32951 sums and products of natural numbers",
            "barakeel/arithmetic_datasets",
            "86e1b5f8b582e0755cded85c76f6e6714c5c243e",
            _NONE,
            convert.robinson,
            _made("robinson"),
            files=tuple(f"data_arith_lopl/{part}" for part in convert.PARTS),
        ),
        Source(
            "polynomial",
            "170000 polynomials to expand, in six sets",
            "BartoszPiotrowski/rewriting-with-NNs",
            "a71e6aa7a9cfbba5e9f4c7037a92625cc0a78a39",
            _NONE,
            convert.polynomial,
            _made("polynomial"),
            files=tuple(
                f"data/polynomial/poly{number}/valid.{side}"
                for number in convert.POLYNOMIALS
                for side in ("before", "after")
            ),
        ),
        Source(
            "etp",
            "4694 laws of one operation, and which of them imply which",
            "teorth/equational_theories",
            "54edcda2f320cef0a241f8109fa164f901a69b87",
            "Apache License 2.0",
            convert.etp,
            _made("etp"),
            files=("data/equations.txt",),
        ),
    )
}
