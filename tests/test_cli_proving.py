"""prove, check and evaluate on equations, as a person uses them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.formats.proof_json import proof_from_json, proof_to_json
from threesil.proof import certify
from threesil.search.evaluation import Setting, evaluate_equations, shares
from threesil.search.prover import prove
from threesil.theories import AIM
from threesil.theory import Problem

EXAMPLE = r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)"


def threesil(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "threesil", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_proof_is_shown() -> None:
    done = threesil("prove", EXAMPLE)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == f"% SZS status Theorem for {EXAMPLE}"
    assert lines[-1].strip() == EXAMPLE.split(" = ")[1]
    assert any(line.startswith("  = by TT ->") for line in lines)


def test_a_false_equation_is_exit_code_1() -> None:
    done = threesil("prove", "x * y = y * x", "--steps", "200")
    assert done.returncode == 1
    assert "% SZS status GaveUp" in done.stdout
    assert "expansions" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x * y"], "expected '='"),
        (["x * (y = x"], "never closed"),
        (["T(x) = x"], "T needs 2 arguments"),
        (["f(x) = x"], "unknown function f"),
        (["1 + 1 = 2", "--theory", "robinson"], "no equations to prove"),
        (["x = x", "--mode", "magic"], "unknown mode"),
        (["x = x", "--theory", "nothing"], "unknown theory"),
        ([" * ".join("x" * 1200) + " = x"], "nodes; at most"),
    ],
)
def test_bad_input_is_exit_code_2(arguments: list[str], message: str) -> None:
    done = threesil("prove", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_of_problems_as_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "theorems.tsv"
    path.write_text(f"one\tx * T(y,x) = y * x\ntwo\t{EXAMPLE}\n")
    done = threesil("prove", str(path), "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["name"] for row in rows] == ["one", "two"]
    assert all(row["status"] == "Theorem" and row["rewrites"] >= 1 for row in rows)
    proof = tmp_path / "one.json"
    proof.write_text(json.dumps(rows[0]["proof"]))
    assert threesil("check", str(proof)).returncode == 0
    rows[0]["proof"]["steps"][0]["equation"] = "b1"
    proof.write_text(json.dumps(rows[0]["proof"]))
    done = threesil("check", str(proof))
    assert done.returncode == 1
    assert "refused: step 1" in done.stdout


def test_proofs_survive_json() -> None:
    proof = prove(EXAMPLE).proof
    assert proof is not None
    value = json.loads(json.dumps(proof_to_json(proof)))
    problem, derivation = proof_from_json(value, AIM, "test")
    assert certify(AIM, problem, derivation).derivation == proof.derivation


@pytest.mark.parametrize(
    "change", [{"steps": 3}, {"start": 4}, {"start": "x * ("}, {"steps": [{}]}, {"steps": ["x"]}]
)
def test_a_bad_proof_file_is_an_input_error(change: dict[str, object]) -> None:
    proof = prove("x * T(y,x) = y * x").proof
    assert proof is not None
    with pytest.raises(InputError):
        proof_from_json({**proof_to_json(proof), **change}, AIM, "test")


def test_an_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    problems = [
        Problem(f"p{k}", p.start, p.target)
        for k, p in enumerate(
            prove(text).problem for text in ("x * T(y,x) = y * x", "e * x = x", "x / e = x")
        )
    ]
    out, proofs = tmp_path / "r.jsonl", tmp_path / "proofs"
    setting = Setting(expansions=500, workers=2)
    rows = list(evaluate_equations(AIM, problems, setting, out, proofs))
    assert [row["name"] for row in rows] == ["p0", "p1", "p2"]
    assert shares(rows)[60.0] == 1.0
    assert sorted(p.name for p in proofs.iterdir()) == ["p0.json", "p1.json", "p2.json"]
    lines = out.read_text().splitlines()
    out.write_text("\n".join([*lines[:2], lines[2][:10]]))  # cut off in the third line
    again = list(evaluate_equations(AIM, problems, setting, out))
    assert again[:2] == rows[:2]
    assert len(out.read_text().splitlines()) == 3


def test_evaluate_equations_ends_with_a_table(tmp_path: Path) -> None:
    path = tmp_path / "theorems.tsv"
    path.write_text("one\tx * T(y,x) = y * x\ntwo\tx * y = y * x\n")
    out = tmp_path / "r.jsonl"
    arguments = ["--theory", "aim", "--seconds", "0.3", "--workers", "2", "--out", str(out)]
    done = threesil("evaluate", str(path), *arguments)
    assert done.returncode == 0
    assert "1 of 2 proved" in done.stdout
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {"name", "status", "seconds", "cpu_seconds", "expansions", "rewrites"} == set(rows[0])
