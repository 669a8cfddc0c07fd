"""Proofs for Rocq, checked by `coqc` itself: proofs are accepted, mutants of them are not."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from notations.mutants import mutants
from proof_samples import (
    BANDS,
    existential,
    left_inverses,
    proof,
    theory_of,
    tower,
    trivial,
    varied,
    walk,
)
from threesil.kernel.proof import Proof, certify
from threesil.notations.writing.rocq import write_rocq
from threesil.problems.sets import open_set
from threesil.search.prover import Prover
from threesil.theories.aim import AIM

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
        "Module bands.",
        "Section Proofs.",
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
        "End Proofs.",
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
    done = coqc(write_rocq(proofs) + "Print Assumptions groups.right_inverse.\n", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Closed under the global context" in done.stdout


@needs_coqc
def test_theories_in_one_file_do_not_share_names(tmp_path: Path) -> None:
    proofs = [proof for k in range(20) for proof in in_theory(f"groups {k % 7}", k)]
    done = coqc(write_rocq(proofs), tmp_path)
    assert done.returncode == 0, done.stderr


def in_theory(name: str, number: int) -> list[Proof]:
    """Two proofs in a theory of its own; lemmas and theorems are called as in other theories."""
    theory = theory_of(name, {"*": 2, "e": 0, f"c{number}": 0}, unit="e * x = x")
    lemma = proof(
        theory, "e * (e * x) = x", *[("unit", "->", "", {"x": v}) for v in ("e * x", "x")]
    )
    lemma = certify(theory, replace(lemma.problem, name="lemma 4"), lemma.derivation)
    steps = ("lemma 4", "->", "", {"x": f"c{number}"})
    last = proof(theory, f"e * (e * c{number}) = c{number}", steps, name="groups", lemmas=(lemma,))
    return [lemma, last]


@needs_coqc
@pytest.mark.data
@pytest.mark.usefixtures("data")
def test_rocq_accepts_the_proofs_of_a_whole_set(tmp_path: Path) -> None:
    problems = open_set("dev", AIM).problems
    prover = Prover(AIM, solver="guided")
    found = (prover.prove(problem, expansions=300).proof for problem in problems)
    proofs = [proof for proof in found if proof is not None]
    assert len(proofs) > 0.8 * len(problems) > 200
    done = coqc(write_rocq(proofs), tmp_path)
    assert done.returncode == 0, done.stderr


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


def with_mutants(proofs: Sequence[Proof], each: int, random: Random) -> tuple[str, int]:
    """The file with mutants behind each definition, which must fail, and how many these are."""
    parts: list[str] = []
    count = 0
    for section in re.split(r"(?=^Module )", write_rocq(proofs), flags=re.MULTILINE):
        symbols = dict(re.findall(r"^Variable (\S+) : (.*)\.$", section, re.MULTILINE))
        for part in re.split(r"(?=^(?:Definition|End) )", section, flags=re.MULTILINE):
            parts.append(part)
            found = re.match(r"Definition (\S+) : (?:forall \(([^:]*) : U\))?", part)
            if found is None:
                continue
            kinds = {**symbols, **dict.fromkeys((found[2] or "").split(), "U")}
            for mutant in mutants(part.partition(" : ")[2], kinds, each, random):
                count += 1
                parts.append(f"Fail Definition mutant_{count} : {mutant}")
    return "".join(parts), count
