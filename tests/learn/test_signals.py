"""The command is ended in the middle of an epoch, and locked out by another."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from learn.runs import TINY, assert_same_run
from learn.workers import Command
from threesil.learn.checkpoint import checkpoints


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError


def longer(problem_file: Path) -> list[str]:
    """The arguments of a run whose epochs take a moment."""
    changes = {**TINY, "ME": 12, "m": 1000, "f": 1000, "NB": 40}
    settings = [f"--set={key}={str(value).lower()}" for key, value in changes.items()]
    return ["robinson", "--config=paper", "--problems", str(problem_file), "--seed=3", *settings]


@pytest.fixture(scope="module")
def longer_finished(problem_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("longer")
    done = Command(directory, "train", *longer(problem_file), "--out", "run").wait()
    assert done.returncode == 0, done.stderr
    assert "12 epochs" in done.stdout
    return directory / "run"


def epochs_done(directory: Path) -> int:
    found = checkpoints(directory / "checkpoints")
    return int(found[-1].stem.removeprefix("epoch-")) if found else 0


@pytest.mark.parametrize("how", ["interrupt", "kill"])
def test_the_command_can_be_ended_in_the_middle_of_an_epoch(
    how: str, longer_finished: Path, problem_file: Path, tmp_path: Path
) -> None:
    random = Random(how)
    directory = tmp_path / "run"
    command = Command(tmp_path, "train", *longer(problem_file), "--out", "run")
    ended = 0
    for epoch in (1, 3, 6):
        wait_for(lambda epoch=epoch: epochs_done(directory) >= epoch)
        time.sleep(random.uniform(0, 0.05))
        if how == "kill":
            command.process.kill()
        else:
            command.interrupt()
        done = command.wait()
        assert "Traceback" not in done.stderr
        if done.returncode == 0:
            break  # it was faster
        if how == "kill":
            assert done.returncode == -signal.SIGKILL
        else:
            assert done.returncode == 1
            assert "stopping after this batch" in done.stderr
            stopped = f"stopped after epoch {epochs_done(directory)}; go on with: "
            assert done.stdout == f"{stopped}threesil train --resume run\n"
        assert not (directory / "model.safetensors").exists()
        ended += 1
        command = Command(tmp_path, "train", "--resume", "run")
    assert ended
    done = command.wait()
    assert done.returncode == 0, done.stderr
    assert_same_run(directory, longer_finished)
