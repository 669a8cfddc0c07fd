"""problems list, show and generate, as a person uses them."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import threesil


def test_sets_are_listed_without_data(tmp_path: Path) -> None:
    nowhere = {"THREESIL_DATA": "", "XDG_CACHE_HOME": str(tmp_path)}
    done = threesil("problems", "list", **nowhere)
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["aim-lemmas", "70"] in rows
    assert ["robinson-dev", "-"] in rows
    assert "THREESIL_DATA" in done.stderr
    done = threesil("problems", "list", "--theory", "aim", **nowhere)
    assert "robinson" not in done.stdout


def test_a_set_is_shown() -> None:
    done = threesil("problems", "show", "aim-lemmas", THREESIL_DATA="")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == 70
    assert lines[2] == "id3\te \\ x = x"


def test_theorems_are_generated_and_their_proofs_hold(tmp_path: Path) -> None:
    out, proofs = tmp_path / "new.tsv", tmp_path / "proofs.jsonl"
    arguments = ["problems", "generate", "aim", "--steps", "2", "--count", "5", "--seed", "7"]
    done = threesil(*arguments)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    again = threesil(*arguments, "--out", str(out), "--proofs", str(proofs))
    assert (again.returncode, again.stdout) == (0, "")
    assert out.read_text() == done.stdout
    for line in proofs.read_text().splitlines():
        assert len(json.loads(line)["steps"]) == 2
        one = tmp_path / "one.json"
        one.write_text(line)
        assert threesil("check", str(one)).returncode == 0
    assert threesil("prove", str(out), "--expansions", "20000").returncode == 0


def test_terms_to_be_computed_are_generated() -> None:
    done = threesil("problems", "generate", "robinson", "--count", "4")
    assert done.returncode == 0
    assert len(set(done.stdout.splitlines())) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["aim", "--steps", "0"], "Invalid value"),
        (["aim", "--count", "-1"], "Invalid value"),
        (["aim", "--size", "100"], "Invalid value"),
        (["aim", "--seed", "-1"], "Invalid value"),
        (["nothing"], "unknown theory"),
        (["robinson", "--steps", "3"], "without a proof"),
        (["robinson", "--proofs", "p.jsonl"], "without a proof"),
        (["aim", "--steps", "1", "--count", "1000", "--size", "3"], "ask for fewer"),
        (["aim", "--count", "1", "--out", "/proc/none/new.tsv"], "can't write"),
        (["aim", "--count", "1000000", "--out", "/"], "can't write /: this is a directory"),
    ],
)
def test_bad_values_are_exit_code_2(arguments: list[str], message: str) -> None:
    done = threesil("problems", "generate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [["show", "nothing"], ["show", "aim-nothing"], ["list", "-x"]]
)
def test_unknown_sets_are_exit_code_2(arguments: list[str]) -> None:
    assert threesil("problems", *arguments).returncode == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_generation_can_be_ended(number: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "new.tsv"
    arguments = ["problems", "generate", "aim", "--count", "1000000", "--out", str(out)]
    command = [sys.executable, "-c", STARTED, *arguments]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "started\n"
    running.send_signal(number)
    _, errors = running.communicate(timeout=120)
    assert running.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert "Traceback" not in errors
    made = len(out.read_text().splitlines()) if out.exists() else 0
    said = f"the {made} problems made so far are written" if made else "nothing to write"
    assert errors == f"threesil: interrupted; {said}\n"


def test_theorems_of_growing_difficulty(tmp_path: Path) -> None:
    out = tmp_path / "hard.tsv"
    arguments = ["problems", "generate", "groups", "--growing", "--count", "3", "--out", out]
    done = threesil(*map(str, arguments))
    assert done.returncode == 0, done.stderr
    assert len(out.read_text().splitlines()) == 3
    assert threesil(*map(str, arguments), "--steps", "3").returncode == 2


STARTED = """
import sys
import threesil.problems.theorems as theorems
from threesil.cli import main

certify = theorems.certify

def announce(*arguments):
    print("started", flush=True)
    theorems.certify = certify
    return certify(*arguments)

theorems.certify = announce
sys.exit(main())
"""
