"""Where runs are."""

from __future__ import annotations

import shutil
from pathlib import Path

from threesil.runs.run import Run, find_runs


def test_runs_are_found_where_they_are_and_right_below(finished: Path, copy: Path) -> None:
    def found(*paths: Path) -> list[Path]:
        return [run.directory for run in find_runs(paths)]

    assert found(finished) == [finished]
    assert found(copy.parent, finished) == [copy, finished]
    assert found(copy.parent / "nothing") == []
    below = Path(shutil.copytree(finished, copy / "below"))
    assert found(copy) == [copy, below]  # a run may hold others
    assert found(copy, below, copy.parent) == [copy, below]  # each of them once
    assert Run(copy).facts.method == "3sil"
