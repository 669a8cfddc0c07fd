"""shorten, as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Run
from proof_samples import GROUPS_FILE, left_inverses, walk
from threesil.kernel.lemmas import length
from threesil.kernel.proof import Proof
from threesil.notations.proof_json import proof_to_json
from threesil.notations.reading.certificates import read_proofs
from threesil.theories import get_theory
from threesil.theories.aim import AIM


@pytest.fixture
def proofs(tmp_path: Path) -> tuple[Path, list[Proof]]:
    made = [walk(30, 1), walk(20, 2)]
    file = tmp_path / "proofs.jsonl"
    file.write_text("".join(json.dumps(proof_to_json(one)) + "\n" for one in made))
    return file, made


def test_shorter_proofs_are_written(
    proofs: tuple[Path, list[Proof]], threesil: Run, tmp_path: Path
) -> None:
    file, given = proofs
    out = tmp_path / "shorter.jsonl"
    assert threesil("shorten", file, "--seconds", 0.5, "--out", out).code == 0
    made = [stored.certified(AIM) for stored in read_proofs(out)]
    assert [one.problem.name for one in made] == [one.problem.name for one in given]
    assert all(length(a) < length(b) for a, b in zip(made, given, strict=True))


def test_they_go_to_standard_output_without_a_file(
    proofs: tuple[Path, list[Proof]],
    threesil: Run,
) -> None:
    code, out, err = threesil("shorten", proofs[0], "--seconds", 0.1)
    assert code == 0
    assert [json.loads(line)["problem"] for line in out.splitlines()] == ["walk 30 1", "walk 20 2"]
    assert '"walk 30 1": 30 rewrites ->' in err


def test_the_theory_of_the_user_and_lemmas(threesil: Run, tmp_path: Path) -> None:
    theory, file = tmp_path / "groups.thy", tmp_path / "proof.json"
    theory.write_text(GROUPS_FILE)
    value = proof_to_json(left_inverses())
    file.write_text(json.dumps(value | {"digest": get_theory(theory).digest}))
    done = threesil("shorten", file, "--theory", theory, "--seconds", 0.2)
    made = json.loads(done.out)
    assert done.code == 0
    assert made["lemmas"] == [] and made["problem"] == "right inverse"


def test_what_is_no_proof_is_refused(
    proofs: tuple[Path, list[Proof]],
    threesil: Run,
    tmp_path: Path,
) -> None:
    bad, out = tmp_path / "bad.json", tmp_path / "out.jsonl"
    value = proof_to_json(walk(10, 1))
    value["steps"][0]["equation"] = "lid" if value["steps"][0]["equation"] != "lid" else "rid"
    bad.write_text(json.dumps(value))
    done = threesil("shorten", proofs[0], bad, "--out", out)
    assert done.code == 2 and "refused: step 1" in done.err
    assert not out.exists()
    assert threesil("shorten", tmp_path / "nowhere.json").code == 2
