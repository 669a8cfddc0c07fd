"""Small runs: their configuration, making them, comparing and spoiling them."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samples import ROBINSON
from threesil.engine import Stop
from threesil.kernel.theory import Theory
from threesil.learn import growing, stages
from threesil.learn.config import Config, config_of, make_config
from threesil.learn.growing import derived
from threesil.learn.task import Task, write_task
from threesil.learn.training import Training
from threesil.nets.policy import Policy
from threesil.runs.checkpoint import checkpoints, read_checkpoint
from threesil.runs.run import Run

TINY = {
    "ME": 6,
    "m": 50,
    "f": 50,
    "NB": 5,
    "k": 2,
    "bias": 5.0,
    "prune": True,
    "level_size": 10,
    "threshold": 0.3,
    "evaluations": 20,
    "final_learning_rate": 0.0001,
    "width": 16,
    "threads": 1,
}


def config(method: str = "3sil", **changes: Any) -> Config:
    return make_config(config_of(method), tiny(method, **changes), "")


def tiny(method: str, **changes: Any) -> dict[str, Any]:
    """Those of TINY and of the changes that a method has."""
    own = {field.name for field in fields(config_of(method))}
    return {key: value for key, value in {**TINY, **changes}.items() if key in own}


def create(directory: Path, task: Task, settings: Config) -> Training:
    """A new run in a directory."""
    run = Run(directory)
    training = Training(run, task, settings)
    run.check_new()
    write_task(run, task, settings, {"policy": False})
    return training


def resumed(directory: Path, **changes: Any) -> Training:
    return Training.resume(Run(directory), changes)


def go_on(directory: Path, **changes: Any) -> Training:
    """Resumes a run and trains it to its end."""
    training = resumed(directory, **changes)
    assert training.train()
    return training


def stop_after(run: Training, looks: int) -> Stop:
    """A stop that is set when the run has looked at it so many times."""
    stop, check = Stop(), run.agent.check
    left = looks

    def counted() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            stop.set()
        check()

    run.agent.check = counted  # type: ignore[method-assign]
    return stop


def metrics_of(directory: Path) -> list[dict[str, Any]]:
    """All that does not depend on the clock."""
    rows = Run(directory).metrics()
    return [{key: row[key] for key in row if key not in ("seconds", "cpu")} for row in rows]


def assert_same_run(a: Path, b: Path, theory: Theory = ROBINSON) -> None:
    """Weights, history, checkpoints and metrics, byte for byte."""
    newest = checkpoints(a / "checkpoints")[-1].relative_to(a)
    assert replace(Run(a).facts, stages={}) == replace(Run(b).facts, stages={})
    kept = ("history.jsonl", "problems.jsonl", "config.toml", "model.safetensors")
    for name in (*kept, newest):
        assert (a / name).read_bytes() == (b / name).read_bytes(), name
    assert metrics_of(a) == metrics_of(b)
    arrays, _ = read_checkpoint(a / newest)
    model = Policy.load(a / "model.safetensors", theory)
    np.testing.assert_array_equal(model.parameters, arrays["agent.parameters"])


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Theorems are made and measured with little effort, and what follows looks at little."""
    patch.setattr(growing, "_EFFORT", 100)
    patch.setattr(stages, "derived", partial(derived, considered=100))
    patch.setattr(stages, "_PAIRS", 1.0)
    patch.setattr(stages, "_AMOUNTS", 0.5)
    patch.setattr(stages, "_LOOKED_AT", 5)


def unfinish(directory: Path) -> None:
    """Takes away what a run writes at its end."""
    for name in ("model.safetensors", "history.jsonl"):
        (directory / name).unlink()


def damage(path: Path, how: str) -> None:
    """Spoils a file."""
    content = bytearray(path.read_bytes())
    if how == "truncated":
        del content[len(content) // 2 :]
    elif how == "empty":
        content.clear()
    elif how == "flipped":
        content[-1000] ^= 1
    elif how == "header":
        content[3] ^= 255
    path.write_bytes(content)
