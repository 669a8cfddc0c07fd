"""The help of every command: it fits in 80 columns, shows examples, and names no Python type."""

from __future__ import annotations

import re

import pytest
import typer
from typer.testing import CliRunner

from threesil.cli import app, register
from threesil.cli.help import examples_kept

register()
_ROOT = typer.main.get_command(app)
_GROUPS = {name: sub for name, sub in _ROOT.commands.items() if hasattr(sub, "commands")}  # type: ignore[attr-defined]
COMMANDS = [(name,) for name in _ROOT.commands if name not in _GROUPS]  # type: ignore[attr-defined]
COMMANDS += [(group, name) for group, sub in _GROUPS.items() for name in sub.commands]


def help_of(*command: str) -> str:
    result = CliRunner().invoke(app, [*command, "-h"], env={"COLUMNS": "80"}, prog_name="threesil")
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("command", [(), *COMMANDS], ids=" ".join)
def test_help_is_for_people(command: tuple[str, ...]) -> None:
    text = help_of(*command)
    assert not re.search(r"<[a-z][^>]*>|list\[|\bPath\b|FLOAT RANGE", text)
    examples = [line for line in text.splitlines() if line.startswith("    threesil ")]
    assert examples, "no example"
    long = [line for line in text.splitlines() if len(line) > 80 and line not in examples]
    assert not long


def test_examples_are_one_block() -> None:
    text = "What it does.\n\nthreesil a\n\nthreesil b\n\nMore."
    assert examples_kept(text) == "What it does.\n\n\b\n  threesil a\n  threesil b\n\nMore."


def test_completion_is_offered() -> None:
    assert "--install-completion" in help_of()
