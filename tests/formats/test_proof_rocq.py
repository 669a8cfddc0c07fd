"""Proofs for Rocq, checked by `coqc` itself: proofs are accepted, mutants of them are not."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from proof_samples import BANDS, existential, left_inverses, tower, trivial, varied, walk
from threesil.formats.proof_rocq import write_rocq
from threesil.proof import Proof

COQC = shutil.which("coqc")
needs_coqc = pytest.mark.skipif(COQC is None, reason="coqc is not installed")


def coqc(text: str, directory: Path) -> subprocess.CompletedProcess[str]:
    path = directory / "Proofs.v"
    path.write_text(text)
    command = [str(COQC), "-q", path.name]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=directory)


def test_the_whole_text() -> None:
    (nothing, band) = trivial()[0], existential()[-1]
    assert write_rocq([nothing, band]).splitlines() == [
        "Section bands.",
        "Variable U : Type.",
        "Variable mul : U -> U -> U.",
        "Hypothesis idem : forall (x : U), (mul x x) = x.",
        "Definition nothing : forall (x : U), x = x :=",
        "  fun (x : U) =>",
        "  (eq_refl x).",
        "Definition band : forall (y : U), exists (x : U), (mul x y) = y :=",
        "  fun (y : U) =>",
        "  (ex_intro (fun (x : U) => (mul x y) = y) y",
        "  (idem y)).",
        "End bands.",
    ]
    assert band.theory is BANDS


def test_proofs_share_equations_and_lemmas() -> None:
    once, twice = write_rocq([left_inverses()]), write_rocq([left_inverses(), left_inverses()])
    assert twice.count("Hypothesis") == once.count("Hypothesis") == 3
    assert once.count("Definition") == 3 and twice.count("Definition") == 4


def test_a_file_grows_with_the_proof() -> None:
    sizes = [len(write_rocq([tower(1, width)])) for width in (20, 40)]
    assert sizes[1] < 5 * sizes[0]  # the product itself is twice as long


@needs_coqc
def test_rocq_accepts_proofs_of_all_kinds(tmp_path: Path) -> None:
    proofs = varied()
    assert len(proofs) >= 100
    done = coqc(write_rocq(proofs) + "Print Assumptions right_inverse.\n", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Closed under the global context" in done.stdout


@needs_coqc
def test_a_long_chain_is_no_trouble(tmp_path: Path) -> None:
    done = coqc(write_rocq([walk(1000, 1, largest=30)]), tmp_path)
    assert done.returncode == 0, done.stderr


@needs_coqc
def test_rocq_refuses_mutants(tmp_path: Path) -> None:
    text, count = with_mutants(varied(), 2, Random(1))
    assert count >= 100
    done = coqc(text, tmp_path)
    assert done.returncode == 0, done.stderr
    accepted = text.replace("Fail Definition mutant", "Definition mutant", 1)
    assert coqc(accepted, tmp_path).returncode != 0


def with_mutants(proofs: tuple[Proof, ...], each: int, random: Random) -> tuple[str, int]:
    """The file with, behind each definition, some of it in which one name is another one.

    Names are changed for others of their kind, so that every mutant is well-formed: a symbol or
    equation for one with as many arguments, a variable for another.
    """
    lines: list[str] = []
    count = 0
    for section in re.split(r"(?=^Section )", write_rocq(proofs), flags=re.MULTILINE):
        kinds: dict[str, object] = {}
        for name, type_ in re.findall(r"^Variable (\S+) : (.*)\.$", section, re.MULTILINE):
            kinds[name] = type_
        for statement in re.split(
            r"(?=^(?:Variable|Hypothesis|Definition|End) )", section, flags=re.M
        ):
            lines.append(statement)
            found = re.match(
                r"(Hypothesis|Definition) (\S+) : (?:forall \(([^:]*) : U\))?", statement
            )
            if found is None:
                continue
            kinds[found[2]] = len((found[3] or "").split()), "equation"
            if found[1] == "Definition":
                own = {**kinds, **dict.fromkeys((found[3] or "").split(), "U")}
                del own[found[2]]
                for _ in range(each):
                    mutant = _mutant(statement, own, random)
                    if mutant is not None:
                        count += 1
                        lines.append(
                            mutant.replace(
                                f"Definition {found[2]} ", f"Fail Definition mutant_{count} "
                            )
                        )
    return "".join(lines), count


def _mutant(statement: str, kinds: dict[str, object], random: Random) -> str | None:
    """The definition with one name changed, but for the names that it binds."""
    head, _, rest = statement.partition(" : ")
    binders = [found.span() for found in re.finditer(r"(?:forall|exists|fun) \([^:]*: U\)", rest)]
    places = []
    for found in re.finditer(r"[A-Za-z_][A-Za-z0-9_']*", rest):
        others = [n for n, kind in kinds.items() if n != found[0] and kind == kinds.get(found[0])]
        bound = any(start <= found.start() < end for start, end in binders)
        if others and not bound:
            places.append((found.span(), others))
    if not places:
        return None
    (start, end), others = random.choice(places)
    return f"{head} : {rest[:start]}{random.choice(others)}{rest[end:]}"
