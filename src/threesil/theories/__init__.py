"""The bundled theories, and how a theory of the user's is found.

Three come with an environment and a benchmark (`benchmark`), each a module; further ones are theory
files with a few classical goals. `robinson_steps` has the strategy that its problems are sorted by.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from threesil.errors import InputError
from threesil.files import is_file, other_than_file
from threesil.kernel.theory import Theory
from threesil.theories.benchmark import Benchmark

_FILES: Final = (
    *("semigroups", "monoids", "groups", "rings"),
    *("quasigroups", "loops", "moufang", "bol", "quandles", "racks"),
    *("semilattices", "lattices", "modular", "orthomodular", "boolean", "relations"),
    *("wajsberg", "mv", "bck"),
)
NAMES: Final = ("robinson", "polynomial", "aim", *_FILES)


@cache
def _bundled(name: str) -> tuple[Theory, Benchmark]:
    """A theory with what is bundled with it; only what is asked for is read."""
    if name == "robinson":
        from threesil.theories import robinson

        return robinson.ROBINSON, robinson.BENCHMARK
    if name == "polynomial":
        from threesil.theories import polynomial

        return polynomial.POLYNOMIAL, polynomial.BENCHMARK
    if name == "aim":
        from threesil.theories import aim

        return aim.AIM, aim.BENCHMARK
    from threesil.notations.reading import read

    document = read(Path(__file__).with_name(f"{name}.thy"))
    return document.theory, Benchmark(goals=document.problems)


@cache
def _benchmarks() -> dict[str, Benchmark]:
    return {theory.digest: benchmark for theory, benchmark in map(_bundled, NAMES)}


def all_theories() -> tuple[Theory, ...]:
    """The theories that come with the package."""
    return tuple(_bundled(name)[0] for name in NAMES)


def benchmark_of(theory: Theory) -> Benchmark:
    """What comes with the theory, or with the one that it is a part of; an empty record if none."""
    base = theory.base or theory
    if base.name in NAMES and _bundled(base.name)[0].digest == base.digest:
        return _bundled(base.name)[1]  # without a look at all others
    return _benchmarks().get(base.digest) or Benchmark()


def get_theory(which: str | Path | Theory) -> Theory:
    """A theory by its name in the registry, by a file in any notation, or as it is.

    With `:LEMMA` behind the name or the file: the theory as it stands before that lemma.
    """
    if isinstance(which, Theory):
        return which
    if str(which) in NAMES:
        return _bundled(str(which))[0]
    from threesil.notations.reading import looks_like_path, missing, read

    if is_file(which):
        theory = read(which).theory
        if not theory.equations:
            raise InputError(
                "no equation in this theory; goals alone are no theory: name the one that they are "
                "about, and give the file as --problems",
                source=str(which),
            )
        return theory
    base, _, lemma = str(which).rpartition(":")
    if base in NAMES or is_file(base):
        theory = get_theory(base)
        if lemma not in [equation.name for equation in theory.lemmas]:
            raise InputError(
                f"{base} has no lemma {lemma!r}; its equations: threesil theories {base}"
            )
        return theory.before(lemma)
    if looks_like_path(str(which)) or other_than_file(which):
        raise missing(str(which))
    raise InputError(
        f"unknown theory {str(which)!r}: expected {', '.join(NAMES)} or the path of a theory file"
    )
