"""Proofs in TSTP: every step follows from its parents, as E finds too."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from proof_samples import GROUPS, existential, left_inverses, nasty, proof, trivial, varied
from threesil.kernel.proof import Proof
from threesil.notations.writing.tptp import write_tstp

EPROVER = shutil.which("eprover")
FORMULA = re.compile(
    r"fof\((?P<name>\w+), (?P<role>\w+), (?P<formula>.*),\s+"
    r"(?:file\(.*\)|inference\((?P<rule>\w+), \[status\(thm\)\], \[(?P<parents>.*)\]\))\)\.",
)


def test_the_whole_text() -> None:
    made = proof(
        GROUPS,
        "e * (e * x) = x",
        ("unit", "->", "", {"x": "e * x"}),
        ("unit", "->", "", {"x": "x"}),
        name="p 1",
    )
    assert write_tstp([made]).splitlines() == [
        '% SZS status Theorem for "p 1"',
        '% SZS output start Proof for "p 1"',
        "fof(unit, axiom, ! [X] : mul(e,X) = X, file(groups, unit)).",
        "fof(p_1_1, plain, ! [X] : mul(e,mul(e,X)) = mul(e,X),",
        "    inference(rewrite, [status(thm)], [unit])).",
        "fof(p_1, plain, ! [X] : mul(e,mul(e,X)) = X,",
        "    inference(rewrite, [status(thm)], [p_1_1, unit])).",
        '% SZS output end Proof for "p 1"',
    ]


def test_a_goal_with_witnesses_ends_with_its_instance() -> None:
    text = write_tstp(existential())
    assert "fof(band, plain, ! [Y] : ? [X] : mul(X,Y) = Y,\n    inference(instance," in text


@pytest.mark.parametrize("made", varied(), ids=lambda made: made.problem.name[:20])
def test_parents_stand_before_their_children(made: Proof) -> None:
    found = formulas(write_tstp([made]))
    seen: set[str] = set()
    for entry in found:
        assert entry["name"] not in seen
        assert set(parents(entry)) <= seen
        seen.add(entry["name"])


def formulas(text: str) -> list[re.Match[str]]:
    found = list(FORMULA.finditer(text))
    assert len(found) == text.count("fof(")
    return found


def parents(entry: re.Match[str]) -> list[str]:
    return [name for name in (entry["parents"] or "").split(", ") if name]


@pytest.mark.skipif(EPROVER is None, reason="eprover is not installed")
@pytest.mark.parametrize(
    "made",
    [left_inverses(), *existential()[:2], *nasty()[1:], trivial()[1]],
    ids=lambda made: made.problem.name,
)
def test_every_step_follows_from_its_parents(made: Proof, tmp_path: Path) -> None:
    found = {entry["name"]: entry for entry in formulas(write_tstp([made]))}
    for name, entry in found.items():
        if entry["rule"] is None:
            continue
        given = [f"fof({p}, axiom, {found[p]['formula']})." for p in parents(entry)]
        path = tmp_path / f"{name}.p"
        path.write_text("\n".join([*given, f"fof({name}, conjecture, {entry['formula']}).\n"]))
        command = [str(EPROVER), "--auto", "--cpu-limit=20", "-s", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "SZS status Theorem" in done.stdout, done.stdout + done.stderr
