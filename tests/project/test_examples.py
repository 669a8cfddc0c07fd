"""The examples run, and show what they promise."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from threesil.theories import all_theories, benchmark_of

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_goals_of_the_bundled_theories(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TPTP", raising=False)
    monkeypatch.setattr(sys, "argv", ["classics.py", "20"])
    runpy.run_path(str(EXAMPLES / "classics.py"), run_name="__main__")
    _, _, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == sum(bool(benchmark_of(theory).goals) for theory in all_theories())
    for row in rows:
        _, _, goals, proved, *_ = row.split("|")
        assert goals == proved
