"""Runs that are stopped, killed and made longer resume as if nothing had happened."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from small_runs import assert_same_run, config, create, go_on, resumed, stop_after, unfinish
from threesil.errors import InputError
from threesil.learn.task import Task, read_config
from threesil.runs.checkpoint import checkpoints
from threesil.runs.run import Run
from workers import start, train


def test_a_run_that_is_stopped_resumes_as_if_nothing_had_happened(
    finished: Path, task: Task, tmp_path: Path
) -> None:
    random = Random(1)
    directory = tmp_path / "run"
    run = create(directory, task, config())
    stops = 0
    while True:
        epoch = run.epoch
        if run.train(stop=stop_after(run, random.randint(1, 60))):
            break
        assert run.epoch >= epoch
        assert not (directory / "model.safetensors").exists()
        assert [row["epoch"] for row in Run(directory).metrics()] == list(range(run.epoch))
        stops += 1
        run = resumed(directory)
    assert stops >= 2
    assert_same_run(directory, finished)


@pytest.mark.parametrize("seed", range(2))
def test_a_run_that_is_killed_at_any_moment_resumes_as_if_nothing_had_happened(
    finished: Path, task: Task, tmp_path: Path, seed: int
) -> None:
    """SIGKILL at a random function call, again and again, until the run gets through."""
    random = Random(seed)
    directory = tmp_path / "run"
    create(directory, task, config())
    kills = 0
    while True:
        process = start(train, directory, random.randint(5_000, 30_000 + 25_000 * kills))
        process.join()
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        kills += 1
        assert kills < 60
    assert kills >= 3
    assert_same_run(directory, finished)


def test_lines_of_lost_epochs_are_forgotten(finished: Path, copy: Path) -> None:
    """The metrics are written before the checkpoint; a line may be cut off, too."""
    unfinish(copy)
    checkpoints(copy / "checkpoints")[-1].unlink()
    lines = (copy / "metrics.jsonl").read_text().splitlines(keepends=True)
    for text in ("".join(lines), "".join(lines)[:-30], "".join(lines[:5]) + '{"epo'):
        (copy / "metrics.jsonl").write_text(text)
        run = resumed(copy)
        assert run.epoch == 5
        assert run.train()
        assert_same_run(copy, finished)
        checkpoints(copy / "checkpoints")[-1].unlink()


# More epochs


@pytest.fixture(scope="module")
def steady(task: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of six epochs whose learning rate stays, so that it does not depend on ME."""
    directory = tmp_path_factory.mktemp("steady") / "run"
    assert create(directory, task, config(final_learning_rate=0.0)).train()
    return directory


@pytest.mark.parametrize("how", ["option", "file"])
def test_a_run_can_be_made_longer(how: str, steady: Path, task: Task, tmp_path: Path) -> None:
    shorter = tmp_path / "run"
    assert create(shorter, task, config(ME=3, final_learning_rate=0.0)).train()
    if how == "option":
        run = go_on(shorter, ME=6)
    else:
        toml = shorter / "config.toml"
        toml.write_text("# longer\n" + toml.read_text().replace("ME = 3", "ME = 6"))
        run = go_on(shorter)
    assert run.epoch == 6
    assert len(Run(shorter).metrics()) == 6
    assert_same_run(shorter, steady)
    assert go_on(shorter).epoch == 6


def test_a_run_that_dies_while_it_is_made_longer_is_not_damaged(copy: Path) -> None:
    """config.toml is written first, run.json second."""
    begun = (copy / "run.json").read_bytes()
    run = resumed(copy, ME=9)
    assert not run.train(stop=stop_after(run, 1))
    (copy / "run.json").write_bytes(begun)
    assert resumed(copy).config.ME == 9


def test_an_unchanged_configuration_is_left_alone(copy: Path) -> None:
    mine = "# mine\n" + (copy / "config.toml").read_text()
    (copy / "config.toml").write_text(mine)
    go_on(copy)
    assert (copy / "config.toml").read_text() == mine


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ME": 5}, "ME = 5: the run began with 6, and ME may only grow"),
        (
            {"k": 3},
            "k = 3: the run began with 2, and only ME and minutes may change; set it",
        ),
        ({"ME": 9, "size": 32}, "size = 32: the run began with 16"),
        ({"threads": 2}, "threads = 2: the run began with 1"),
        ({"prune": False}, "prune = False: the run began with True"),
        ({"ME": 0}, "ME = 0: expected 1 to"),
        ({"kk": 1}, "unknown key kk"),
    ],
    ids=str,
)
def test_no_other_change_is_taken(copy: Path, changes: dict[str, Any], message: str) -> None:
    before = {p: p.read_bytes() for p in copy.rglob("*") if p.is_file()}
    with pytest.raises(InputError, match=message):
        resumed(copy, **changes)
    assert {p: p.read_bytes() for p in copy.rglob("*") if p.is_file()} == before
    settings = {**vars(read_config(Run(copy))), **changes}
    lines = (f"{key} = {str(value).lower()}" for key, value in settings.items())
    (copy / "config.toml").write_text("\n".join(lines))
    with pytest.raises(InputError, match=message):
        resumed(copy)


# Runs of other versions


def test_a_run_of_another_version_says_so(copy: Path) -> None:
    for change in ({"format": None}, {"format": "threesil-run-9"}):
        facts = json.loads((copy / "run.json").read_text()) | change
        (copy / "run.json").write_text(json.dumps(facts))
        with pytest.raises(InputError, match="another version: finish it there, or start another"):
            resumed(copy)
