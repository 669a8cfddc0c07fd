"""What the documents show works."""

import re
import runpy
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


@pytest.mark.parametrize("snippet", snippets("CONTRIBUTING.md"))
def test_examples_for_contributors_run(snippet: str) -> None:
    exec(compile(snippet, "CONTRIBUTING.md", "exec"), {"__name__": "example"})


def test_readme_names_the_two_commands_first() -> None:
    commands = re.findall(r"^make \w+", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]


def test_demo_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "valid actions" in shown
    assert shown.count("rewrites, certified") == 6
    assert "= by TT ->" in shown
