"""What the documents show works."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def snippets(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)


@pytest.mark.parametrize("snippet", snippets("README.md"))
def test_readme_snippets_run(snippet: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(snippet, "README.md", "exec"), {})
    if "format_proof" in snippet:
        assert capsys.readouterr().out.rstrip().endswith("y * x")


def test_readme_commands_run(tmp_path: Path) -> None:
    """One after the other in an empty directory, without data; 1 is for what is refuted."""
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) >= 5
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path} | {"THREESIL_DATA": str(tmp_path / "none")}
    for command in commands:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == ("= y * x" in command), (command, done.stdout, done.stderr)


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
    assert "= by TT ->" in shown
    assert "It fails for x = " in shown
    assert "theorem" in shown.partition("for Lean 4")[2]
    assert "valid actions" in shown
