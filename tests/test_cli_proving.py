"""prove, check and evaluate on equations, as a person uses them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from samples import equation, untrained, written
from threesil.errors import MissingTool
from threesil.formats.infix import parse_equation
from threesil.problems import open_set
from threesil.provers import find
from threesil.search.evaluation import Setting, evaluate_equations, shares
from threesil.search.prover import prove
from threesil.theories import AIM
from threesil.theory import Problem

EXAMPLE = r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)"


def threesil(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "threesil", *arguments]
    settings = {**os.environ, "NO_COLOR": "", "FORCE_COLOR": "", **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=settings)


def test_a_proof_is_shown() -> None:
    done = threesil("prove", EXAMPLE)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == f"% SZS status Theorem for {EXAMPLE}"
    assert lines[-1].strip() == EXAMPLE.split(" = ")[1]
    assert any(line.startswith("  = by TT ->") for line in lines)
    assert "\x1b" not in done.stdout


def test_colour_is_for_terminals_that_want_it() -> None:
    coloured = threesil("prove", EXAMPLE, FORCE_COLOR="1", TERM="xterm")
    assert coloured.returncode == 0
    assert "\x1b[" in coloured.stdout
    assert "~" not in coloured.stdout
    assert coloured.stdout.startswith("% SZS status Theorem")
    plain = threesil("prove", EXAMPLE, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm")
    assert "\x1b" not in plain.stdout
    assert "~~~" in plain.stdout


@pytest.mark.parametrize(
    ("budget", "status", "advice"),
    [
        (["--steps", "200"], "GaveUp", "a larger --steps goes on"),
        (["--seconds", "0.05"], "Timeout", "a larger --seconds goes on"),
    ],
)
def test_a_false_equation_is_exit_code_1(budget: list[str], status: str, advice: str) -> None:
    done = threesil("prove", "x * y = y * x", "--with", "none", *budget)
    assert done.returncode == 1
    assert done.stdout.startswith(f"% SZS status {status} for x * y = y * x\n% no proof, ")
    assert re.search(r"[0-9]+ expansions in [0-9.]+ s; ", done.stdout)
    assert advice in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x * y"], "expected '='"),
        (["missing.tsv"], "no file of this name either"),
        (["x + y = y"], "expected * or \\ or / or =, found '+'"),
        (["x * (y = x"], "never closed"),
        (["T(x) = x"], "T needs 2 arguments"),
        (["f(x) = x"], "unknown function f"),
        (["1 + 1 = 2", "--theory", "robinson"], "no equations to prove"),
        (["x = x", "--mode", "magic"], "unknown mode"),
        (["x = x", "--theory", "nothing"], "unknown theory"),
        ([" * ".join("x" * 5000) + " = x"], "10000 nodes; at most 1000 can be searched"),
    ],
)
def test_bad_input_is_exit_code_2(arguments: list[str], message: str) -> None:
    done = threesil("prove", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_line_is_named_before_anything_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "theorems.tsv"
    path.write_text("one\tx * T(y,x) = y * x\ntwo\tT(x) = x\n")
    done = threesil("prove", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{path}:2:5: T needs 2 arguments, 1 given" in done.stderr
    path.write_text(f"one\tx * T(y,x) = y * x\ntwo\t{' * '.join('x' * 600)} = x\n")
    done = threesil("prove", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{path}:2: two has 1200 nodes; leave out what has more than 1000" in done.stderr


def test_results_are_printed_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "theorems.tsv"
    path.write_text("one\tx * T(y,x) = y * x\ntwo\tx * y = y * x\n")
    for options in ([], ["--json"]):
        command = [sys.executable, "-m", "threesil", "prove", str(path), "--with", "none"]
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            line = process.stdout.readline()  # comes while the second is still searched
            assert process.poll() is None
            process.kill()
        assert "Theorem" in line


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


def test_lemmas_are_proved_from_what_comes_before_them(tmp_path: Path) -> None:
    lemmas = open_set("aim-lemmas")
    some = lemmas.problems[:10]
    setting = Setting(expansions=500, workers=2)
    rows = list(evaluate_equations(lemmas.theory_of, some, setting, proofs=tmp_path))
    assert [row["status"] for row in rows] == ["Theorem"] * 10
    for problem in some:
        value = json.loads((tmp_path / f"{problem.name}.json").read_text())
        assert value["theory"] == f"aim:{problem.name}"
        assert value["steps"][0]["equation"] != problem.name
    assert threesil("check", *map(str, tmp_path.iterdir())).returncode == 0
    value["steps"] = [{**value["steps"][0], "equation": problem.name}]
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(value))
    done = threesil("check", str(forged))
    assert done.returncode == 1
    assert f"has no equation or lemma {problem.name}" in done.stdout


def test_evaluate_reports_each_lemma(tmp_path: Path) -> None:
    theory = tmp_path / "groups.thy"
    theory.write_text(
        "Constants e.\nAxiom unit: e * x = x.\nKnown two: e * (e * x) = x.\nKnown bad: x = e.\n"
    )
    arguments = ["--theory", str(theory), "--seconds", "0.1"]
    done = threesil("evaluate", "lemmas", *arguments)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["two", "Theorem"]
    assert lines[1].split()[0] == "bad"
    assert lines[-1].startswith("1 of 2 proved")
    assert threesil("evaluate", "groups-lemmas", *arguments).returncode == 0
    done = threesil("evaluate", "lemmas", *arguments, "--mode", "greedy")
    assert done.returncode == 2
    assert "no model of groups comes along; train one" in done.stderr


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


# Models, seeds and other provers


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of an untrained model."""
    path = tmp_path_factory.mktemp("model") / "aim.safetensors"
    untrained(AIM).save(path)
    return str(path)


def test_a_model_and_a_seed_make_a_proof(model: str) -> None:
    arguments = ["prove", EXAMPLE, "--mode", "guided", "--model", model, "--steps", "3000"]
    runs = [json.loads(threesil(*arguments, "--seed", s, "--json").stdout) for s in ("7", "7")]
    for row in runs:
        assert (row["status"], row["by"]) == ("Theorem", "model")
        del row["seconds"], row["cpu_seconds"]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("command", ["prove", "lemmas"])
def test_a_model_of_another_theory_is_exit_code_2(command: str, tmp_path: Path) -> None:
    theory = written(tmp_path, "Theory groups: Groups.", "Axiom one: f(x) = g(x).")
    path = tmp_path / "other.safetensors"
    untrained(theory).save(path)
    done = threesil(command, "e * x = x", "--model", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "a model of groups, made for other equations or actions than aim's" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_model_alone(model: str) -> None:
    """With none, no other prover is asked, whatever is installed."""
    arguments = ["prove", "x * y = y * x", "--model", model, "--seconds", "0.2", "--with", "none"]
    done = threesil(*arguments)
    assert done.returncode == 1
    assert done.stdout.startswith("% SZS status Timeout for x * y = y * x\n% no proof, ")
    assert len(done.stdout.splitlines()) == 2
    row = json.loads(threesil(*arguments, "--json").stdout)
    assert (row["status"], row["by"]) == ("Timeout", None)
    assert "provers" not in row


def stub(directory: Path, script: str) -> str:
    """A program that behaves like Prover9."""
    program = directory / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def test_another_prover_goes_on(model: str, tmp_path: Path) -> None:
    """Its proof is shown as it is, and said to be its own."""
    proof = "== PROOF ==\n1 $F.\n== end of proof ==\n\nProcess 1 exit (max_proofs) now"
    program = stub(tmp_path, f"cat <<'END'\n{proof}\nEND")
    arguments = ["prove", "x * y = y * x", "--model", model, "--steps", "20", "--seconds", "8"]
    done = threesil(*arguments, "--with", "prover9", THREESIL_PROVER9=program)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "% SZS status Theorem for x * y = y * x"
    assert re.match(r"% claimed by prover9 in .* lemmas of the model.*not certified here", lines[1])
    assert "1 $F." in done.stdout
    done = threesil(*arguments, "--with", "prover9", "--json", THREESIL_PROVER9=program)
    row = json.loads(done.stdout)
    assert (row["status"], row["by"]) == ("Theorem", "prover9")
    assert "1 $F." in row["prover_proof"]
    assert "proof" not in row
    assert row["provers"]["prover9"]["status"] == "Theorem"


def test_a_prover_that_crashes_is_named(model: str, tmp_path: Path) -> None:
    program = stub(tmp_path, "echo something is wrong; exit 9")
    arguments = ["prove", "x * y = y * x", "--model", model, "--steps", "20", "--seconds", "8"]
    done = threesil(*arguments, "--with", "prover9", THREESIL_PROVER9=program)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "% SZS status GaveUp for x * y = y * x"
    assert lines[2].startswith("% prover9: Error after ")
    assert lines[2].endswith("exit code 9: something is wrong")


def test_prover9_and_e_go_on(model: str) -> None:
    """The model may expand two terms; the others have their time."""
    try:
        find("prover9"), find("e")
    except MissingTool as error:
        pytest.skip(str(error))
    arguments = ["prove", EXAMPLE, "--mode", "guided", "--model", model, "--steps", "2"]
    done = threesil(*arguments, "--with", "prover9,e", "--seconds", "20", "--json")
    assert done.returncode == 1, done.stdout + done.stderr
    row = json.loads(done.stdout)
    assert row["status"] == "Theorem"
    assert row["by"] in ("prover9", "e")
    assert set(row["provers"]) == {"prover9", "e"}


def test_unknown_and_missing_provers() -> None:
    for names in ("nonsense", "e,nonsense"):
        done = threesil("prove", "e * x = x", "--with", names, THREESIL_E=sys.executable)
        assert (done.returncode, done.stdout) == (2, "")
        assert "unknown prover 'nonsense'; expected prover9" in done.stderr
    done = threesil("prove", "e * x = x", "--with", "vampire", THREESIL_VAMPIRE="nowhere/vampire")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Vampire: no program at nowhere/vampire" in done.stderr
    assert "Traceback" not in done.stderr


# Lemmas

GOAL = r"T(x / (y \ x),y) = y"


def lemmas(model: str, *more: str) -> str:
    done = threesil("lemmas", GOAL, "--model", model, "--steps", "150", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_lemmas_are_printed(model: str) -> None:
    lines = lemmas(model, "--count", "7").splitlines()
    assert len(lines) == 7
    goal = equation(GOAL)
    for line in lines:
        lhs, rhs = parse_equation(line, AIM.signature)
        assert lhs.size >= rhs.size
        assert {lhs, rhs} & {goal.start, goal.target}
    many = [lemmas(model, "--count", "100", "--seed", seed) for seed in ("0", "5")]
    assert many[0].splitlines()[:7] == lines
    assert many[0] != many[1]


def test_lemmas_in_the_languages_of_provers(model: str, tmp_path: Path) -> None:
    count = len(lemmas(model).splitlines())
    for form, mark in (("ladr", 'label("lemma_'), ("tptp", "cnf(lemma_")):
        few = lemmas(model, "--format", form).splitlines()
        assert len(few) == count
        assert all(mark in line for line in few)
        whole = lemmas(model, "--format", form, "--whole").splitlines()
        assert [line for line in whole if mark in line] == few
        path = tmp_path / f"whole.{form}"
        path.write_text("\n".join(whole))
        done = threesil("prove", str(path), "--model", model, "--steps", "2", "--json")
        assert json.loads(done.stdout)["name"] == "whole"


def test_prover9_accepts_the_lemmas(model: str, tmp_path: Path) -> None:
    try:
        prover = find("prover9")
    except MissingTool as error:
        pytest.skip(str(error))
    path = tmp_path / "problem.in"
    path.write_text(lemmas(model, "--format", "ladr", "--whole"))
    program = prover._executable(tmp_path)
    done = subprocess.run(
        [program, "-f", str(path)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert "THEOREM PROVED" in done.stdout
    assert "Fatal" not in done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([GOAL, "--format", "magic"], "unknown format 'magic'; expected text, ladr or tptp"),
        (["x * y"], "expected '='"),
        (["0 = 0", "--theory", "robinson"], "no equations to prove"),
    ],
)
def test_bad_input_for_lemmas(model: str, arguments: list[str], message: str) -> None:
    done = threesil("lemmas", *arguments, "--model", model)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_lemmas_need_a_model(tmp_path: Path) -> None:
    written(tmp_path, "Axiom one: f(x) = g(x).")
    done = threesil("lemmas", "f(x) = g(x)", "--theory", str(tmp_path / "mine.thy"))
    assert done.returncode == 2
    assert "no model of mine comes along; train one" in done.stderr


def test_lemmas_of_a_file_with_several_problems(model: str, tmp_path: Path) -> None:
    """One goal at a time."""
    path = tmp_path / "theorems.tsv"
    path.write_text("one\te * x = x\ntwo\tx * e = x\n")
    done = threesil("lemmas", str(path), "--model", model)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
