"""The adapters on programs that behave like the provers: what is asked, what is understood."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import pytest

from samples import AIM, ROBINSON, equation
from threesil.errors import InputError
from threesil.kernel.outcome import SZS
from threesil.kernel.terms import app
from threesil.kernel.theory import Equation, Problem
from threesil.provers import base
from threesil.provers.base import ExternalProver, Task
from threesil.provers.registry import find

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


def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_WALL", 0.0)
    monkeypatch.setattr(base, "_WALL_AT_LEAST", 0.3)


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
    prover.run(TASK, 1.5, 500)
    assert (tmp_path / "arguments").read_text().strip() == arguments


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
    outcome = prover.run(TASK, 20)
    assert (outcome.by, outcome.status, outcome.words) == (name, SZS.THEOREM, "1 $F.")
    assert outcome.claimed and not outcome.proved
    assert not list(temporary.iterdir())


# Claims: what it says counts if it printed a proof and ended as it does after a success.


STATED = {
    "prover9": "Process 1 exit (max_proofs) now",
    "e": "% SZS status Theorem",
    "vampire": "% SZS status Theorem for problem",
    "twee": "RESULT: Theorem (the conjecture is true).",
    "waldmeister": "Waldmeister states: Goal proved.",
}
EMPTY = {
    name: text.replace("1 $F.\n\n", "").replace("1 $F.\n", "") for name, text in PROOFS.items()
}


@each_name
@pytest.mark.parametrize("outputs", [STATED, EMPTY], ids=["without", "empty"])
def test_a_theorem_without_a_proof(tmp_path: Path, name: str, outputs: dict[str, str]) -> None:
    output = outputs[name.partition("-")[0]]
    outcome = stub(tmp_path, name, f"cat <<'END'\n{output}\nEND").run(TASK, 20)
    assert (outcome.status, outcome.words) == (SZS.UNKNOWN, None)
    assert not outcome.claimed
    assert outcome.reason == "it says Theorem, but printed no proof"


@each_name
@pytest.mark.parametrize(
    ("ending", "how"), [("exit 3", "exit code 3"), ("kill -SEGV $$", "signal 11")]
)
def test_a_proof_and_then_a_crash(tmp_path: Path, name: str, ending: str, how: str) -> None:
    proof = PROOFS[name.partition("-")[0]]
    outcome = stub(tmp_path, name, f"cat <<'END'\n{proof}\nEND\n{ending}").run(TASK, 20)
    assert (outcome.status, outcome.words) == (SZS.ERROR, None)
    assert outcome.reason == f"it says Theorem, but ended with {how}"


@each_name
def test_a_proof_by_a_program_that_does_not_end(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _impatient(monkeypatch)
    proof = PROOFS[name.partition("-")[0]]
    script = f"cat <<'END'\n{proof}\nEND\nsleep 100"
    outcome = stub(tmp_path, name, script).run(TASK, 20)
    assert (outcome.status, outcome.words) == (SZS.TIMEOUT, None)


@pytest.mark.parametrize("code", [2, 139])
def test_a_counterexample_by_a_program_that_fails(tmp_path: Path, code: int) -> None:
    outcome = stub(tmp_path, "e", f"echo '# SZS status Satisfiable'; exit {code}").run(TASK, 20)
    assert outcome.status is SZS.ERROR
    assert outcome.reason == f"it says CounterSatisfiable, but ended with exit code {code}"


@each_name
def test_hints_are_refused_by_those_that_cannot_use_them(tmp_path: Path, name: str) -> None:
    prover = stub(tmp_path, name, "exit 1")
    task = Task(AIM, TASK.problem, hints=(AIM.equations[0],))
    if prover.uses_hints:
        assert name.startswith("prover9")
        assert prover.run(task, 20).status is SZS.ERROR
        return
    with pytest.raises(InputError, match=f"{name} can't use hints, only Prover9 can"):
        prover.run(task, 20)
    assert not (tmp_path / "arguments").exists()


def test_processor_time_decides(tmp_path: Path) -> None:
    """A program that hardly gets to run has more wall time than it has seconds."""
    script = f"sleep 1; cat <<'END'\n{PROOFS['e']}\nEND"
    assert stub(tmp_path, "e", script).run(TASK, 0.5).claimed


@each_name
def test_no_time(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _impatient(monkeypatch)
    outcome = stub(tmp_path, name, "echo thinking; sleep 100").run(TASK, 20)
    assert (outcome.status, outcome.words) == (SZS.TIMEOUT, None)


@each_name
@pytest.mark.parametrize("script", ["echo oops; kill -SEGV $$", "echo oops; exit 5", "exit 0"])
def test_a_crash(tmp_path: Path, name: str, script: str) -> None:
    outcome = stub(tmp_path, name, script).run(TASK, 20)
    assert (outcome.status, outcome.words) == (SZS.ERROR, None)
    assert ("oops" in outcome.reason) == ("oops" in script)


@each_name
def test_nonsense(tmp_path: Path, name: str) -> None:
    outcome = stub(tmp_path, name, "head -c 100000 /dev/urandom").run(TASK, 20)
    assert outcome.status == SZS.ERROR


@each_name
def test_out_of_memory(tmp_path: Path, name: str) -> None:
    outcome = stub(tmp_path, name, "echo 'terminate: std::bad_alloc'; exit 134").run(TASK, 20)
    assert outcome.status == SZS.RESOURCE_OUT


@each_name
def test_a_flood_of_output(tmp_path: Path, name: str) -> None:
    """What comes at the end counts, whatever came before."""
    proof = PROOFS[name.partition("-")[0]]
    script = f"yes thinking | head -c 20000000\ncat <<'END'\n\n{proof}\nEND"
    outcome = stub(tmp_path, name, script).run(TASK, 60)
    assert (outcome.status, outcome.words) == (SZS.THEOREM, "1 $F.")


def test_stopping(tmp_path: Path, temporary: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    outcome = stub(tmp_path, "twee", "trap '' TERM; sleep 100 & wait").run(TASK, 60, stop=stop)
    assert outcome.status == SZS.USER
    assert not list(temporary.iterdir())


def test_names_can_not_forge_a_proof(tmp_path: Path) -> None:
    """A prover that prints its input back says nothing with it."""
    forged = "goal\nTHEOREM PROVED\n% SZS status Theorem\nWaldmeister states: Goal proved."
    lemma = equation("x * x = x")
    assert lemma.target is not None
    problem = Problem(forged, lemma.start, lemma.target)
    task = Task(AIM, problem, lemmas=(Equation(forged, lemma.start, lemma.target),))
    for name in NAMES:
        outcome = stub(tmp_path, name, "cat problem.*").run(task, 20)
        assert outcome.status == SZS.ERROR


@each_name
def test_a_problem_without_an_equation(tmp_path: Path, name: str) -> None:
    task = Task(ROBINSON, Problem("p", app("0")))
    outcome = stub(tmp_path, name, "exit 0").run(task, 20)
    assert outcome.status == SZS.INPUT_ERROR
    assert "no equation" in outcome.reason


@pytest.mark.parametrize(
    ("name", "output", "status"),
    [
        ("prover9", "Process 5 exit (sos_empty) now", SZS.GAVE_UP),
        ("prover9", "------ process 5 exit (max_megs) ------", SZS.RESOURCE_OUT),
        ("prover9", "------ process 5 exit (max_given) ------", SZS.GAVE_UP),
        ("e", "# SZS status Satisfiable", SZS.COUNTER_SATISFIABLE),
        ("e", "# SZS status GaveUp", SZS.GAVE_UP),
        (
            "e",
            "# Failure: Resource limit exceeded (memory)\n# SZS status ResourceOut",
            SZS.RESOURCE_OUT,
        ),
        ("vampire", "% SZS status Satisfiable for problem", SZS.COUNTER_SATISFIABLE),
        ("vampire", "% SZS status GaveUp for problem", SZS.GAVE_UP),
        ("vampire", "% SZS status MemoryOut for problem", SZS.RESOURCE_OUT),
        ("vampire", "% Time limit reached!\n% Termination reason: Memory limit", SZS.RESOURCE_OUT),
        ("twee", "RESULT: Satisfiable (the axioms are consistent).", SZS.COUNTER_SATISFIABLE),
        ("twee", "RESULT: GaveUp (couldn't solve the problem).", SZS.GAVE_UP),
        ("waldmeister", "Waldmeister hates SIGXCPU", SZS.TIMEOUT),
        ("waldmeister", "Waldmeister states: System completed.", SZS.COUNTER_SATISFIABLE),
        ("waldmeister", "Waldmeister states: Out of memory.", SZS.RESOURCE_OUT),
        ("waldmeister", "#END OF PROOF", SZS.ERROR),
    ],
)
def test_other_endings(tmp_path: Path, name: str, output: str, status: SZS) -> None:
    outcome = stub(tmp_path, name, f"cat <<'END'\n{output}\nEND").run(TASK, 20)
    assert outcome.status == status


def test_a_limit_on_processor_time_is_a_timeout(tmp_path: Path) -> None:
    """The kernel's clock says that the time is over; ours may be a few milliseconds behind."""
    outcome = stub(tmp_path, "prover9", "kill -XCPU $$").run(TASK, 20)
    assert outcome.status is SZS.TIMEOUT


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
