"""The seed and the configuration decide everything, to the last byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samples import ROBINSON
from small_runs import TINY, assert_same_run, config, create, metrics_of
from threesil.learn.task import Task
from threesil.learn.training import METHODS
from threesil.nets.policy import Policy
from threesil.runs.checkpoint import checkpoints
from workers import Command


def test_the_seed_decides_everything(finished: Path, task: Task, tmp_path: Path) -> None:
    again = create(tmp_path / "again", task, config(width=5, threads=2))
    assert again.train()
    mine = Policy.load(tmp_path / "again" / "model.safetensors", ROBINSON)
    theirs = Policy.load(finished / "model.safetensors", ROBINSON)
    np.testing.assert_array_equal(mine.parameters, theirs.parameters)
    assert metrics_of(tmp_path / "again") == metrics_of(finished)
    other = create(tmp_path / "other", replace(task, seed=4), config())
    assert other.train()
    assert metrics_of(tmp_path / "other") != metrics_of(finished)


def test_equal_runs_are_equal_files(problem_file: Path, finished: Path, tmp_path: Path) -> None:
    """In a process of its own, where hashes differ."""
    settings = [f"--set={key}={str(value).lower()}" for key, value in TINY.items()]
    arguments = ["robinson", "--config=paper", "--seed=3", "--problems", problem_file, *settings]
    done = Command(tmp_path, "train", *arguments, "--set=train_leaves=true", "--out=run").wait()
    assert done.returncode == 0, done.stderr
    assert_same_run(tmp_path / "run", finished)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("3sil", "expert")])
def test_equal_runs_of_every_method_leave_equal_checkpoints(
    method: str, task: Task, tmp_path: Path
) -> None:
    contents = []
    for name in ("one", "two"):
        run = create(
            tmp_path / name, replace(task, method=method), config(method, ME=2, m=20, f=20)
        )
        assert run.train()
        files = [
            *checkpoints(tmp_path / name / "checkpoints"),
            tmp_path / name / "model.safetensors",
        ]
        contents.append([file.read_bytes() for file in files])
    assert contents[0] == contents[1]
