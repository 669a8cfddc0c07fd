"""Fixtures: problems, and a finished run on them, for the tests of runs and of learning."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from samples import ROBINSON, easy_problems
from small_runs import config, create
from threesil.learn.task import Task, make_task
from threesil.notations.infix import format_term
from threesil.problems.sets import sample_set


@pytest.fixture(scope="session")
def problem_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty terms of Robinson arithmetic, the easiest first."""
    path = tmp_path_factory.mktemp("problems") / "terms.tsv"
    sampled = sorted(sample_set(ROBINSON, 60, seed=1), key=lambda p: p.start.size)
    chosen = [*easy_problems(ROBINSON)[:9], *sampled[:21]]
    lines = [format_term(p.start, ROBINSON.signature) for p in chosen]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def task(problem_file: Path) -> Task:
    return make_task("robinson", "3sil", 3, str(problem_file))


@pytest.fixture(scope="session")
def finished(task: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed. Tests leave it alone."""
    directory = tmp_path_factory.mktemp("finished") / "run"
    assert create(directory, task, config()).train()
    return directory


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """The same, to be spoilt."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))
