"""The unit-equality problems of TPTP, from a copy of it that the user has.

TPTP may not be distributed: its problems are copied, with the axioms that they include, from a
directory or an archive of it. A problem is taken if its header classifies it as unit equality. The
lists have a problem a line, `name<TAB>domain<TAB>rating<TAB>kind`. Which split a theorem is in
depends on SHA-256 of "ueq:" and its name alone, so a later TPTP moves none; of the satisfiable
ones, those of the dev set are recorded.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from threesil.errors import InputError
from threesil.files import is_directory, is_file, locked
from threesil.problems.fetch import store
from threesil.problems.fetch.sources import recorded

NAME: Final = "ueq"
ABOUT: Final = "unit-equality problems of TPTP, from a copy that you have"
LICENCE: Final = "TPTP's own terms: see the README of your copy"
_DEV: Final = "406785a0"  # theorems whose hash is below this are test, then dev,
_TRAIN: Final = "7b0aae17"  # and from here on train
_HEAD: Final = 20_000  # bytes of a problem that hold its header
_LARGEST: Final = 20_000_000
_STATUS: Final = {"CNF_UNS_RFO_PEQ_UEQ": True, "CNF_SAT_RFO_PEQ_UEQ": False}
_FIELD: Final = re.compile(r"^% (SPC|Rating) +: +([^\s,]+)", re.MULTILINE)
_INCLUDE: Final = re.compile(r"^\s*include\(\s*'([^']+)'", re.MULTILINE)
_CLAUSE: Final = re.compile(r"cnf\([^,]+,[^,]+,(.*?)\)\s*\.\s*$", re.S | re.M)
_PROBLEM: Final = re.compile(r"(?:.*/)?Problems/([A-Z]{3})/([A-Z]{3}[^/]*)\.p")
_AXIOMS: Final = re.compile(r"(?:.*/)?(Axioms/[^/]+\.ax)")

Progress = Callable[[int], None]
"""hears how many files have been looked at"""


@dataclass(frozen=True)
class _Found:
    """A problem with what its header and its goal say."""

    name: str
    domain: str
    theorem: bool
    rating: str
    kind: str
    text: str

    @property
    def split(self) -> str:
        """The list that it stands in."""
        if not self.theorem:
            return "sat_dev" if self.name in recorded("ueq-sat-dev.txt").split() else "sat_test"
        digest = hashlib.sha256(f"ueq:{self.name}".encode()).hexdigest()
        return "test" if digest < _DEV else "dev" if digest < _TRAIN else "train"

    @property
    def row(self) -> str:
        return "\t".join((self.name, self.domain, self.rating, self.kind)) + "\n"


def fetch_ueq(
    directory: Path, origin: Path, *, progress: Progress = lambda looked_at: None
) -> dict[str, int]:
    """Copies the problems; how many each list has."""
    found: list[_Found] = []
    looked_at = 0
    with _files(origin) as files:
        for name, file in files:
            looked_at += 1
            progress(looked_at)
            place = _PROBLEM.fullmatch(name)
            if place is not None and (problem := _read(file, *place.groups())) is not None:
                found.append(problem)
    if not found:
        raise InputError(
            f"{origin} has no unit-equality problems; expected a TPTP, with its Problems/ and "
            "Axioms/, such as TPTP-v9.2.1 or TPTP-v9.2.1.tgz"
        )
    made = _lists(found)
    sizes = {file[4:-4]: text.count("\n") for file, text in made.items()}
    for problem in found:
        made[f"ueq/Problems/{problem.domain}/{problem.name}.p"] = problem.text
    wanted = {name for problem in found for name in _INCLUDE.findall(problem.text)}
    made |= {f"ueq/{name}": text for name, text in _axioms(origin, wanted).items()}
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory):
        digests = {file: store.text_digest(text) for file, text in made.items()}
        store.refuse_strangers(directory, digests)
        store.write(directory, made)
    return sizes


def _lists(found: list[_Found]) -> dict[str, str]:
    lists: dict[str, str] = {}
    for problem in sorted(found, key=lambda problem: problem.name):
        file = f"ueq/{problem.split}.txt"
        lists[file] = lists.get(file, "") + problem.row
    return lists


def _read(file: IO[bytes], domain: str, name: str) -> _Found | None:
    """A problem; None if it is none of unit equality."""
    head = file.read(_HEAD)
    fields = dict(_FIELD.findall(head.decode(errors="replace")))
    theorem = _STATUS.get(fields.get("SPC", ""))
    if theorem is None:
        return None
    text = (head + file.read(_LARGEST)).decode(errors="replace")
    rating = fields.get("Rating", "?")
    if theorem:  # the lists of theorems have numbers
        try:
            rating = str(float(rating))
        except ValueError:
            rating = "?"
    return _Found(name, domain, theorem, rating, _kind(text, theorem), text)


def _kind(text: str, theorem: bool) -> str:
    clauses = _CLAUSE.findall(re.sub("^%.*$", "", text, flags=re.MULTILINE))
    denied = [clause for clause in clauses if "!=" in clause]  # whatever its role is called
    if not theorem:
        return "goal" if denied else "nogoal"
    if len(denied) != 1:
        return "multi"
    quoted = re.sub(r"'[^']*'", "", denied[0])
    return "exist" if re.search(r"\b[A-Z]", quoted) else "ground"


def _axioms(origin: Path, wanted: set[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    if not wanted:
        return texts
    with _files(origin) as files:
        for name, file in files:
            place = _AXIOMS.fullmatch(name)
            if place is not None and place[1] in wanted:
                texts[place[1]] = file.read(_LARGEST).decode(errors="replace")
                if len(texts) == len(wanted):
                    break
    if missing := wanted - texts.keys():
        raise InputError(f"{origin} lacks {min(missing)}, which problems include")
    return texts


@contextmanager
def _files(origin: Path) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """The files of a directory or an archive, with their paths, opened one after the other."""
    if is_directory(origin):
        yield _on_disk(origin)
    elif is_file(origin):
        try:
            with tarfile.open(origin, "r:*") as archive:
                yield _in_archive(archive)
        except (tarfile.TarError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, EOFError) as error:
            why = str(error).splitlines()[0].rstrip(":")  # then a line for each way to compress
            raise InputError(f"{origin} is no archive, or a damaged one: {why}") from None
    else:
        raise InputError(f"there is no TPTP {origin}: --from takes its directory or its archive")


def _on_disk(origin: Path) -> Iterator[tuple[str, IO[bytes]]]:
    for pattern in ("Problems/*/*.p", "Axioms/*.ax"):
        for path in sorted(origin.glob(pattern)):
            with path.open("rb") as file:
                yield path.relative_to(origin).as_posix(), file


def _in_archive(archive: tarfile.TarFile) -> Iterator[tuple[str, IO[bytes]]]:
    for member in archive:
        if member.isfile() and (opened := archive.extractfile(member)) is not None:
            yield member.name, opened
    # A member that can't be read ends an archive as if it were whole; the checksum, which comes
    # last, says that it is not.
    while archive.fileobj is not None and archive.fileobj.read(_LARGEST):
        pass
