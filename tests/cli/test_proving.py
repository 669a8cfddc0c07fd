"""prove and check on equations, as a person uses them."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands import threesil
from provers.fakes import PROOF
from provers.fakes import stub as stub_of
from run_samples import describe
from samples import untrained, written
from threesil.cli.answers import Printer
from threesil.errors import MissingTool
from threesil.kernel.outcome import SZS, Outcome
from threesil.notations.document import Origin
from threesil.notations.infix import format_equation
from threesil.provers.prove import Answer
from threesil.provers.registry import find
from threesil.search.prover import Prover
from threesil.theories import get_theory
from threesil.theories.aim import AIM

BOOLEAN = get_theory("boolean")
EXAMPLE = r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)"


def test_a_proof_is_shown() -> None:
    done = threesil("prove", EXAMPLE)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == f"% SZS status Theorem for {EXAMPLE}"
    assert lines[-1].strip() == EXAMPLE.split(" = ")[1]
    assert any(line.startswith("  = by TT ") for line in lines)
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
        (["--expansions", "200"], "GaveUp", "a larger --expansions may help"),
        (["--seconds", "0.05"], "Timeout", "a larger --seconds may help"),
    ],
)
def test_a_false_equation_is_exit_code_1(budget: list[str], status: str, advice: str) -> None:
    done = threesil("prove", "x * y = y * x", "--no-refute", "--with", "none", *budget)
    assert done.returncode == 1
    assert done.stdout.startswith(f"% SZS status {status} for x * y = y * x\n% no proof")
    assert re.search(
        r"[0-9]+ expansions in [0-9.]+ s(?: \([0-9.]+ s of CPU time\))?; ", done.stdout
    )
    assert advice in done.stdout
    assert "% read as: for all x, y: x * y = y * x" in done.stdout
    assert "threesil train" not in done.stdout  # weights are bundled


def test_without_weights_the_command_that_trains_some_is_named(tmp_path: Path) -> None:
    file = tmp_path / "my own.thy"
    file.write_text("Axiom c: x * y = y * x.\nTheorem t: (x * y) * z = x * (y * z).\n")
    budget = ("--expansions", "50", "--no-refute")
    done = threesil("prove", str(file), *budget)
    assert "% no weights of this theory were used" in done.stdout
    assert f"threesil train '{file}' --minutes 10" in done.stdout
    done = threesil("prove", str(file), "--solver", "plain", *budget)  # which never uses one
    assert "threesil train" not in done.stdout
    other = tmp_path / "other.p"
    other.write_text("cnf(a, axiom, f(X,Y) = f(Y,X)).\ncnf(g, axiom, f(f(a,b),c) != f(a,f(b,c))).")
    done = threesil("prove", str(file), str(other), *budget)
    for path in (f"'{file}'", other):
        assert f"threesil train {path} --minutes 10" in done.stdout


def test_a_file_that_could_not_be_written_is_refused_before_any_search(tmp_path: Path) -> None:
    for where, what in (("no/Proof.lean", "mkdir -p "), ("", "this is a directory")):
        done = threesil("prove", "x * y = y * x", "--seconds", "100000", "--out", tmp_path / where)
        assert (done.returncode, done.stdout) == (2, "")
        assert what in done.stderr
    assert not list(tmp_path.iterdir())
    done = threesil("prove", str(tmp_path))
    assert done.returncode == 2 and "this is a directory, and a file was expected" in done.stderr


def test_the_command_that_trains_names_no_theory_that_it_could_not_find(tmp_path: Path) -> None:
    file = tmp_path / "own.thy"
    file.write_text("Theory own: Own.\nAxiom c: x * y = y * x.\n")
    done = threesil("prove", "x * y = y * x", "--theory", str(file), "--solver", "guided")
    assert done.returncode == 2
    assert "threesil train FILE" in done.stderr and "train own" not in done.stderr
    done = threesil("prove", "x * e = x", "--theory", "groups", "--solver", "guided")
    assert "threesil train groups --out runs/mine, then" in done.stderr


def shown(outcome: Outcome, capsys: pytest.CaptureFixture[str], **more: Any) -> list[str]:
    """The lines of an answer, but for those of its proof."""
    theory = get_theory("groups")
    printer = Printer(False, "", (), None, False, {id(theory): "groups"}, {id(theory): Origin()})
    printer.show(Answer(theory, replace(outcome, parts=(outcome,)), **more))
    return capsys.readouterr().out.splitlines()


def test_a_proof_without_weights_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Prover("groups").prove("x * i(x) = e", seconds=10)
    quick = replace(outcome, seconds=0.002, cpu_seconds=0.002)
    _, line = shown(quick, capsys, untrained=True)
    words = "found by best in 0.002 s, without weights of this theory"
    assert line.startswith("% ") and line.endswith(words)
    _, line = shown(quick, capsys)
    assert line.endswith("found by best in 0.002 s")
    slow = replace(outcome, seconds=1.5, cpu_seconds=1.4)
    _, line, advice, command = shown(slow, capsys, untrained=True)
    assert line.endswith("in 1.500 s, without weights of this theory")
    assert advice == "% to train some:"
    assert command.startswith("%   threesil train groups --minutes 10 --out runs/mine, then add")
    assert len(shown(slow, capsys)) == 2


def test_where_others_keep_the_machine_busy_cpu_time_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is what the limit is about."""
    outcome = Prover("groups").prove("x * i(x) = e", seconds=10)
    _, line = shown(replace(outcome, seconds=68.4, cpu_seconds=36.7), capsys)
    assert line.endswith("found by best in 68.400 s (36.700 s of CPU time)")
    gone = replace(outcome, proof=None, status=SZS.TIMEOUT, seconds=9.0, cpu_seconds=5.0)
    assert " expansions in 9.000 s (5.000 s of CPU time); a larger" in shown(gone, capsys)[1]


@pytest.mark.parametrize(
    ("theory", "term", "end"),
    [("robinson", "2 * S(1 + 0)", "4"), ("polynomial", "x * (y + 1)", "(x * y) + x")],
)
def test_a_term_is_brought_to_what_it_is_to_become(theory: str, term: str, end: str) -> None:
    done = threesil("prove", term, "--theory", theory)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"% SZS status Theorem for {term}\n")
    assert done.stdout.splitlines()[-1].strip() == end


def test_a_single_problem_shows_progress_on_a_terminal(tmp_path: Path) -> None:
    """After a second. No finite model refutes this goal, and completion does not end."""
    axioms = [
        f"Axiom {e.name}: {format_equation(e, BOOLEAN.signature)}." for e in BOOLEAN.equations
    ]
    written(tmp_path, "Constants 0, 1.", *axioms, "Axiom inverse: p(s(x)) = x.")
    command = [sys.executable, "-m", "threesil", "prove", "s(p(x)) * y = x * y"]
    command += ["--theory", str(tmp_path / "mine.thy"), "--seconds", "2", "--with", "none"]
    shown, slave = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, text=True) as process:
        os.close(slave)
        text = b""
        while True:
            try:
                text += os.read(shown, 4096)
            except OSError:  # the other end is closed
                break
        os.close(shown)
        assert process.stdout is not None
        assert "expansions in" in process.stdout.read()
    assert re.search(rb"[a-z]: [0-9,]+ expansions", text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x * y"], "expected '='"),
        (["missing.tsv"], "missing.tsv: there is no such file"),
        (["below/missing"], "there is no such file"),
        (["x + y = y"], "expected * or \\ or / or =, found '+'"),
        (["x * (y = x"], "never closed"),
        (["T(x) = x"], "T needs 2 arguments"),
        (["f(x) = x"], "unknown function f"),
        (
            ["1 + 1", "--theory", "robinson", "--solver", "best"],
            "is for goals of the kind equation",
        ),
        (["(x + y) ^ 99", "--theory", "polynomial"], "too large to be expanded"),
        (["0 * (x ^ 99)", "--theory", "polynomial"], "too large to be expanded"),
        (["2 ^ x", "--theory", "polynomial"], "an exponent is not a number"),
        (["x = x", "--solver", "magic"], "unknown solver 'magic'"),
        (["x = x", "--format", "magic"], "unknown format 'magic'"),
        (["x = x", "--trust", "magic"], "--trust magic: expected prover9"),
        (["x = x", "--assume", "x"], "expected '='"),
        (["x = x", "--theory", "nothing"], "unknown theory"),
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


def test_what_is_too_large_is_given_up() -> None:
    done = threesil("prove", " * ".join("x" * 5000) + " = x", "--with", "none")
    assert done.returncode == 1
    assert "% no proof (the problem has 10000 nodes; at most 1000 can be searched)" in done.stdout


def test_results_are_printed_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "theorems.tsv"
    path.write_text("one\tx * T(y,x) = y * x\ntwo\tx * y = y * x\n")
    for options in ([], ["--json"]):
        command = [sys.executable, "-m", "threesil", "prove", str(path), "--with", "none"]
        command.append("--no-refute")
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


# Weights, seeds and other provers


def test_weights_and_a_seed_make_a_proof(weights: str) -> None:
    arguments = [
        "prove",
        EXAMPLE,
        "--solver",
        "guided",
        "--weights",
        weights,
        "--expansions",
        "3000",
    ]
    runs = [json.loads(threesil(*arguments, "--seed", s, "--json").stdout) for s in ("7", "7")]
    for row in runs:
        assert (row["status"], row["by"], row["certified"]) == ("Theorem", "guided", True)
        del row["seconds"], row["cpu_seconds"]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("command", ["prove", "lemmas"])
def test_weights_of_another_theory_are_exit_code_2(command: str, tmp_path: Path) -> None:
    theory = written(tmp_path, "Theory groups: Groups.", "Axiom one: f(x) = g(x).")
    path = tmp_path / "other.safetensors"
    untrained(theory).save(path)
    done = threesil(command, "e * x = x", "--weights", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "weights of groups, made for other equations or actions than aim's" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_says_which_theory_a_typed_equation_is_about(tmp_path: Path) -> None:
    theory = written(tmp_path, "Axiom one: f(f(x)) = x.", name="mine")
    run = tmp_path / "run"
    (run / "theory").mkdir(parents=True)
    shutil.copy(tmp_path / "mine.thy", run / "theory")
    describe(run, source="theory/mine.thy")
    untrained(theory).save(run / "model.safetensors")
    done = threesil("prove", "f(f(f(x))) = f(x)", "--weights", str(run))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("% SZS status Theorem")


def test_our_search_alone(weights: str) -> None:
    """With none, no other prover is asked, whatever is installed."""
    rest = ["--weights", weights, "--seconds", "0.2", "--with", "none", "--no-refute"]
    arguments = ["prove", "x * y = y * x", *rest]
    done = threesil(*arguments)
    assert done.returncode == 1
    assert done.stdout.startswith("% SZS status Timeout for x * y = y * x\n% no proof, ")
    assert len(done.stdout.splitlines()) == 3
    row = json.loads(threesil(*arguments, "--json").stdout)
    assert (row["status"], row["certified"]) == ("Timeout", False)
    assert "provers" not in row


def stub(directory: Path, script: str) -> str:
    """A program that behaves like Prover9."""
    return str(stub_of(directory, script).path)


def test_what_another_prover_says_is_a_claim(weights: str, tmp_path: Path) -> None:
    """Its words are shown, and said to be its own; only --trust takes them for a proof."""
    program = stub(tmp_path, f"cat <<'END'\n{PROOF}\nEND")
    arguments = ["prove", "x * y = y * x", "--weights", weights, "--expansions", "20"]
    arguments += ["--seconds", "8", "--with", "prover9"]
    done = threesil(*arguments, THREESIL_PROVER9=program)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "% SZS status Unknown for x * y = y * x"
    assert re.match(r"% prover9 says Theorem after .*: a claim; --trust prover9", lines[1])
    assert lines[2].startswith("% its proof could not be certified: ")
    assert "1 $F." in done.stdout
    done = threesil(*arguments, "--json", THREESIL_PROVER9=program)
    assert done.returncode == 1
    row = json.loads(done.stdout)
    assert (row["status"], row["by"], row["certified"]) == ("Theorem", "prover9", False)
    assert (row["claim"], row["trusted"]) == (True, False)
    assert "1 $F." in row["words"]
    assert "proof" not in row
    assert row["provers"]["prover9"]["status"] == "Theorem"
    done = threesil(*arguments, "--trust", "prover9", THREESIL_PROVER9=program)
    assert done.returncode == 0
    assert done.stdout.startswith("% SZS status Theorem for x * y = y * x\n% prover9 says Theorem")
    assert ": trusted" in done.stdout


def test_a_word_without_a_proof_is_nothing(weights: str, tmp_path: Path) -> None:
    program = stub(tmp_path, "echo '% SZS status Theorem'")
    arguments = ["prove", "x * y = y * x", "--weights", weights, "--expansions", "20"]
    arguments += ["--seconds", "8", "--with", "e", "--trust", "e"]
    done = threesil(*arguments, THREESIL_E=program)
    assert done.returncode == 1
    assert done.stdout.startswith("% SZS status GaveUp for x * y = y * x")
    assert "it says Theorem, but printed no proof" in done.stdout


def test_a_prover_that_crashes_is_named(weights: str, tmp_path: Path) -> None:
    program = stub(tmp_path, "echo something is wrong; exit 9")
    arguments = [
        "prove",
        "x * y = y * x",
        "--weights",
        weights,
        "--expansions",
        "20",
        "--seconds",
        "8",
    ]
    done = threesil(*arguments, "--with", "prover9", THREESIL_PROVER9=program)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "% SZS status GaveUp for x * y = y * x"
    assert lines[3].startswith("% prover9: Error after ")
    assert lines[3].endswith("exit code 9: something is wrong")


def test_prover9_and_e_go_on(weights: str) -> None:
    """Our search may expand two terms; the others have their time."""
    try:
        find("prover9"), find("e")
    except MissingTool as error:
        pytest.skip(str(error))
    arguments = ["prove", EXAMPLE, "--solver", "guided", "--weights", weights, "--expansions", "2"]
    done = threesil(*arguments, "--with", "prover9,e", "--seconds", "20", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    row = json.loads(done.stdout)
    assert (row["status"], row["certified"]) == ("Theorem", True)
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


# Files with equations of their own

GROUPS = """cnf(unit, axiom, mul(e,X) = X).
cnf(inverse, axiom, mul(i(X),X) = e).
cnf(assoc, axiom, mul(mul(X,Y),Z) = mul(X,mul(Y,Z))).
"""
RIGHT = "cnf(goal, negated_conjecture, mul(a,i(a)) != e)."


def test_a_file_is_proved_in_its_own_equations(tmp_path: Path) -> None:
    path = tmp_path / "mine.p"
    path.write_text(GROUPS + RIGHT)
    done = threesil("prove", str(path), "--with", "none", "--json")
    assert done.returncode == 0, done.stdout
    row = json.loads(done.stdout)
    assert (row["name"], row["certified"], row["proof"]["theory"]) == ("mine", True, "mine")
    saved = tmp_path / "proof.json"
    saved.write_text(done.stdout)
    assert threesil("check", str(saved), "--theory", str(path)).returncode == 0
    assert "as the file says" in threesil("check", str(saved)).stdout
    done = threesil("prove", str(path), "--theory", "aim")
    assert done.returncode == 2
    assert "this file has its own equations" in done.stderr


def test_a_goal_that_does_not_follow_is_no_theorem(tmp_path: Path) -> None:
    path = tmp_path / "assumptions.in"
    path.write_text(
        "formulas(assumptions).\nx * e = x.\nend_of_list.\n"
        "formulas(goals).\nx * y = y * x.\nend_of_list.\n"
    )
    done = threesil("prove", str(path), "--with", "none", "--seconds", "1")
    assert done.returncode == 1
    assert "status Theorem" not in done.stdout


def test_existential_goals_name_their_witnesses(tmp_path: Path) -> None:
    path = tmp_path / "exists.p"
    path.write_text(GROUPS + "cnf(goal, negated_conjecture, mul(a,X) != b).")
    done = threesil("prove", str(path), "--with", "none")
    assert done.returncode == 0
    assert "there is X" in done.stdout or "exists X" in done.stdout
    assert threesil("prove", str(path), "--format", "rocq", "--with", "none").returncode == 0


def test_standard_input_several_targets_and_assumptions(tmp_path: Path) -> None:
    done = threesil("prove", "-", "e * x = x", "--with", "none", given="x / e = x\n")
    assert done.returncode == 0
    assert done.stdout.count("% SZS status Theorem") == 2
    done = threesil("prove", "-", "--with", "none", given=GROUPS + RIGHT)
    assert done.returncode == 0, done.stderr
    arguments = ["prove", "x * y = y * x", "--with", "none", "--assume", "K(x,y) = e"]
    done = threesil(*arguments)
    assert done.returncode == 0, done.stdout
    assert "assumption 1" in done.stdout


@pytest.mark.parametrize(
    ("form", "ending"),
    [
        *(("latex", ".tex"), ("json", ".json"), ("tstp", ".tstp")),
        *(("lean", ".lean"), ("rocq", ".v"), ("prover9", ".in")),
    ],
)
def test_a_proof_in_another_notation(form: str, ending: str, tmp_path: Path) -> None:
    """It is named, or the file's name says it."""
    out, named = tmp_path / "proof", tmp_path / f"named{ending}"
    done = threesil("prove", EXAMPLE, "--format", form, "--out", str(out))
    assert done.returncode == 0
    assert "rewrites, found by" in done.stdout
    assert len(out.read_text()) > 200
    assert threesil("prove", EXAMPLE, "--out", str(named)).returncode == 0
    assert named.read_text() == out.read_text()
    shown = threesil("prove", EXAMPLE, "--format", form)
    assert out.read_text() in shown.stdout


def test_what_prover9_can_not_be_given_is_said() -> None:
    refuted = threesil("prove", "x = y", "--theory", "groups", "--format", "prover9")
    assert refuted.returncode == 1 and "% a model with 2 elements" in refuted.stdout
    value = threesil("prove", "1 + 1", "--theory", "robinson", "--format", "prover9")
    assert value.returncode == 2 and "this is a normal form" in value.stderr


def test_one_problem_a_file_goes_to_prover9(tmp_path: Path) -> None:
    equations, out = ["x * e = x", "x * i(x) = e"], tmp_path / "two.in"
    done = threesil("prove", *equations, "--theory", "groups", "--out", str(out))
    assert done.returncode == 2 and "one problem a file, and these are 2" in done.stderr


def test_a_proof_from_the_axioms_alone() -> None:
    done = threesil("prove", EXAMPLE, "--from-axioms", "--shorten", "0.5", "--json")
    row = json.loads(done.stdout)
    assert row["certified"]
    known = {equation.name for equation in AIM.lemmas}
    assert known.isdisjoint(axiom["name"] for axiom in row["proof"]["axioms"])
