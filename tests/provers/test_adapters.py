"""The adapters on programs that behave like the provers: what is asked, what is understood."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import pytest

from samples import AIM, ROBINSON, equation
from threesil.provers import ExternalProver, Task, find
from threesil.terms import app
from threesil.theory import Equation, Problem

TASK = Task(AIM, equation("x * T(y,x) = y * x"))
NAMES = ("prover9", "prover9-default", "e", "e-auto", "vampire", "twee", "waldmeister")
PROOFS = {
    "prover9": "== PROOF ==\n1 $F.\n== end of proof ==\n\nProcess 1 exit (max_proofs) now",
    "e": "# SZS status Unsatisfiable\n"
    "# SZS output start CNFRefutation\n1 $F.\n# SZS output end CNFRefutation",
    "vampire": "% SZS status Unsatisfiable for problem\n"
    "% SZS output start Proof for problem\n1 $F.\n% SZS output end Proof for problem",
    "twee": "The conjecture is true! Here is a proof.\n\n1 $F.\n\n"
    "RESULT: Unsatisfiable (the axioms are contradictory).",
    "waldmeister": "#START OF PROOF\n1 $F.\n#END OF PROOF\n\nWaldmeister states: Goal proved.",
}
each_name = pytest.mark.parametrize("name", NAMES)


def stub(tmp_path: Path, name: str, script: str) -> ExternalProver:
    """The prover of that name, its program a script that notes how it was called."""
    note = 'echo "$@" > "$(dirname "$0")/arguments"; for f; do last=$f; done; '
    note += 'for f in problem.*; do cp "$f" "$(dirname "$0")/input"; done\n'
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{note}{script}\n")
    program.chmod(0o755)
    return find(name, program)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go, to see that none is left."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("prover9", "-t 2 -f problem.in"),
        ("prover9-default", "-t 2 -f problem.in"),
        ("e-auto", "--auto-schedule --proof-object -s --cpu-limit=3 --memory-limit=500 problem.p"),
        ("vampire", "--mode casc --cores 1 -t 2 -m 500 -p tptp problem.p"),
        ("twee", "--quiet problem.p"),
        ("waldmeister", "--noproof --auto problem.wm --expert -tl 2"),
    ],
)
def test_how_it_is_called(tmp_path: Path, name: str, arguments: str) -> None:
    prover = stub(tmp_path, name, "exit 1")
    verdict = prover.run(TASK, 1.5, 500, wall=30)
    assert (tmp_path / "arguments").read_text().strip() == arguments
    assert " ".join(verdict.command) == f"{prover.path} {arguments}"


def test_the_variants_of_prover9(tmp_path: Path) -> None:
    stub(tmp_path, "prover9", "exit 1").run(TASK, 2, 500)
    assert "assign(order,kbo).\n" in (tmp_path / "input").read_text()
    stub(tmp_path, "prover9-default", "exit 1").run(TASK, 2, 500)
    text = (tmp_path / "input").read_text()
    assert "order" not in text
    assert "assign(max_seconds, 2).\nassign(max_megs, 500).\n" in text


@each_name
def test_a_proof(tmp_path: Path, name: str, temporary: Path) -> None:
    prover = stub(tmp_path, name, f"cat <<'END'\n{PROOFS[name.partition('-')[0]]}\nEND")
    verdict = prover.run(TASK, 20)
    assert (verdict.prover, verdict.status, verdict.proof) == (name, "Theorem", "1 $F.")
    assert verdict.proved
    assert not list(temporary.iterdir())


@each_name
def test_no_time(tmp_path: Path, name: str) -> None:
    verdict = stub(tmp_path, name, "echo thinking; sleep 100").run(TASK, 20, wall=0.3)
    assert (verdict.status, verdict.proof) == ("Timeout", None)
    assert verdict.output == "thinking\n"


@each_name
@pytest.mark.parametrize("script", ["echo oops; kill -SEGV $$", "echo oops; exit 5", "exit 0"])
def test_a_crash(tmp_path: Path, name: str, script: str) -> None:
    verdict = stub(tmp_path, name, script).run(TASK, 20)
    assert (verdict.status, verdict.proof) == ("Error", None)
    assert ("oops" in verdict.reason) == ("oops" in script)


@each_name
def test_nonsense(tmp_path: Path, name: str) -> None:
    verdict = stub(tmp_path, name, "head -c 100000 /dev/urandom").run(TASK, 20)
    assert verdict.status == "Error"


@each_name
def test_out_of_memory(tmp_path: Path, name: str) -> None:
    verdict = stub(tmp_path, name, "echo 'terminate: std::bad_alloc'; exit 134").run(TASK, 20)
    assert verdict.status == "ResourceOut"


@each_name
def test_a_flood_of_output(tmp_path: Path, name: str) -> None:
    """What comes at the end counts, whatever came before."""
    proof = PROOFS[name.partition("-")[0]]
    script = f"yes thinking | head -c 20000000\ncat <<'END'\n\n{proof}\nEND"
    verdict = stub(tmp_path, name, script).run(TASK, 60)
    assert (verdict.status, verdict.proof) == ("Theorem", "1 $F.")
    assert len(verdict.output) < 70_000


def test_stopping(tmp_path: Path, temporary: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    verdict = stub(tmp_path, "twee", "trap '' TERM; sleep 100 & wait").run(TASK, 60, stop=stop)
    assert verdict.status == "User"
    assert not list(temporary.iterdir())


def test_names_can_not_forge_a_proof(tmp_path: Path) -> None:
    """A prover that prints its input back says nothing with it."""
    forged = "goal\nTHEOREM PROVED\n% SZS status Theorem\nWaldmeister states: Goal proved."
    lemma = equation("x * x = x")
    assert lemma.target is not None
    problem = Problem(forged, lemma.start, lemma.target)
    task = Task(AIM, problem, lemmas=(Equation(forged, lemma.start, lemma.target),))
    for name in NAMES:
        verdict = stub(tmp_path, name, "cat problem.*").run(task, 20)
        assert verdict.status == "Error"


@each_name
def test_a_problem_without_an_equation(tmp_path: Path, name: str) -> None:
    task = Task(ROBINSON, Problem("p", app("0")))
    verdict = stub(tmp_path, name, "exit 0").run(task, 20)
    assert verdict.status == "InputError"
    assert "no equation" in verdict.reason


@pytest.mark.parametrize(
    ("name", "output", "status"),
    [
        ("prover9", "Process 5 exit (sos_empty) now", "GaveUp"),
        ("prover9", "------ process 5 exit (max_megs) ------", "ResourceOut"),
        ("prover9", "------ process 5 exit (max_given) ------", "GaveUp"),
        ("e", "# SZS status Satisfiable", "CounterSatisfiable"),
        ("e", "# SZS status GaveUp", "GaveUp"),
        (
            "e",
            "# Failure: Resource limit exceeded (memory)\n# SZS status ResourceOut",
            "ResourceOut",
        ),
        ("vampire", "% SZS status Satisfiable for problem", "CounterSatisfiable"),
        ("vampire", "% SZS status GaveUp for problem", "GaveUp"),
        ("vampire", "% SZS status MemoryOut for problem", "ResourceOut"),
        ("vampire", "% Time limit reached!\n% Termination reason: Memory limit", "ResourceOut"),
        ("twee", "RESULT: Satisfiable (the axioms are consistent).", "CounterSatisfiable"),
        ("twee", "RESULT: GaveUp (couldn't solve the problem).", "GaveUp"),
        ("waldmeister", "Waldmeister hates SIGXCPU", "Timeout"),
        ("waldmeister", "Waldmeister states: System completed.", "CounterSatisfiable"),
        ("waldmeister", "Waldmeister states: Out of memory.", "ResourceOut"),
        ("waldmeister", "#END OF PROOF", "Error"),
    ],
)
def test_other_endings(tmp_path: Path, name: str, output: str, status: str) -> None:
    verdict = stub(tmp_path, name, f"cat <<'END'\n{output}\nEND").run(TASK, 20)
    assert verdict.status == status


@pytest.mark.parametrize(
    ("name", "printed", "version"),
    [
        ("prover9", "Prover9 (64) version 2009-11A, November 2009.", "2009-11A"),
        ("e", "E 2.6 Floral Guranse (8e8bfa2a)", "2.6"),
        ("vampire", "Vampire 5.1.0 (Release build, commit )", "5.1.0"),
        ("twee", "Twee version 2.6.2", "2.6.2"),
        ("waldmeister", "nothing of the kind", "unknown"),
    ],
)
def test_versions(tmp_path: Path, name: str, printed: str, version: str) -> None:
    assert stub(tmp_path, name, f"echo '{printed}'").version() == version
