"""The command line as a person uses it: output, messages, exit codes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import threesil
from threesil import cli
from threesil.kernel.theory import Goal
from threesil.theories import all_theories


def test_help_teaches() -> None:
    done = threesil("--help")
    assert done.returncode == 0
    for word in ("theories", "bench", "learns", "Prove:", "Learn:", "Measure:"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        ("--mode", "--solver", ("prove", "e * x = x", "--mode", "plain", "--json")),
        ("--mode", "--solver", ("prove", "e * x = x", "--mode=plain", "--json")),
        ("--model", "--weights", ("prove", "e * x = x", "--model", "best", "--json")),
    ],
)
def test_an_earlier_name_of_an_option_still_works(
    old: str, new: str, arguments: tuple[str, ...]
) -> None:
    """A note on standard error says how it is called, and nothing else changes."""
    done = threesil(*arguments)
    assert done.returncode == 0
    assert done.stderr == f"threesil: {old} is called {new} now\n"
    row = json.loads(done.stdout)
    assert row["status"] == "Theorem"
    assert row["by"] == ("plain" if old == "--mode" else "best")


def test_an_earlier_name_of_the_solvers_still_works(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("one\te * x = x\n")
    arguments = ("--theory", "aim", "--seconds", "1", "--out", tmp_path / "c", "--json")
    done = threesil("compare", tmp_path / "p.tsv", "--systems", "plain", *arguments)
    assert done.returncode == 0, done.stderr
    assert "threesil: --systems is called --solvers now\n" in done.stderr
    assert list(json.loads(done.stdout)["solvers"]) == ["plain"]


def test_ctrl_c_while_a_command_is_loaded_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(command: str | None) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "register", interrupted)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        assert cli.main() == 130
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_nothing_is_collected_when_the_process_ends() -> None:
    code = "import atexit, gc, sys\n"
    code += "atexit.register(lambda: print('kept', gc.get_freeze_count() > 0))\n"
    code += "from threesil.cli import main; sys.argv[1:] = ['--version']; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("kept True\n")


def test_version() -> None:
    assert threesil("--version").stdout.startswith("threesil 1.")


def test_theories_are_listed() -> None:
    done = threesil("theories")
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("robinson", "polynomial", "aim"))


def test_piped_tables_are_neither_cut_nor_wrapped() -> None:
    plain = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    command = [sys.executable, "-m", "threesil", "theories"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=plain)
    lines = done.stdout.splitlines()
    assert len(lines) == 1 + len(all_theories()) and max(map(len, lines)) > 80
    for theory, line in zip(all_theories(), lines[1:], strict=True):
        assert theory.name in line and theory.title in line


def test_equations_come_with_their_action_numbers() -> None:
    done = threesil("theories", "aim")
    assert done.returncode == 0
    row = next(line for line in done.stdout.splitlines() if "prov9_183b179b43" in line)
    assert row.split()[:2] == ["175", "176"]
    assert row.rstrip().endswith(r"K(x,x \ e) * x = T(x,x \ e)")


def test_json_is_all_there_is() -> None:
    theory = json.loads(threesil("theories", "polynomial", "--json").stdout)
    assert theory["actions"] == 28
    assert theory["moves"] == [{"action": 7, "argument": 1}, {"action": 8, "argument": 2}]
    listed = [json.loads(line) for line in threesil("theories", "--json").stdout.splitlines()]
    assert [row["actions"] for row in listed][:3] == [9, 28, 177]


def test_the_example_theory_is_one(tmp_path: Path) -> None:
    path = tmp_path / "groups.thy"
    path.write_text(threesil("theories", "--example").stdout)
    done = threesil("theories", str(path))
    assert done.returncode == 0
    assert "i(x) * x = e" in done.stdout
    made = tmp_path / "proof.json"  # it is certified from its own equations
    threesil("prove", "x * e = x", "--theory", str(path), "--out", str(made))
    assert threesil("check", str(made)).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["theories", "nothing"], "unknown theory 'nothing'"),
        (["bench", "--conform", "nothing.jsonl"], "no such file"),
        (["bench", "--seconds", "0"], "Invalid value"),
    ],
)
def test_bad_input_is_exit_code_2(arguments: list[str], message: str) -> None:
    done = threesil(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_syntax_error_shows_its_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.thy"
    path.write_text("Constants e.\nAxiom unit: e * (x = x.\n")
    done = threesil("theories", str(path))
    assert done.returncode == 2
    assert f"{path}:2:17: this bracket is never closed" in done.stderr
    lines = done.stderr.splitlines()
    assert lines[-2] == "  Axiom unit: e * (x = x."
    assert lines[-1].index("^") == lines[-2].index("(")


@pytest.mark.data
def test_conform_agrees(data: Path) -> None:
    done = threesil("bench", "--conform", str(data / "traces" / "robinson.jsonl.gz"))
    assert done.returncode == 0
    assert "0 differences" in done.stdout


def test_bench_prints_one_object() -> None:
    done = threesil("bench", "--json", "--seconds", "0.02")
    assert done.returncode == 0
    figures = json.loads(done.stdout)
    keys = {"replay.robinson", "replay.polynomial", "replay.aim", "random.aim", "threads.speedup"}
    keys |= {"guided.robinson", "guided.polynomial", "guided.aim", "train.transitions", "profile"}
    for name in ("robinson", "polynomial", "aim"):
        keys |= {f"envs.{name}.{what}" for what in ("vector", "single", "ratio")}
    for theory in all_theories():
        if theory.goal is Goal.EQUATION:
            keys |= {f"completion.{theory.name}.{what}" for what in ("pairs", "rewrites")}
    assert set(figures) == keys
    assert figures["random.aim"] > 0
    assert figures["completion.rings.pairs"] > 1000 and figures["completion.rings.rewrites"] > 1000
    for shares in figures["profile"].values():
        assert {"mask", "visited", "rewrite", "bank", "network"} <= set(shares)
        assert sum(shares.values()) == pytest.approx(1, abs=0.01)


def test_bench_measures_what_is_asked_for() -> None:
    done = threesil("bench", "envs", "--json", "--seconds", "0.02")
    assert done.returncode == 0
    figures = json.loads(done.stdout)
    assert all(key == "profile" or key.startswith("envs.") for key in figures)
    assert figures["envs.aim.vector"] > 0
    done = threesil("bench", "everything")
    assert done.returncode == 2
    assert "unknown measurement 'everything': expected replay," in done.stderr


HOSTILE = "[red]x[/red] \x1b[31m \x9b31m \u202e :heart: \\"


def test_texts_from_outside_are_printed_letter_by_letter() -> None:
    from threesil.cli.app import out, plain, visible

    with out.capture() as printed:
        out.print(plain(HOSTILE), "[b]" + plain(HOSTILE) + "[/b]")
    shown = r"[red]x[/red] \x1b[31m \x9b31m \u202e :heart: " + "\\"
    assert shown in printed.get()
    assert "\x1b[31m" not in printed.get()
    assert visible("a\tb\nc\x00\ud800", keep="\t\n") == "a\tb\nc\\x00\\ud800"


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    path.write_text(f"{HOSTILE}\tx * y = y * x\n")
    done = threesil("problems", "show", str(path), "--theory", "aim")
    assert done.stdout.startswith(r"[red]x[/red] \x1b[31m \x9b31m \u202e :heart: ")
    assert done.stdout.endswith("\tx * y = y * x\n")
    for arguments in (["theories", HOSTILE], ["problems", "list", "--theory", HOSTILE]):
        done = threesil(*arguments)
        assert done.returncode == 2
        assert "\x1b" not in done.stderr
        assert "[red]x[/red]" in done.stderr


def test_hostile_theories_are_listed_harmlessly(tmp_path: Path) -> None:
    path = tmp_path / "g.thy"
    path.write_text("Theory g: [red]A\x1b[31m title[/red].\nAxiom a: e * x = x.\n")
    done = threesil("theories", str(path))
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert r"[red]A\x1b[31m title[/red]" in done.stdout
